#!/usr/bin/env python3
"""Programs that others wrote, compiled unchanged but for smaller sizes, on the software GPU: right, and how much libmeld gains.

    git clone https://github.com/zjin-lcf/HeCBench
    git clone https://github.com/ROCm/rocm-examples
    tests/others/run.py build --hecbench HeCBench --examples rocm-examples gfx90a gfx1030

Each program (programs.py) is compiled once for all targets, with hipcc, -O3 and embedded bitcode, and run on each target in three
ways: as it is, under libmeld with what its static estimate chooses, and under libmeld with all that is legal melded, on translated
code. All three have to end with status 0 and to print and write the same, but for lines with times. The table has instructions
and modelled cycles of the programs' own kernels, original / libmeld (above 1 is better), of the programs of which code was replaced.

Exit status: 0 all right; 1 something differs or fails, each named; 2 a collection is not there, or not as programs.py knows it.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import programs

# Lines with these differ between two runs of the same code.
TIMES = re.compile(r"^\d{13} |time|second|performance|\d s\b|\((s|ms|us|ns)\)|\b(ms|us)\b|throughput|bandwidth|speed|/s\b|flops", re.IGNORECASE)
# ROCr's own, which copies and fills: not the programs', and more of them where code is replaced.
RUNTIMES = re.compile(r"^(__amd_rocclr_|kernel@0x)")
WAYS = {
    "plain": (["--plain", "--timing"], {}),
    "libmeld": (["--timing"], {"MELD_ADAPT": "static"}),
    "forced": ([], {"MELD_ADAPT": "static", "MELD_FORCE": "1", "MELD_GPU_TRANSLATE": "always"}),
}


class Failed(Exception):
    """Of one program; what is said of it."""


class Unknown(Exception):
    """A collection that is not as programs.py knows it."""


def copied(program, collection, where):
    """The program's folder, with those beside it that it names, as `edits` want it; and the files that it reads."""
    shutil.rmtree(where, ignore_errors=True)
    folder = os.path.join(where, program.folder)
    beside = [os.path.normpath(os.path.join(program.folder, name))
              for name in {*program.includes, *map(os.path.dirname, program.sources)} if name.startswith("..")]
    for name in {program.folder, *beside}:
        source = os.path.join(collection, name)
        if name == program.folder and not os.path.isdir(source):
            raise Unknown(f"{source}: no such folder; is this the collection?")
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(where, name), dirs_exist_ok=True)
    for file, old, new in program.edits:
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8", errors="surrogateescape") as opened:
            text = opened.read()
        if old not in text:
            raise Unknown(f"{program.name}: {file} has no \"{old}\" to make smaller")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as opened:
            opened.write(text.replace(old, new))
    return folder


def compile_for(program, folder, options):
    command = ["hipcc", "-O3", "-w", "-std=c++17", "-x", "hip", "-Xclang", "-fembed-bitcode=all"]
    command += [f"--offload-arch={target}" for target in options.targets]
    command += [f"-I{os.path.join(folder, name)}" for name in program.includes] + list(program.sources) + ["-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed("does not compile: " + next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[-300:]))


def same_but_for_times(output):
    return [line for line in output.splitlines() if not TIMES.search(line)]


def written(folder):
    """What the program left in its folder."""
    files = {}
    for where, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(where, name), "rb") as file:
                files[os.path.relpath(os.path.join(where, name), folder)] = hashlib.sha256(file.read()).hexdigest()
    return files


class Run:
    """One program, one target, one way."""

    def __init__(self, program, folder, target, way, options):
        here = os.path.join(folder, f"run-{target}-{way}", "in")
        os.makedirs(here)
        for make in program.inputs:
            make(here)
        arguments, settings = WAYS[way]
        counters = os.path.join(here, "..", "counters.json")
        command = [os.path.join(options.build, "bin", "meld"), "run", "--device", "software", "--counters", counters,
                   *arguments, "--", os.path.join(folder, "program"), *program.arguments.split()]
        env = {**os.environ, "MELD_GPU": target, "MELD_CACHE": "0", "MELD_COMPILE_BUDGET_MS": "0", "MELD_COMPILE_WAIT": "0", **settings}
        try:
            done = subprocess.run(command, cwd=here, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=options.seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"{way}: not finished in {options.seconds} s") from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise Failed(f"{way}: status {done.returncode}: " + (said[-1] if said else "nothing said"))
        self.output, self.files = same_but_for_times(done.stdout), written(here)
        with open(counters, encoding="utf-8") as file:
            dispatches = [one for one in json.load(file)["dispatches"] if not RUNTIMES.match(one["kernel"])]
        self.kernels = {one["kernel"] for one in dispatches}
        self.replaced = {one["kernel"] for one in dispatches if one["replaced"]}
        self.instructions = sum(one["counters"]["SQ_INSTS"] for one in dispatches)
        self.cycles = sum(one["cycles"] for one in dispatches)


