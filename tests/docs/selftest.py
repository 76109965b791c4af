#!/usr/bin/env python3
"""pages.py finds what it is for, one planted mistake at a time; outputs.py finds lines that are no longer printed."""
import contextlib
import io
import os
import tempfile

import outputs
import pages

GOOD = {
    "README.md": "# r\n\nSee [the index](docs/index.md) and [the build](site/mkdocs.yml).\n",
    "docs/index.md": "# Index\n\nSee [limits\nand more](other.md#what-is-not-done) and `docs/other.md`.\n\n![two](two.svg)\n",
    "docs/other.md": "# Other\n\n## What is *not* done?\n\n- one\n    - two\n\n```\n[no](link.md)\n```\n",
    "docs/two.svg": '<svg xmlns="http://www.w3.org/2000/svg"></svg>\n',
    "site/mkdocs.yml": "nav:\n  - Home: index.md\n  - Part:\n      - other.md\n",
    "site/theme/main.html": '<link rel="stylesheet" href="style.css">\n',
}
# (file, from, to, what is said)
MISTAKES = [
    ("README.md", "docs/index.md", "docs/gone.md", "docs/gone.md is not there"),
    ("docs/index.md", "other.md#", "gone.md#", "gone.md#what-is-not-done is not there"),
    ("docs/index.md", "#what-is-not-done", "#what-is-done", "no such heading"),
    ("docs/index.md", "two.svg", "three.svg", "three.svg is not there"),
    ("docs/index.md", "two.svg", "https://example.org/two.svg", "fetched"),
    ("docs/index.md", "`docs/other.md`", "`docs/gone.md`", "docs/gone.md is not there"),
    ("docs/index.md", "](other.md", "](../README.md", "outside of docs/"),
    ("docs/other.md", "    - two", "  - two", "indented by 2"),
    ("docs/other.md", "```\n[no](link.md)\n```", "  ```\n  x\n  ```", "indented fence"),
    ("docs/other.md", "```\n[no](link.md)\n```", "```\n", "not closed"),
    ("docs/two.svg", "></svg>", '><image href="//example.org/x.png"/></svg>', "fetches"),
    ("site/mkdocs.yml", "      - other.md\n", "", "other.md is not in the navigation"),
    ("site/mkdocs.yml", "other.md", "other.md\n      - gone.md", "gone.md is not there"),
    ("site/mkdocs.yml", "other.md", "other.md\n      - other.md", "twice"),
    ("site/theme/main.html", "style.css", "https://example.org/style.css", "fetches"),
]


def run(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = pages.main(root)
        return status, said.getvalue()


status, said = run(GOOD)
assert status == 0, said
for name, before, after, expected in MISTAKES:
    assert before in GOOD[name], (name, before)
    status, said = run({**GOOD, name: GOOD[name].replace(before, after)})
    assert status == 1 and expected in said, (name, after, said)

# (shown, printed, number of lines that differ)
OUTPUTS = [
    (["a", "b"], ["a", "b"], 0),
    (["a", "...", "d"], ["a", "b", "c", "d"], 0),
    (["a", "..."], ["a", "b"], 0),
    (["...", "b"], ["a", "b"], 0),
    (["took 12.5 ms"], ["took 3 ms"], 0),
    (["a"], ["a", "b"], 1),
    (["a", "b"], ["a"], 1),
    (["1.54 cycles"], ["1.55 cycles"], 1),
    (["a", "...", "e"], ["a", "b", "d"], 1),
    (["b", "a"], ["a", "b"], 2),
]
for shown, printed, count in OUTPUTS:
    found = list(outputs.differences(shown, printed, outputs.comparable))
    assert len(found) == count, (shown, printed, found)
page = ["text", "```", "$ one", "1", "$ two", "```", "```sh", "no", "```", "```", "$ three", "3", "```"]
assert list(outputs.blocks(page)) == [(2, 3, 4), (4, 5, 5), (10, 11, 12)], list(outputs.blocks(page))
print(f"{len(MISTAKES)} mistakes found")
