#!/usr/bin/env python3
"""Runs what build.py --cases has written on an NVIDIA GPU: each benchmark, every kernel in every form.

    run.py FOLDER [--out results.json] [--only NAME] [--rounds 20] [--jobs N]
    run.py --table results.json            the table of an earlier run; --markdown: for a document
    run.py --table results.json --sets     what it comes to, by set; --second FILE: another run beside it

A program checks what its kernels compute against its host reference (plain form); the other forms have to
leave all memory as the plain one does, bit for bit; their times are taken in turns (measured.h). Python 3
and the CUDA driver are all that the machine needs. Programs run side by side, their launches one at a time.
Exit status: 0, 1 when something is wrong, 77 where there is no GPU.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import about, markdown, table, wrong
from summary import beside, sets


def run_case(folder, case, options):
    result = Path(options.out).resolve().parent / (case["manifest"] + ".result")
    result.unlink(missing_ok=True)
    env = {**os.environ, "NVPTX_FORMS": str(folder / case["manifest"]), "NVPTX_RESULT": str(result),
           "NVPTX_ROUNDS": str(options.rounds), "NVPTX_LOCK": str(folder / "turn.lock")}
    os.chmod(folder / case["program"], 0o755)
    begin = time.monotonic()
    try:
        done = subprocess.run([folder / case["program"], *case["arguments"]], env=env, text=True,
                              capture_output=True, timeout=options.timeout)
        status, output = done.returncode, (done.stdout + done.stderr)[-400:]
    except subprocess.TimeoutExpired:
        status, output = 124, f"not done after {options.timeout} s"
    try:
        measured = json.loads(result.read_text()) if result.exists() else {}
    except ValueError:
        measured, status, output = {}, status or 1, output + f"\n{result.name} is no JSON"
    result.unlink(missing_ok=True)
    print(f"{case['benchmark']}: {'ok' if status == 0 else output.strip()}"
          f" ({time.monotonic() - begin:.0f} s)", file=sys.stderr)
    return {**case, "kernelsExpected": case["kernels"], "status": status, "output": "" if status == 0 else output, **measured}


def measure(options):
    folder = Path(options.folder).resolve()
    cases = [c for c in json.loads((folder / "cases.json").read_text()) if options.only in c["benchmark"]]
    if not cases:
        sys.exit(f"no benchmark of {folder} has '{options.only}' in its name")
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda c: run_case(folder, c, options), cases))
    if results and all(r["status"] == 77 for r in results):
        sys.exit(77)
    whole = {"date": datetime.date.today().isoformat(), "benchmarks": results}
    Path(options.out).write_text(json.dumps(whole))
    return whole


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", help="what build.py --cases has written")
    parser.add_argument("--out", default="results.json", help="the file that is written")
    parser.add_argument("--only", default="", help="benchmarks with this in their name")
    parser.add_argument("--rounds", type=int, default=20, help="times of each form")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one program")
    parser.add_argument("--table", help="a file of an earlier run, instead of running")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--sets", action="store_true", help="what the run comes to, by set of benchmarks")
    parser.add_argument("--second", metavar="FILE", help="a second run on the same device: what choosing by the first comes to in it")
    options = parser.parse_args()
    if not options.folder and not options.table:
        parser.error("FOLDER or --table")
    whole = json.loads(Path(options.table).read_text()) if options.table else measure(options)
    if options.sets or options.second:
        print("\n".join([about(whole), "", *sets(whole), *(beside(whole, json.loads(Path(options.second).read_text())) if options.second else [])]))
    else:
        print(markdown(whole) if options.markdown else table(whole))
    bad = wrong(whole)
    for line in bad:
        print(line, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
