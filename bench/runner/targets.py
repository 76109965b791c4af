#!/usr/bin/env python3
"""The benchmark programs under libmeld on one modelled device after the other, as one table.

    ./dev bench targets gfx90a gfx1030
    build        a build whose programs have code for these processors (MELD_BENCH_ARCHS)
    TARGET       as MELD_GPU takes them

Of each program the original and all of libmeld run side by side, on the same inputs (`meld-bench run --quick`). Ratios are
original / libmeld, above 1 is better. A program that is wrong or fails is named, and the exit status is 1.
"""
import argparse
import json
import math
import os
import subprocess
import sys


def runs_on(target, options):
    command = [os.path.join(options.build, "bin", "meld-bench"), "run", "--quick", "--size", options.size, "--json"]
    done = subprocess.run(command + (["--only", options.only] if options.only else []), capture_output=True, text=True,
                          env={**os.environ, "MELD_GPU": target})
    try:
        return json.loads(done.stdout)["runs"]
    except ValueError:
        sys.exit(f"{target}: no results\n{done.stdout}{done.stderr}")


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


class Column:
    """What came out on one target, by benchmark."""

    def __init__(self, target, runs):
        self.target = target
        self.failed = sorted({f"{run['benchmark']}, {run['configuration']}" for run in runs if not run["pass"]})
        self.ratios, self.replaced = {}, set()
        broken = {run["benchmark"] for run in runs if not run["pass"]}
        for run in runs:
            name = run["benchmark"]
            if run["configuration"] != "libmeld" or name in broken:
                continue
            self.ratios[name] = (run["instructionRatio"], run["cycleRatio"])
            if run["replaced"]:
                self.replaced.add(name)

    def cell(self, name):
        if name not in self.ratios:
            return ["FAIL", ""]
        if name not in self.replaced:
            return ["original", ""]
        return [f"{ratio:.3f}" for ratio in self.ratios[name]]

    def means(self, names):
        return [f"{mean([self.ratios[name][of] for name in names if name in self.ratios]):.3f}" for of in (0, 1)]

    def least(self):
        name = min(self.ratios, key=lambda name: self.ratios[name][1], default=None)
        return f"{self.ratios[name][1]:.3f} ({name})" if name else "-"


def table(columns, names):
    head = [["benchmark"] + [text for column in columns for text in (column.target + " insts", "cycles")]]
    rows = [[name] + [text for column in columns for text in column.cell(name)] for name in names]
    replaced = [name for name in names if any(name in column.replaced for column in columns)]
    foot = [["mean of all"] + [text for column in columns for text in column.means(names)],
            [f"mean of the {len(replaced)} replaced on any"] + [text for column in columns for text in column.means(replaced)]]
    widths = [max(map(len, column)) for column in zip(*head, *rows, *foot)]
    for part in (head, rows, foot):
        if part is not head:
            print("-" * sum(width + 2 for width in widths))
        for row in part:
            print("  ".join([row[0].ljust(widths[0])]
                            + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("targets", nargs="+", metavar="TARGET")
    parser.add_argument("--only", default="", help="benchmarks, programs or a set with this in the name")
    parser.add_argument("--size", default="small", choices=("small", "large", "full"))
    options = parser.parse_args()
    columns, names = [], []
    for target in options.targets:
        if sys.stderr.isatty():
            print(f"{target} ...", file=sys.stderr)
        runs = runs_on(target, options)
        columns.append(Column(target, runs))
        names += [name for name in dict.fromkeys(run["benchmark"] for run in runs) if name not in names]
    table(columns, names)
    print(f"\nOriginal / libmeld, --size {options.size}: instructions of a wave, modelled cycles. original: libmeld kept the original code.")
    for column in columns:
        print(f"{column.target}: {len(column.ratios)} right with both codes, {len(column.replaced)} replaced, "
              f"least in cycles {column.least()}" + "".join(f"\n  FAIL {failed}" for failed in column.failed))
    return any(column.failed for column in columns)


if __name__ == "__main__":
    sys.exit(main())
