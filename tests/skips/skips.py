#!/usr/bin/env python3
"""How many tests there were, and why some did not run: what `./dev test` and `./dev matrix` end with.

usage: skips.py FILE    FILE: what ctest --output-junit wrote

GoogleTest's reason is what stands between "FILE:LINE: Skipped" and the line that ends the test; another program's is the
last line that it printed. Exit code 2 when the file cannot be read.
"""
import re
import sys
import xml.etree.ElementTree

PLACE = re.compile(r"^\S+:\d+: Skipped$")
FEW = 3  # tests that are named, of those with the same reason


def reason(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for i, line in enumerate(lines):
        if PLACE.match(line):
            said = []
            for more in lines[i + 1:]:
                if more.startswith("["):
                    break
                said.append(more)
            return " ".join(said) or "no reason given"
    lines = [line for line in lines if not re.match(r"^\[[ =\-A-Z]+\]", line)]
    return lines[-1] if lines else "no reason given"


def summary(suite):
    ran = failed = 0
    skipped = {}
    for case in suite.iter("testcase"):
        status, name = case.get("status"), case.get("name")
        if status == "disabled":
            skipped.setdefault("disabled: started by other tests, or by hand", []).append(name)
        elif status == "notrun":
            skipped.setdefault(reason(case.findtext("system-out") or ""), []).append(name)
        else:
            ran += 1
            failed += status == "fail"
    count = sum(map(len, skipped.values()))
    lines = [f"tests: {ran} ran, {failed} failed, {count} did not run" + (":" if count else "")]
    for why, names in sorted(skipped.items(), key=lambda item: (-len(item[1]), item[0])):
        more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        lines.append(f"  {len(names):4}  {why}  ({', '.join(names[:FEW])}{more})")
    return "\n".join(lines)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(summary(xml.etree.ElementTree.parse(arguments[0])))
    except (OSError, xml.etree.ElementTree.ParseError) as error:
        print(f"skips.py: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
