#!/usr/bin/env python3
"""Pictures and tables in comments that a formatter has broken.

Where a formatter has wrapped a line of a picture, its last words stand alone on the next line, as far in as the line
began, with the picture going on below them:

    //        D                     D                         the left side gets the region's shape: B
    //        where
    //      /   \\                 /   \\                       it fits best, the rest empty, every branch

usage: pictures.py FILE...     Exit code 1 when there are such lines; each is printed.
"""
import re
import sys

SHORT = 24   # what is left of a wrapped line
LIMIT = 100  # ColumnLimit of .clang-format: the line above had no room for it


def broken(lines):
    comments = [re.match(r"^\s*(?:///?<?|\*)( +)(\S.*)$", line) for line in lines]
    for i in range(1, len(lines)):
        before, here = comments[i - 1], comments[i]
        if not before or not here or len(before[1]) < 2 or before[1] != here[1]:
            continue
        columns = re.search(r"\S {3,}\S", before[2])  # a picture, or a table's columns
        rest = len(here[2]) <= SHORT and not re.search(r" {2,}|[|/\\+]|->|:", here[2])
        if columns and rest and len(lines[i - 1]) + 1 + len(here[2]) > LIMIT:
            yield i + 1


def main(files):
    found = 0
    for name in files:
        with open(name, errors="replace") as file:
            lines = file.read().split("\n")
        for number in broken(lines):
            found += 1
            print(f"{name}:{number}: broken off the line above: {lines[number - 1].strip()}")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    sys.exit(main(sys.argv[1:]))
