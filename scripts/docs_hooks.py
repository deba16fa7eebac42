"""What the site has beside docs/: pages that live elsewhere in the repository, and the files that pages link to.

A link in a page is written as it holds in the repository, so that it works where the file is read. Here it is turned
into what holds in the site: a page of docs/ loses that prefix, PAGES keep their path, any other file is copied to
source/PATH.txt, which a browser shows as text. A link to nothing stops the build.

In the navigation an entry with a star stands for all pages of that name that have no entry of their own.
"""
import os
import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted([path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/*/README.md")]
               + ["src/hunch/README.md", "CHANGELOG.md"])
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FENCE = re.compile(r"^\s*(```+|~~~+)")


def listed(nav):
    """The pages that have an entry of their own."""
    for entry in nav:
        value = next(iter(entry.values())) if isinstance(entry, dict) else entry
        yield from listed(value) if isinstance(value, list) else [value]


def without_stars(nav, known):
    for entry in nav:
        if isinstance(entry, dict):
            (title, value), = entry.items()
            yield {title: list(without_stars(value, known)) if isinstance(value, list) else value}
        elif "*" in entry:
            pages = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob(entry))
            yield from (page for page in pages if page not in known)
        else:
            yield entry


def on_config(config):
    config["nav"] = list(without_stars(config["nav"], set(listed(config["nav"]))))
    return config


def in_repository(page):
    return page if page in PAGES else "docs/" + page


def in_site(path):
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return path if path in PAGES else f"source/{path}.txt"


def linked(page, link):
    """The repository's path of what a page links to, or nothing for an address elsewhere."""
    if re.match(r"[a-z]+:", link) or link.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository(page)), link))
    if path.startswith("..") or not (ROOT / path).exists():
        raise PluginError(f"{in_repository(page)} links to {link}, which is not there")
    if not (ROOT / path).is_file():
        raise PluginError(f"{in_repository(page)} links to {link}, which is no file")
    return path


def outside_fences(markdown, change):
    """The text with each line outside fenced blocks changed."""
    fence, lines = None, []
    for line in markdown.split("\n"):
        mark = FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        lines.append(line if fence or mark else change(line))
    return "\n".join(lines)


def added(site_path, repository_path, config):
    file = File(site_path, str(ROOT), config["site_dir"], config["use_directory_urls"])
    file.abs_src_path = os.fspath(ROOT / repository_path)
    return file


def on_files(files, config):
    for page in PAGES:
        files.append(added(page, page, config))
    sources = set()
    for page in [file.src_uri for file in files if file.is_documentation_page()]:
        text = (ROOT / in_repository(page)).read_text()

        def note(line):
            for match in LINK.finditer(line):
                path = linked(page, match[2])
                if path and in_site(path).startswith("source/"):
                    sources.add(path)
            return line

        outside_fences(text, note)
    for path in sorted(sources):
        files.append(added(in_site(path), path, config))
    return files


def on_page_markdown(markdown, page, config, files):
    here = posixpath.dirname(page.file.src_uri)

    def changed(match):
        path = linked(page.file.src_uri, match[2])
        if path is None:
            return match[0]
        return match[1] + posixpath.relpath(in_site(path), here or ".") + match[3]

    return outside_fences(markdown, lambda line: LINK.sub(changed, line))
