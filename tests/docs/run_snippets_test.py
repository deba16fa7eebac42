"""The runner of snippets catches what is wrong in a page, and lets pass what is right."""
import os
import pathlib
import tempfile
import unittest

os.environ.setdefault("HUNCH_PROGRAM", "/bin/false")
import run_snippets
from run_snippets import Block, Page, Wrong, blocks_of, has_shape


class Blocks(unittest.TestCase):
    def test_a_block_has_its_line_language_title_mark_and_text(self):
        text = 'words\n\n<!-- exits: 3 -->\n```sh title="run me"\nfalse\n\n```\nmore\n'
        self.assertEqual(blocks_of(text), [Block(4, "sh", "run me", "exits: 3", "false\n\n")])

    def test_a_block_in_a_list_loses_the_indent(self):
        self.assertEqual(blocks_of("1. do\n\n    ```sh\n    a\n      b\n    ```\n")[0].text, "a\n  b\n")

    def test_a_comment_further_up_is_not_the_blocks(self):
        self.assertEqual(blocks_of("<!-- exits: 3 -->\n\n```sh\n```\n")[0].mark, "")


class Shapes(unittest.TestCase):
    def test_other_numbers_have_the_same_shape(self):
        self.assertTrue(has_shape("r0   1.85 -2e-5\n\n12 draws\n", "r0 9 3.1\n2,000 draws"))

    def test_other_words_or_counts_do_not(self):
        self.assertFalse(has_shape("r0 1.85", "beta 1.85"))
        self.assertFalse(has_shape("r0 1.85", "r0 1.85 3"))
        self.assertFalse(has_shape("a\nb", "a"))

    def test_dots_stand_for_any_lines(self):
        self.assertTrue(has_shape("a\nb\nc\nd", "a\n...\nd"))
        self.assertTrue(has_shape("a\nd", "a\n...\nd"))
        self.assertFalse(has_shape("a\nb", "a\n...\nd"))

    def test_a_digit_inside_a_name_is_part_of_the_name(self):
        self.assertFalse(has_shape("r0 1", "r1 1"))


class Running(unittest.TestCase):
    def page(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        page = Page(run_snippets.ROOT / "docs" / "made-up.md", pathlib.Path(folder.name), dict(os.environ))
        self.addCleanup(page.end)
        return page

    def refuses(self, *blocks):
        page = self.page()
        for block in blocks[:-1]:
            page.run(block)
        with self.assertRaises(Wrong) as caught:
            page.run(blocks[-1])
        return str(caught.exception)

    def test_a_failing_command_is_told_with_page_and_line(self):
        self.assertIn("docs/made-up.md:7: exit code 1", self.refuses(Block(7, "sh", "", "", "false; true\n")))

    def test_an_exit_code_that_was_announced_is_needed(self):
        self.page().run(Block(1, "sh", "", "exits: 3", "exit 3\n"))
        self.refuses(Block(1, "sh", "", "exits: 3", "true\n"))

    def test_output_is_that_of_the_block_before(self):
        say = Block(1, "sh", "", "", "echo 12 draws\n")
        page = self.page()
        page.run(say)
        page.run(Block(2, "text", "", "output", "7 draws\n"))
        self.refuses(say, Block(2, "text", "", "output", "7 chains\n"))

    def test_a_titled_block_is_a_file_for_later_ones(self):
        page = self.page()
        page.run(Block(1, "python", "a/b.py", "", "x = 1\n"))
        page.run(Block(2, "sh", "", "", "grep -q 'x = 1' a/b.py\n"))

    def test_python_that_raises_is_found(self):
        self.assertIn("ZeroDivisionError", self.refuses(Block(1, "python", "", "", "1 / 0\n")))

    def test_python_goes_on_only_where_it_says_so(self):
        first = Block(1, "python", "", "", "x = 1\n")
        self.refuses(first, Block(2, "python", "", "", "assert x == 1\n"))
        page = self.page()
        page.run(first)
        page.run(Block(2, "python", "", "goes on", "assert x == 1\n"))

    def test_what_is_not_run_has_a_reason(self):
        self.page().run(Block(1, "sh", "", "not run: needs a cluster", "false\n"))
        self.refuses(Block(1, "sh", "", "not run", "false\n"))
        self.refuses(Block(1, "cpp", "", "", "int main() {}\n"))
        self.refuses(Block(1, "", "", "", "who knows\n"))

    def test_a_server_is_waited_for(self):
        page = self.page()
        page.run(Block(1, "sh", "", "background until: ready", "python3 -uc 'print(\"ready\"); input()'\n"))
        self.refuses(Block(1, "sh", "", "background until: ready", "echo other\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