class Pair:
    """One program on one target."""

    def __init__(self, program, folder, target, options):
        self.program, self.target, self.wrong = program, target, ""
        try:
            runs = {way: Run(program, folder, target, way, options) for way in WAYS}
        except Failed as failed:
            self.wrong = str(failed)
            return
        plain, libmeld, forced = runs["plain"], runs["libmeld"], runs["forced"]
        for way, run in [] if program.follows_order else runs.items():
            if run.output != plain.output:
                was, now = next((pair for pair in itertools.zip_longest(plain.output, run.output) if pair[0] != pair[1]))
                self.wrong = f"{way}: prints {now!r} instead of {was!r}"
            elif run.files != plain.files:
                self.wrong = f"{way}: writes something else: " + ", ".join(
                    sorted({name for name, _ in run.files.items() ^ plain.files.items()}))
        if not plain.kernels:
            self.wrong = "ran no kernel"
        self.kernels, self.forced = len(plain.kernels), len(forced.replaced)
        self.replaced = len(libmeld.replaced)
        self.ratios = (plain.instructions / max(libmeld.instructions, 1), plain.cycles / max(libmeld.cycles, 1))


def of_program(program, options):
    collection = options.examples if program in programs.EXAMPLES else options.hecbench
    where = os.path.join(options.scratch, program.name.replace(" ", "_"))
    folder = copied(program, collection, where)
    pairs = []
    try:
        compile_for(program, folder, options)
        pairs = [Pair(program, folder, target, options) for target in options.targets]
    except Failed as failed:
        return program, pairs, str(failed)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    return program, pairs, ""


def table(target, pairs):
    right = [pair for pair in pairs if pair.target == target and not pair.wrong]
    replaced = sorted((pair for pair in right if pair.replaced), key=lambda pair: pair.ratios[1])
    print(f"\n{target}: {len(right)} programs right, {len(replaced)} with replaced kernels; forced, "
          f"{sum(pair.forced for pair in right)} of {sum(pair.kernels for pair in right)} kernels replaced")
    for pair in replaced:
        print(f"  {pair.program.name:30} instructions {pair.ratios[0]:.3f}  cycles {pair.ratios[1]:.3f}")
    if replaced:
        print(f"  {'geometric mean':30} instructions {statistics.geometric_mean([pair.ratios[0] for pair in replaced]):.3f}"
              f"  cycles {statistics.geometric_mean([pair.ratios[1] for pair in replaced]):.3f}")


def run(chosen, options):
    """What came out of each program on each target, and what was wrong."""
    pairs, wrong = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, done, failed in pool.map(functools.partial(of_program, options=options), chosen):
            pairs += done
            wrong += [f"{program.name}: {failed}"] if failed else []
            wrong += [f"{program.name} on {pair.target}: {pair.wrong}" for pair in done if pair.wrong]
            print(f"{program.name}: " + (failed or ", ".join(f"{pair.target} " + (pair.wrong or "right") for pair in done)), flush=True)
    return pairs, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="a build of libmeld")
    parser.add_argument("targets", nargs="+", metavar="TARGET", help="as hipcc takes it")
    parser.add_argument("--hecbench", metavar="DIR", help="a checkout of HeCBench")
    parser.add_argument("--examples", metavar="DIR", help="a checkout of rocm-examples")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name this matches")
    parser.add_argument("--seconds", type=float, default=300, help="for one run of a program (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time (default: %(default)s)")
    parser.add_argument("--scratch", default="/tmp/meld-others", metavar="DIR", help="for copies (default: %(default)s)")
    options = parser.parse_args()
    for name in ("hecbench", "examples", "build", "scratch"):
        setattr(options, name, getattr(options, name) and os.path.abspath(getattr(options, name)))
    chosen = [program for program in (programs.HECBENCH if options.hecbench else []) + (programs.EXAMPLES if options.examples else [])
              if re.search(options.only, program.name)]
    if not chosen:
        parser.error("no program: give --hecbench or --examples, and an --only that matches")
    try:
        pairs, wrong = run(chosen, options)
    except Unknown as problem:
        print(problem, file=sys.stderr)
        return 2
    for target in options.targets:
        table(target, pairs)
    for line in wrong:
        print("WRONG", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
