#!/usr/bin/env python3
"""One line a target: does code arrive, in every way there is, on the ROCm and LLVM of this root?

Runs the tests Arrivals* of a build on each target that the build's programs are for (gfx90a, gfx1030, MELD_E2E_TARGETS), and
prints a table of what passed. `./dev matrix table` does it on the host and in every root that has a build.

exit 0 all passed, 1 something failed, 2 wrong usage.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Column: which of the tests' parameters or names belong to it.
WAYS = {
    "executable": r"(static|secondUnit|streams|globals|initialValues|dynamicLds|pointers|recursion|printf|cooperative|graph"
                  r"|threads|forkBefore|forkAfter|exec|exitFromThread)$",
    "module": r"module(File|Data|Twice)$",
    "library": r"library(Twice)?$",
    "hiprtc": r"hiprtc(Math|Errors)?$",
    "-fgpu-rdc": r"RelocatableCode",
    "compressed": r"CompressedBundle$",
    "generic": r"GenericTarget$",
    "SPIR-V": r"BundleWithSpirv$",
    "versions": None,  # those of ServedArrivals
}


def text_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def cache_entry(build, name):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        for line in cache:
            if line.startswith(name + ":"):
                return line.split("=", 1)[1].strip()
    return ""


def versions(build):
    hip = re.search(r"HIP version: *([0-9.]+)", text_of([cache_entry(build, "MELD_HIPCC") or "hipcc", "--version"]))
    llvm = re.search(r"LLVM[_-]?v?(\d+)|llvm-(\d+)", cache_entry(build, "LLVM_DIR"))
    return (hip.group(1).rstrip(".") if hip else "?"), (llvm.group(1) or llvm.group(2) if llvm else "?")


def name_of_root():
    with open("/etc/os-release", encoding="utf-8") as release:
        names = dict(line.rstrip("\n").replace('"', "").split("=", 1) for line in release if "=" in line)
    return names.get("VERSION_CODENAME", "?")


def way_of(suite, name):
    if "ServedArrivals" in suite:
        return "versions"
    for way, pattern in WAYS.items():
        if pattern and re.match(pattern, name.split("/")[-1]):
            return way
    return None


def run(build, target, leave_out):
    """{way: [passed, skipped, failed]}, and the names of those that failed."""
    counts = {way: [0, 0, 0] for way in WAYS}
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        names = "*Arrivals*" + ("-" + ":".join("*" + part + "*" for part in leave_out) if leave_out else "")
        subprocess.run(
            [os.path.join(build, "bin", "arrivals_test"), "--gtest_filter=" + names, "--gtest_output=json:" + report],
            env=dict(os.environ, ARRIVALS_GPU=target), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(report):
            return counts, ["arrivals_test did not end"]
        with open(report, encoding="utf-8") as file:
            suites = json.load(file)["testsuites"]
    for suite in suites:
        for test in suite["testsuite"]:
            if test["status"] == "NOTRUN":
                continue
            way = way_of(suite["name"], test["name"])
            if way is None:
                failed.append(f"{suite['name']}.{test['name']}: in no column of the table")
                continue
            kind = 2 if test.get("failures") else 1 if test["result"] == "SKIPPED" else 0
            counts[way][kind] += 1
            if kind == 2:
                failed.append(f"{suite['name']}.{test['name']}")
    return counts, failed


def cell(passed, skipped, failed):
    if not passed + failed:
        return "-"
    return f"{passed}" if not failed else f"{passed} of {passed + failed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", help="a build with bin/arrivals_test")
    parser.add_argument("--heading", action="store_true", help="print the table's heading, too")
    parser.add_argument("--leave-out", action="append", default=[], metavar="PART", help="tests with this in their name")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(options.build, "bin", "arrivals_test")):
        parser.error(f"{options.build}: has no bin/arrivals_test")
    form = "{:<9} {:<10} {:<5} {:<9}" + "".join(" {:>%d}" % max(len(way), 8) for way in WAYS)
    if options.heading:
        print(form.format("root", "HIP", "LLVM", "target", *WAYS), flush=True)
    hip, llvm = versions(options.build)
    with open(os.path.join(options.build, "bin", "hip", "arrivals"), "rb") as program:
        targets = sorted(set(re.findall(rb"amdgcn-amd-amdhsa--(gfx[0-9a-f]+)\b", program.read())))
    status = 0
    for target in (target.decode() for target in targets):
        counts, failed = run(options.build, target, options.leave_out)
        print(form.format(name_of_root(), hip, llvm, target, *(cell(*counts[way]) for way in WAYS)), flush=True)
        for name in failed:
            print(f"  failed: {name}", file=sys.stderr, flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
