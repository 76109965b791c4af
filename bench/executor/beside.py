#!/usr/bin/env python3
"""Two builds of the executor's speed table beside each other.

  beside.py OTHER NEW --target gfx1030 --other-target gfx90a

The executables take turns, a class and a way to execute at a time, so that what else the machine does
falls on both. Given is NEW's speed over OTHER's, instructions of a lane in a second, which for waves of
half the lanes at the same rate is 0.5: of the best run of each, as what else a machine does only slows,
and the median over the pairs. Where the two are far apart, the machine is not quiet. A kernel is what
each build has: the same source, compiled for each target.
"""
import argparse
import statistics
import subprocess
import sys

CLASSES = "alu f64 linear strided mixed gather lds divergent scratch scalar".split()
WAYS = ["timing", "translated", "interpreter"]


def lanes(target):
    return 64 if target.startswith("gfx9") or target.endswith("-wave64") else 32


def rate(executable, target, kernel, way, seconds):
    """Million wave instructions in a second."""
    command = [executable, "--target", target, "--class", kernel, "--way", way, "--seconds", str(seconds)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.stderr:  # such as that nothing was translated, and the number is the interpreter's
        sys.exit(f"{' '.join(command)}: {run.stderr.strip()}")
    for line in run.stdout.splitlines():
        fields = line.split()
        if len(fields) > 1 and fields[0] == kernel:
            return float(fields[1])
    sys.exit(f"{' '.join(command)}: no number")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="executable of the build to compare with")
    parser.add_argument("new", help="executable of this build")
    parser.add_argument("--target", nargs="+", default=["gfx1030", "gfx1100"])
    parser.add_argument("--other-target", default="gfx90a")
    parser.add_argument("--way", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--class", dest="kernels", nargs="+", choices=CLASSES, default=CLASSES)
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each number of a pair")
    args = parser.parse_args()
    if args.pairs < 1:
        parser.error("--pairs: at least 1")

    width = max(len(t) for t in args.target + ["target"])
    print(f"per lane, over {args.other_target} of {args.other}; {args.pairs} pairs")
    print(f"{'way':<11}  {'target':<{width}}  {'':<6}" + "".join(f"  {k:>9}" for k in args.kernels))
    for way in args.way:
        for target in args.target:
            part = lanes(target) / lanes(args.other_target)
            medians = []
            print(f"{way:<11}  {target:<{width}}  {'best':<6}", end="", flush=True)
            for kernel in args.kernels:
                before, after = [], []
                for _ in range(args.pairs):
                    before.append(rate(args.other, args.other_target, kernel, way, args.seconds))
                    after.append(rate(args.new, target, kernel, way, args.seconds))
                medians.append(statistics.median(n / o for o, n in zip(before, after)) * part)
                print(f"  {max(after) / max(before) * part:>9.2f}", end="", flush=True)
            print(f"\n{'':<11}  {'':<{width}}  {'median':<6}" + "".join(f"  {m:>9.2f}" for m in medians))


if __name__ == "__main__":
    main()
