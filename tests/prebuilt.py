#!/usr/bin/env python3
"""Runs Debian's prebuilt test programs of the ROCm libraries on the software GPU and counts cases.

They were written and compiled elsewhere, for real devices: whatever they find is the software GPU's
fault until shown otherwise. Each program gets --seconds; cases it did not reach count as not run.
rocSPARSE and rocSOLVER have one program each with hundreds of thousands of cases: of each of its quick
suites a few are taken, evenly, and each sixth of the suites is a process of its own.

  ./dev matrix trixie --prebuilt                 all of them, 20 s each
  ./dev matrix trixie --prebuilt=warp,60         those with "warp" in the name, 60 s each
  ./dev matrix sid --prebuilt=,20,gfx1030        on another target
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

PACKAGES = ["librocprim-tests", "libhipcub-tests", "librocthrust-tests", "librocrand1-tests",
            "libhiprand1-tests", "librocsparse1-tests", "librocsolver0-tests"]
NOT_GOOGLETEST = {"librocthrust-tests"}  # the exit status of each is a case
# Of these a sample of the suites whose names start so.
SAMPLED = {"rocsparse-test": "quick/", "rocsolver-test": "checkin_lapack/"}
PARTS = 6
# Not of the sample: their matrices are not in Debian's package; and a host reference that breaks its own heap before
# the device is asked for anything.
LEFT_OUT = ("checkin_lapack/CSRRF_", "quick/csrgemm_reuse.extra/")
ROOT = "/usr/libexec/rocm"


class Result:
    """Of one program."""

    def __init__(self, package, name):
        self.package, self.name = package, name
        self.total = self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0
        self.note = ""
        self.failures, self.said = [], []

    @property
    def not_run(self):
        return max(self.total - self.passed - self.failed - self.skipped, 0)


def cases(text):
    """Names that --gtest_list_tests lists."""
    found, suite = [], ""
    for line in text.splitlines():
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if line.startswith("  "):
            if suite and not line.strip().startswith("DISABLED_"):
                found.append(suite + line.strip())
        else:
            suite = line if line.endswith(".") and " " not in line else ""
    return found


def listed(program, env, which="*", seconds=60):
    return cases(subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + which],
                                env=env, text=True, timeout=seconds,
                                stdin=subprocess.DEVNULL, capture_output=True,
                                errors="replace").stdout)


def sample(package, name, count, env):
    """Parts of a program of SAMPLED, `count` cases of each suite."""
    suites = {}
    for case in listed(os.path.join(ROOT, package, name), env, SAMPLED[name] + "*", 600):
        if case.startswith(SAMPLED[name]) and not case.startswith(LEFT_OUT):
            suites.setdefault(case.split(".")[0], []).append(case)
    parts = [[] for _ in range(PARTS)]
    for i, these in enumerate(suites.values()):
        step = max(len(these) // count, 1)
        parts[i % PARTS] += these[step // 2::step][:count]
    return [(package, name, part) for part in parts if part]


def run(package, name, chosen, seconds, env):
    r = Result(package, name)
    program = os.path.join(ROOT, package, name)
    try:
        if package not in NOT_GOOGLETEST:
            r.total = len(chosen or listed(program, env))
    except subprocess.TimeoutExpired:
        r.note = "does not list its cases"
    start = time.monotonic()
    options = ["--gtest_color=no"] + (["--gtest_filter=" + ":".join(chosen)] if chosen else [])
    with subprocess.Popen([program] + options, env=env, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as p:
        try:
            out, _ = p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            out, _ = p.communicate()
            r.note = "time is up"
    r.seconds = time.monotonic() - start
    r.passed = len(re.findall(r"^\[       OK \] ", out, re.M))
    r.skipped = len(re.findall(r"^\[  SKIPPED \] [^\n]*\(\d+ ms\)", out, re.M))
    r.failures = re.findall(r"^\[  FAILED  \] ([^\n]*?)(?:, where [^\n]*)? \(\d+ ms\)", out, re.M)
    if not r.note and p.returncode < 0:  # died in a case: that one failed
        r.note = f"signal {-p.returncode}: " + (out.strip().splitlines() or ["no output"])[-1][:100]
        started = re.findall(r"^\[ RUN      \] (\S+)", out, re.M)
        if started:
            r.failures.append(started[-1])
    r.failed = len(r.failures)
    r.said = re.findall(r"^[^\n]*: Failure\n(?:(?!\[)[^\n]*\n){1,12}", out, re.M)[:1]
    if not r.total:  # not googletest
        r.total = 1
        r.passed, r.failed = (0, 0) if r.note else (int(p.returncode == 0), int(p.returncode != 0))
    return r


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="libmeld-softgpu.so")
    parser.add_argument("--seconds", type=float, default=20, help="for each program")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--cpu", default="", help="the software GPU's target (its default: gfx90a)")
    parser.add_argument("--sample", type=int, default=3,
                        help="cases of each suite of rocSPARSE and rocSOLVER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    programs = [(p, n) for p in PACKAGES if os.path.isdir(os.path.join(ROOT, p))
                for n in sorted(os.listdir(os.path.join(ROOT, p)))
                if (n.startswith("test_") or n in SAMPLED) and args.only in n]
    if not programs:
        print("no prebuilt test programs found in " + ROOT, file=sys.stderr)
        return 2
    env = dict(os.environ, LD_PRELOAD=args.library, **({"MELD_GPU": args.cpu} if args.cpu else {}))
    parts = []
    for package, name in programs:
        parts += (sample(package, name, args.sample, env) if name in SAMPLED
                  else [(package, name, [])])
    results = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(run, p, n, c, args.seconds, env) for p, n, c in parts]
        for done in concurrent.futures.as_completed(waiting):
            r = done.result()
            results.append(r)
            print(f"{r.package:20} {r.name:52} {r.passed:5} passed {r.failed:4} failed "
                  f"{r.skipped:3} skipped {r.not_run:5} not run  {r.seconds:5.1f} s  {r.note}",
                  flush=True)
            for f in r.failures:
                print(f"    FAILED {f}", flush=True)
            for line in "".join(r.said).splitlines():
                print("      " + line, flush=True)
    print(f"\n{'package':20} {'programs':>8} {'cases':>7} {'passed':>7} {'failed':>7} {'skipped':>7} "
          f"{'not run':>7}")
    for package in PACKAGES + ["all"]:
        mine = [r for r in results if package in (r.package, "all")]
        if mine:
            print(f"{package:20} {len({r.name for r in mine}):8} {sum(r.total for r in mine):7} "
                  f"{sum(r.passed for r in mine):7} {sum(r.failed for r in mine):7} "
                  f"{sum(r.skipped for r in mine):7} {sum(r.not_run for r in mine):7}")
    return 1 if any(r.failed for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
