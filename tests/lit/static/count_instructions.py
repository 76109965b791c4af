"""Counts the instructions of one HIP kernel after -O3 with the passes, for several block sizes.

usage: count_instructions.py HIPCC LLVM_BIN PLUGIN SOURCE N:LIMIT...
Fails when a count is above its limit, or when the passes change nothing.
"""
import os
import re
import subprocess
import sys
import tempfile

hipcc, llvm_bin, plugin, source = sys.argv[1:5]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def tool(name):
    return os.path.join(llvm_bin, name)


def count(bitcode, options, folder):
    optimised = os.path.join(folder, "optimised.bc")
    run(tool("opt"), *options, "-passes=default<O3>", bitcode, "-o", optimised)
    assembly = run(tool("llc"), "-O3", optimised, "-o", "-").decode()
    body = re.search(r"^kernel:.*?^\.Lfunc_end", assembly, re.S | re.M).group(0)
    return len(re.findall(r"^\s+(?:[sv]_|ds_|global_|flat_|buffer_)", body, re.M))


failed = False
for item in sys.argv[5:]:
    size, limit = map(int, item.split(":"))
    with tempfile.TemporaryDirectory() as folder:
        device, bitcode = os.path.join(folder, "k.o"), os.path.join(folder, "k.bc")
        run(hipcc, "--offload-arch=gfx900", "-O3", f"-DN={size}", "-Xclang", "-fembed-bitcode=all",
            "--cuda-device-only", "--no-gpu-bundle-output", "-c", source, "-o", device)
        run(tool("llvm-objcopy"), f"--dump-section=.llvmbc={bitcode}", device, os.devnull)
        plain = count(bitcode, [], folder)
        melded = count(bitcode, ["-load-pass-plugin", plugin], folder)
        print(f"{size} threads: {plain} -> {melded} (limit {limit})")
        failed |= melded > limit or melded >= plain
sys.exit(failed)
