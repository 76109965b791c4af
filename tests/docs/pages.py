#!/usr/bin/env python3
"""The pages of docs/: links and their anchors, pictures, the navigation of the site, and what GitHub and python-markdown
read differently.

- A link or picture of a page leads to a file of docs/ that is there, and `page.md#anchor` to a heading of it. README.md
  may name any file of the tree. A page that names another one in backticks (`docs/x.md`) names one that is there.
- site/mkdocs.yml has every page of docs/ in its navigation, once.
- Nothing in a page, in the theme or in a picture is fetched from elsewhere.
- No fence is indented, and lists within lists are indented by four: python-markdown makes text of anything else.

usage: pages.py ROOT     Exit code 1 when something is wrong; each is printed as FILE:LINE: what.
"""
import os
import re
import sys
import unicodedata


def slug(heading):
    """The anchor that python-markdown's toc gives a heading (of plain text and code)."""
    text = unicodedata.normalize("NFKD", re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading))
    text = re.sub(r"[^\w\s-]", "", text.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


class Page:
    def __init__(self, path):
        self.path, self.anchors, self.lines = path, set(), []
        fence = None
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.rstrip("\n")
                if marker := re.match(r"\s*(```+|~~~+)", line):
                    if fence is None:
                        fence = marker[1][0]
                        if line.startswith(" "):
                            self.lines.append((number, line, "indented fence"))
                    elif marker[1][0] == fence:
                        fence = None
                    continue
                if fence is not None:
                    continue
                self.lines.append((number, line, None))
                if heading := re.match(r"#+ +(.*?)\s*$", line):
                    anchor, n = slug(heading[1]), 0
                    while anchor in self.anchors:  # "limits", "limits_1", ...
                        n += 1
                        anchor = f"{slug(heading[1])}_{n}"
                    self.anchors.add(anchor)
        self.unclosed = fence is not None


def paragraphs(page):
    """(first line's number, text): a link or a piece of code may go on in the next line."""
    first, text, last = 0, [], 0
    for number, line, _ in [*page.lines, (0, "", None)]:
        if text and (not line.strip() or number != last + 1 or line.startswith("|")):
            yield first, " ".join(text)
            text = []
        if line.strip():
            first = first if text else number
            text.append(line.strip())
        last = number


def problems_of(page, pages, root, docs):
    inside = page.path.startswith(docs + os.sep)
    if page.unclosed:
        yield 1, "a fence is not closed"
    in_list = False
    for number, line, problem in page.lines:
        if problem:
            yield number, problem
            continue
        item = re.match(r"( *)([-*]|\d+\.) ", line)
        if inside and item and in_list and len(item[1]) % 4:
            yield number, f"a list indented by {len(item[1])}, not by a multiple of 4"
        in_list = bool(item) or (in_list and (line.startswith("  ") or not line.strip()))
    for number, text in paragraphs(page):
        text = re.sub(r"``.*?``|`[^`]*`", lambda code: code[0] if code[0].startswith("`docs/") else "", text)
        for name in re.findall(r"`docs/([\w/.-]+\.\w+)", text):
            if not os.path.exists(os.path.join(docs, name)):
                yield number, f"docs/{name} is not there"
        for picture, target in re.findall(r"(!?)\[(?:[^]\[]|\[[^]]*\])*\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                if picture:
                    yield number, f"a picture that is fetched: {target}"
                continue
            name, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page.path), name)) if name else page.path
            if not os.path.exists(file):
                yield number, f"{target} is not there"
            elif inside and not file.startswith(docs + os.sep):
                yield number, f"{target} is outside of docs/, so not in the site"
            elif anchor and file in pages and anchor not in pages[file].anchors:
                yield number, f"{target}: no such heading"


def main(root):
    root = os.path.abspath(root)
    docs = os.path.join(root, "docs")
    files = [os.path.join(root, "README.md")]
    drawn = []
    for folder, _, names in os.walk(docs):
        files += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".md")]
        drawn += [os.path.join(folder, name) for name in sorted(names) if name.endswith((".svg", ".html", ".css"))]
    for folder, _, names in os.walk(os.path.join(root, "site", "theme")):
        drawn += [os.path.join(folder, name) for name in sorted(names)]
    pages = {file: Page(file) for file in files if os.path.exists(file)}
    found = [(file, number, what) for file, page in pages.items()
             for number, what in problems_of(page, pages, root, docs)]

    config = os.path.join(root, "site", "mkdocs.yml")
    with open(config, encoding="utf-8") as file:
        named = re.findall(r"^\s*-.*?([\w/-]+\.md)\s*$", file.read(), flags=re.M)
    there = {os.path.relpath(file, docs) for file in pages if file.startswith(docs + os.sep)}
    found += [(config, 1, f"{name} is not in the navigation") for name in sorted(there - set(named))]
    found += [(config, 1, f"{name} is not there") for name in sorted(set(named) - there)]
    found += [(config, 1, f"{name} is in the navigation twice") for name in sorted(there) if named.count(name) > 1]

    for path in drawn:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if re.search(r"""(src|href)\s*=\s*["'](https?:)?//|url\(\s*["']?(https?:)?//|@import|<script""", line):
                    found.append((path, number, "fetches something, or has a script"))
    for file, number, what in found:
        print(f"{os.path.relpath(file, root)}:{number}: {what}")
    print(f"{len(pages)} pages, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
