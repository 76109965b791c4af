#!/usr/bin/env python3
"""Every test that docs/interception.md names is one that ctest runs: promises.py TREE BUILD CTEST."""
import json
import pathlib
import re
import subprocess
import sys

tree, build, ctest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
listed = json.loads(
    subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True).stdout
)
# "Suite.test", "Instance/Suite.test/parameter", or a name of its own kind.
tests = [test["name"].split(" ")[0] for test in listed["tests"]]
shape = re.compile(r"(?:\w+/)?(\w+)\.(\w+)(?:/(\w+))?")
parsed = [match.groups() for match in map(shape.fullmatch, tests) if match]

table = (tree / "docs/interception.md").read_text().split("## Promise and proof")[1]
checked, missing, suite = 0, [], ""
for row in table.splitlines():
    cells = row.split("|")
    if len(cells) != 4 or cells[1].strip() in ("promise", "---") or set(cells[1]) == {"-"}:
        continue
    for name in re.findall(r"`([^`]+)`", cells[2]):
        if name[0] in "./":  # the suite of the one before
            name = suite + name
        checked += 1
        if name.endswith("*") and name.count(".") > 1:  # parsers.inputs.*
            known = any(test.startswith(name[:-1]) for test in tests)
        else:
            match = re.fullmatch(r"(\w+)([./]?)(\w*\*?)", name)
            suite, kind, what = match.groups() if match else (name, "", "")
            if kind == ".":
                known = any(s == suite and what in (t, "*") for s, t, _ in parsed)
            elif kind == "/":
                known = any(s == suite and p and what in (p, "*") for s, _, p in parsed)
            else:  # Guard*
                known = name.endswith("*") and any(s.startswith(suite) for s, _, _ in parsed)
        if not known:
            missing.append(f"{name} ({cells[1].strip()})")
print(f"{checked} names, {len(missing)} of them no test")
for name in missing:
    print("  " + name)
sys.exit(1 if missing or checked < 50 else 0)
