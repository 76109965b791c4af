#!/usr/bin/env python3
"""Runs llama.cpp's own test of its operations (test-backend-ops) on the software GPU and counts cases.

It compares what the HIP backend computes with the CPU backend, with bounds that its authors chose. Of
every operation a sample of the smaller cases is run, the same each time; the others count as not run.
What fails is the software GPU's fault until shown otherwise.

  ./dev matrix sid --llama-ops            the default selection, on gfx90a and gfx1100
  ops.py --library DIR --targets gfx1030 --ops MUL_MAT,ROPE --cases 500 --seconds 300
"""
import argparse
import csv
import io
import math
import os
import random
import re
import signal
import subprocess
import sys
import time

PROGRAM = "/usr/libexec/x86_64-linux-gnu/llama.cpp-tests/test-backend-ops"
OPS = """ADD MUL DIV SCALE SQR RMS_NORM NORM L2_NORM GROUP_NORM SOFT_MAX ROPE DIAG_MASK_INF GET_ROWS SET_ROWS CPY CONT CONCAT
REPEAT PAD ARGSORT TOP_K ARGMAX SUM_ROWS CUMSUM MEAN SILU GELU GELU_ERF TANH EXP SIN COS SWIGLU GEGLU MUL_MAT MUL_MAT_ID
OUT_PROD FLASH_ATTN_EXT SSM_CONV SSM_SCAN RWKV_WKV6 RWKV_WKV7 GATED_LINEAR_ATTN IM2COL CONV_2D CONV_TRANSPOSE_1D POOL_2D
UPSCALE SOLVE_TRI CROSS_ENTROPY_LOSS OPT_STEP_ADAMW""".split()
CHUNK = 25  # cases in one process: it starts in a second, and a case without end takes no others with it
LINE = re.compile(r"^\s*(\w+\(.*?\)):(.*)$")
COLORS = re.compile(r"\x1b\[[0-9;]*m")


def environment(args, target):
    return dict(os.environ, LD_PRELOAD=os.path.join(args.library, "libmeld-softgpu.so"), MELD_GPU=target)


def supported(args, target):
    """Cases by operation, of those that the backend says it can do on this target."""
    done = subprocess.run([PROGRAM, "support", "--output", "csv"], env=environment(args, target), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    cases, others = {}, {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["backend_name"].startswith("ROCm"):
            kind = cases if row["supported"] == "1" else others
            kind.setdefault(row["op_name"], []).append(row["op_params"])
    return cases, others


def work(params):
    """About how much there is to compute: the product of the sizes of loops, and of the largest tensor."""
    product, tensor = 1, 1
    for name, value in re.findall(r"(\w+)=(\[[\d,]*\]|\d+)(?=,|$)", params):
        size = math.prod(max(int(x), 1) for x in re.findall(r"\d+", value))
        if re.fullmatch(r"ne\w*", name):
            tensor = max(tensor, size)
        elif re.fullmatch(r"m|n|k|kv|nb|nh|hsk|bs|nr\d*|head_count|head_size|n_seq_tokens", name):
            product *= size
    return product * tensor


class Result:
    def __init__(self, op, total, unsupported):
        self.op, self.total, self.unsupported = op, total, unsupported
        self.ok = self.failed = self.refused = 0
        self.seconds = 0.0
        self.failures = []


def chunk(args, target, op, cases, seconds, result):
    """Runs some cases; returns what was not reached because the time was up."""
    # By lines, so that what was printed is there when it dies or is ended.
    command = ["stdbuf", "-oL", PROGRAM, "test", "-o", ",".join(f"{op}({c})" for c in cases)]
    with subprocess.Popen(command, env=environment(args, target), text=True, errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        late = False
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
    reached, notes = set(), []
    for line in COLORS.sub("", out).splitlines():
        found = LINE.match(line)
        if not found or not found.group(1).startswith(op + "("):
            if "meld-softgpu" in line or "rror" in line or line.startswith("["):
                notes.append(line.strip())
            continue
        name, said = found.group(1), found.group(2)
        # The name is printed before the case runs, what came of it behind it, with messages between them.
        if said.rstrip().endswith("OK"):
            result.ok += 1
        elif "not supported" in said:
            result.refused += 1
        elif "FAIL" in said:
            result.failed += 1
            result.failures.append(f"{name}: {said.strip()[:150]}")
        else:
            notes.append(said.strip())
            continue
        reached.add(name[len(op) + 1:-1])
    left = [c for c in cases if c not in reached]
    if process.returncode not in (0, 1) and not late and left:
        # It died in the first case that it did not finish: that one failed, the others are still to be run.
        result.failed += 1
        result.failures.append(f"{op}({left[0]}): status {process.returncode}: " + " | ".join(notes[-3:])[:300])
        return left[1:], late
    return left if late else [], late


def run(args, target, op, cases, unsupported):
    result = Result(op, len(cases), unsupported)
    drawn = sorted(c for c in cases if work(c) <= args.work)
    random.Random(op).shuffle(drawn)
    drawn = drawn[:args.cases]
    start = time.monotonic()
    while drawn and time.monotonic() - start < args.seconds:
        now, drawn = drawn[:CHUNK], drawn[CHUNK:]
        left, late = chunk(args, target, op, now, args.seconds - (time.monotonic() - start), result)
        if not late:
            drawn = left + drawn
    result.seconds = time.monotonic() - start
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="the folder of libmeld-softgpu.so")
    parser.add_argument("--targets", default="gfx90a,gfx1100")
    parser.add_argument("--ops", default=",".join(OPS))
    parser.add_argument("--cases", type=int, default=100, help="of each operation at the most")
    parser.add_argument("--work", type=float, default=4e6, help="leave out cases that are larger (4e6)")
    parser.add_argument("--seconds", type=float, default=60, help="for each operation")
    args = parser.parse_args()
    if not os.access(PROGRAM, os.X_OK):
        print("there is no " + PROGRAM, file=sys.stderr)
        return 2
    failed = 0
    for target in args.targets.split(","):
        cases, others = supported(args, target)
        if not cases:
            print(f"{target}: no device", file=sys.stderr)
            return 2
        print(f"{target:18} {'cases':>6} {'OK':>6} {'failed':>6} {'not supported':>13} {'not run':>8} {'seconds':>8}")
        results = []
        for op in args.ops.split(","):
            r = run(args, target, op, cases.get(op, []), len(others.get(op, [])))
            results.append(r)
            not_run = r.total - r.ok - r.failed - r.refused
            print(f"{op:18} {r.total + r.unsupported:6} {r.ok:6} {r.failed:6} {r.unsupported + r.refused:13} {not_run:8} "
                  f"{r.seconds:8.1f}", flush=True)
            for failure in r.failures:
                print(f"    FAILED {failure}", flush=True)
        total = [sum(getattr(r, name) for r in results) for name in ("total", "ok", "failed", "unsupported", "refused")]
        print(f"{'all':18} {total[0] + total[3]:6} {total[1]:6} {total[2]:6} {total[3] + total[4]:13} "
              f"{total[0] - total[1] - total[2] - total[4]:8}\n", flush=True)
        failed += total[2]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
