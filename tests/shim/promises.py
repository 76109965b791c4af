#!/usr/bin/env python3
"""Every test that docs/interception.md names stands in the sources: promises.py TREE."""
import pathlib
import re
import sys

tree = pathlib.Path(sys.argv[1])
sources = "".join(f.read_text(errors="replace") for f in (tree / "tests").rglob("*.cpp"))
tests = set(re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", sources))
suites = {suite for suite, _ in tests}
words = set(re.findall(r'"(\w+)"', sources))  # of parameters
table = (tree / "docs/interception.md").read_text().split("## Promise and proof")[1]

checked, missing, suite = 0, [], ""
for row in table.splitlines():
    cells = row.split("|")
    if len(cells) != 4 or cells[1].strip() in ("promise", "---") or set(cells[1]) == {"-"}:
        continue
    for name in re.findall(r"`([^`]+)`", cells[2]):
        if name[0] in "./":  # the suite of the one before
            name = suite + name
        if name.startswith("parsers."):  # registered by tests/parsers/CMakeLists.txt
            continue
        match = re.fullmatch(r"(\w+)([./]?)(\w*\*?)", name)
        suite, kind, what = match.groups() if match else (name, "", "")
        checked += 1
        if kind == ".":
            known = (suite, what) in tests or (what == "*" and suite in suites)
        elif kind == "/":
            known = suite in suites and (what == "*" or what in words)
        else:
            known = any(s.startswith(suite) for s in suites)
        if not known:
            missing.append(f"{name} ({cells[1].strip()})")
print(f"{checked} names, {len(missing)} of them no test")
for name in missing:
    print("  " + name)
sys.exit(1 if missing or checked < 50 else 0)
