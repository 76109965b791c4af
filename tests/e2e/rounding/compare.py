#!/usr/bin/env python3
"""Runs a program as it is, melded, and with all that is legal melded; what it prints must not change.

compare.py MELD PROGRAM [--least N]: with --least at least N kernels must run replaced when forced,
so that the comparison is one."""
import argparse
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("meld")
parser.add_argument("program")
parser.add_argument("--least", type=int, default=1)
arguments = parser.parse_args()


def run(**settings):
    done = subprocess.run(
        [arguments.meld, "run", "--device", "software", "--", arguments.program], capture_output=True, text=True,
        env={**os.environ, "MELD_CACHE": "0", "MELD_COMPILE_BUDGET_MS": "0", "MELD_LOG_LEVEL": "debug", **settings})
    if done.returncode or "compile failed" in done.stderr:
        sys.exit(f"{settings}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.splitlines(), done.stderr


plain, _ = run(MELD_DISABLE="1")
wrong = 0
for title, settings in (("melded", {}), ("forced", {"MELD_FORCE": "1"})):
    lines, log = run(**settings)
    replaced = len(set(re.findall(r"debug: kernel (\S+): better:", log)))
    alone = len(re.findall(r"left alone: its floating point", log))
    print(f"{title}: {replaced} kernels replaced, {alone} left alone for their floating point")
    for before, after in zip(plain, lines):
        if before != after:
            wrong += 1
            print(f"{title}: {before} became {after}")
    if len(plain) != len(lines) or not plain:
        sys.exit(f"{title}: {len(plain)} lines became {len(lines)}")
if wrong or replaced < arguments.least:
    sys.exit("FAIL")
print("PASS")
