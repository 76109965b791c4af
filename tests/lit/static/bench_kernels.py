"""Every program of bench/kernels through hipcc and `meld compile`, and what has to hold of each.

usage: bench_kernels.py HIPCC MELD OBJDUMP KERNELS debug|deterministic|reductions [NAME...]
debug          hipcc -g and hipcc give the same melded machine code; where -g changes what hipcc itself makes, the
               program is named and does not count.
deterministic  ten compiles, each a process of its own with its own addresses, give the same bytes and decisions.
reductions     melding: not one instruction of a reduction changes, except where the estimate falls and no wave is
               lost; LUD with 128 threads, which splits at thread 64, is untouched.
"""
import concurrent.futures
import glob
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

hipcc, meld, objdump, kernels, mode = sys.argv[1:6]
runs = 10
reductions = ["reduction", "lds_reduction"]
untouched = {"lud": "perimeterILj64E"}
workers = min(2, os.cpu_count() or 1)  # what the tests reserve
environment = dict(os.environ, MELD_COMPILE_BUDGET_MS="0")
if mode == "reductions":  # scalarization is for uniform code, too
    environment["MELD_PASSES"] = "no-scalarize"


def build(name, output, *options):
    subprocess.run([hipcc, "--offload-arch=gfx90a", "-O3", "-std=c++17", "-Wno-unused-result", *options, "-Xclang",
                    "-fembed-bitcode=all", "--cuda-device-only", "--no-gpu-bundle-output", "-c",
                    os.path.join(kernels, name + ".hip"), "-o", output], check=True)


def melded(source, output):
    """The report; `output` is the melded code object, or the original one where nothing was melded."""
    ran = subprocess.run([meld, "compile", source, "-o", output, "--format", "json"], env=environment,
                         stdout=subprocess.PIPE)
    report = json.loads(ran.stdout)
    if report["verdict"] == "failed" or report["gate"]:
        raise RuntimeError(f"{source}: {report['verdict']}: {report['reason']} {report['gate']}")
    if report["verdict"] == "unchanged":
        with open(source, "rb") as original, open(output, "wb") as copy:
            copy.write(original.read())
    return report


def code(path):
    """Instructions by kernel; what lies where does not matter."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True,
                          text=True).stdout
    found, lines = {}, []
    for line in text.splitlines():
        if symbol := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            lines = found.setdefault(symbol.group(1), [])
        elif line.startswith("\t"):
            lines.append(re.sub(r"\s*(//.*)?$", "", line).strip())
    return found


def kernel_changes(before, after):
    return [name for name in before if before[name] != after.get(name)]


def check_debug(name, folder):
    plain, plain_g = os.path.join(folder, "plain.co"), os.path.join(folder, "g.co")
    build(name, plain)
    build(name, plain_g, "-g")
    out, out_g = os.path.join(folder, "melded.co"), os.path.join(folder, "melded-g.co")
    report, report_g = melded(plain, out), melded(plain_g, out_g)
    own, differing = kernel_changes(code(plain), code(plain_g)), kernel_changes(code(out), code(out_g))
    count = sum(kernel["melded"] for kernel in report["metadata"]["kernels"])
    # LLVM's scheduler may order the same instructions otherwise where debug values stand.
    one, other = code(out), code(out_g)
    bad = [kernel for kernel in differing
           if kernel not in own and sorted(one[kernel]) != sorted(other.get(kernel, []))]
    lines = [f"{name}: {len(one)} functions, {count} kernels melded, {len(differing)} differ with -g"
             + (f" ({len(own)} already do in hipcc's code)" if own else "")]
    for kernel in differing:
        if kernel not in own:
            lines.append(f"  -g {'changes' if kernel in bad else 'reorders'} {kernel}")
    return not bad, count, lines


def check_deterministic(name, folder):
    plain, out = os.path.join(folder, "plain.co"), os.path.join(folder, "melded.co")
    build(name, plain)
    seen, count = set(), 0
    for _ in range(runs):
        report = melded(plain, out)
        count = sum(kernel["melded"] for kernel in report["metadata"]["kernels"])
        del report["metadata"]["timings"]
        with open(out, "rb") as file:
            seen.add(hashlib.sha256(file.read() + json.dumps(report, sort_keys=True).encode()).hexdigest())
    return len(seen) == 1, count, [f"{name}: {runs} runs, {len(seen)} result(s), {count} kernels melded"]


def check_reduction(name, folder):
    plain, out = os.path.join(folder, "plain.co"), os.path.join(folder, "melded.co")
    build(name, plain)
    report = melded(plain, out)
    changed, good, lines = kernel_changes(code(plain), code(out)), True, []
    for kernel in report["metadata"]["kernels"]:
        before, after = kernel["before"], kernel.get("after") or kernel["before"]
        if name in untouched and untouched[name] not in kernel["name"]:
            continue
        pays = (name not in untouched and after["estimatedCycles"] < before["estimatedCycles"]
                and after["wavesPerSimd"] >= before["wavesPerSimd"])
        same = kernel["name"] not in changed
        lines.append(f"{kernel['name']}: {before['instructions']} -> {after['instructions']} instructions, "
                     f"{'the same' if same else 'changed'}, "
                     f"cycles {before['estimatedCycles']} -> {after['estimatedCycles']}")
        good &= same or pays
    return good, len(changed), lines


checks = {"debug": check_debug, "deterministic": check_deterministic, "reductions": check_reduction}
names = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(kernels, "*.hip")))
if sys.argv[6:]:
    names = sys.argv[6:]
elif mode == "reductions":
    names = reductions + list(untouched)
if mode == "deterministic":
    with open("/proc/sys/kernel/randomize_va_space") as file:
        if file.read().strip() == "0":
            sys.exit("this machine does not randomise addresses: the runs would prove nothing")


def check(name):
    with tempfile.TemporaryDirectory() as folder:
        return checks[mode](name, folder)


failed, total, begin = False, 0, time.monotonic()
with concurrent.futures.ThreadPoolExecutor(workers) as pool:
    for good, count, lines in pool.map(check, names):
        print("\n".join(lines), flush=True)
        failed |= not good
        total += count
print(f"{len(names)} programs, {total} kernels changed, {time.monotonic() - begin:.0f} s with {workers} at a time")
if not names or not total:
    print("nothing is melded: the check cannot fail")
    failed = True
sys.exit(failed)
