"""The site builds without a dead link, and what looks for dead links finds each kind."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def check_site(folder):
    return subprocess.run([sys.executable, ROOT / "scripts/check-site", folder], capture_output=True, text=True)


class Site(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def build(self, root):
        return subprocess.run(["/usr/bin/mkdocs", "build", "--quiet", "--strict", "--site-dir", self.folder / "site"],
                              cwd=root, env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"},
                              capture_output=True, text=True, timeout=300)

    def copy_of_the_repository(self):
        copy = self.folder / "repository"
        for name in ("docs", "examples", "src"):
            shutil.copytree(ROOT / name, copy / name)
        (copy / "scripts").mkdir()
        for name in ("mkdocs.yml", "CHANGELOG.md", "README.md", "scripts/docs_hooks.py"):
            shutil.copy(ROOT / name, copy / name)
        return copy

    def test_site_builds_and_has_nothing_dead(self):
        done = self.build(ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = check_site(self.folder / "site")
        self.assertEqual((found.returncode, found.stdout), (0, ""))
        for page in ("index", "tutorial", "how-to/program", "examples/epidemic/index", "reference/config", "method"):
            self.assertTrue((self.folder / "site" / f"{page}.html").is_file(), page)

    def test_a_link_to_no_file_of_the_repository_stops_the_build(self):
        for link in ("../examples/nothing/README.md", "../src/hunch/run/nothing.hpp", "nothing.md", "../examples"):
            copy = self.copy_of_the_repository()
            with open(copy / "docs/limits.md", "a") as page:
                page.write(f"\n[dead]({link})\n")
            done = self.build(copy)
            self.assertNotEqual(done.returncode, 0, link)
            shutil.rmtree(copy)

    def test_a_page_outside_the_navigation_is_found(self):
        self.assertEqual(self.pages_without_entry(ROOT), set())
        copy = self.copy_of_the_repository()
        for page in ("docs/adr/9999-new.md", "docs/lonely.md"):
            (copy / page).write_text("# new\n")
        self.assertEqual(self.pages_without_entry(copy), {"lonely.md"})

    def pages_without_entry(self, root):
        """Each page of docs/ that a reader of the front page cannot reach by the navigation."""
        done = self.build(root)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        front = (self.folder / "site/index.html").read_text()
        reached = set(re.findall(r'<a href="([^"#]+)" class="md-nav__link', front))
        pages = [path.relative_to(root / "docs") for path in (root / "docs").rglob("*.md")]
        built = {page.as_posix(): (page.parent / ("index.html" if page.name in ("README.md", "index.md") else
                                                  page.stem + ".html")).as_posix() for page in pages}
        return {page for page, address in built.items() if address not in reached}

    def test_check_site_finds_each_kind_of_dead_link(self):
        site = self.folder / "made-up"
        site.mkdir()
        (site / "other.html").write_text('<h1 id="top">other</h1>')
        good = '<a href="other.html#top">a</a> <a href="#here" id="here">b</a> <a href="https://example.org/x">c</a>'
        (site / "index.html").write_text(good)
        self.assertEqual(check_site(site).stdout, "")
        for dead in ('<a href="nothing.html">x</a>', '<a href="other.html#nothing">x</a>', '<a href="#nothing">x</a>',
                     '<img src="nothing.png">', '<script src="https://example.org/x.js"></script>',
                     '<link rel="stylesheet" href="//example.org/x.css">'):
            (site / "index.html").write_text(good + dead)
            found = check_site(site)
            self.assertEqual((found.returncode, found.stdout.count("\n")), (1, 1), dead + found.stdout)

    def test_links_of_the_readme_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)#\s]+)", (ROOT / "README.md").read_text()):
            if not re.match(r"[a-z]+:", link):
                self.assertTrue((ROOT / link).exists(), link)


if __name__ == "__main__":
    unittest.main(verbosity=2)
