"""docs/design/equations.md names files, functions and tests: sees that each is there, and that no key lacks a row."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "design" / "equations.md").read_text()
SOURCES = {path: path.read_text() for path in sorted((ROOT / "src" / "hunch").rglob("*.[ch]pp"))}
TESTS = "\n".join(path.read_text() for path in sorted((ROOT / "tests").rglob("*_test.cpp")))
TABLE_KEYS = set(re.findall(r"^\| paper eq\. \((\d+)\)", PAGE, re.MULTILINE))


class Equations(unittest.TestCase):
    def test_named_files_exist_and_hold_the_functions_named_after_them(self):
        found = re.findall(r"`([a-z_]+/\w+\.[ch]pp)`((?:, `[\w:]+`)*)", PAGE)
        self.assertGreater(len(found), 20)
        for name, functions in found:
            path = ROOT / "src" / "hunch" / name
            with self.subTest(file=name):
                self.assertIn(path, SOURCES)
            for function in re.findall(r"`([\w:]+)`", functions):
                with self.subTest(file=name, function=function):
                    self.assertRegex(SOURCES.get(path, ""), rf"\b{re.escape(function)}\b")

    def test_named_tests_exist(self):
        found = re.findall(r"`\*?(?:\w+/)?([A-Z]\w+)\.([\w*]+)(?:/[\w*]+)?\*?`", PAGE)
        self.assertGreater(len(found), 12)
        for suite, name in found:
            with self.subTest(test=f"{suite}.{name}"):
                pattern = name.replace("*", r"\w*")
                self.assertRegex(TESTS, rf"TEST(?:_[FP])?\({suite}, {pattern}\)")

    def test_every_key_in_the_code_has_a_row(self):
        keys = set()
        for text in SOURCES.values():
            for mention in re.findall(r"paper eq\. ((?:\(\d+\)(?:,| and)? ?)+)", text):
                keys |= set(re.findall(r"\d+", mention))
        self.assertGreaterEqual(len(keys), 4)
        self.assertLessEqual(keys, TABLE_KEYS)


if __name__ == "__main__":
    unittest.main()
