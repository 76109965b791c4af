"""Compares the machine code of a HIP file's kernels with and without the passes.

usage: compare_kernels.py HIPCC LLVM_BIN PLUGIN SOURCE CPU [-DNAME=VALUE...] same:REGEX... changed:REGEX...
The regular expressions are matched against mangled kernel names; each must match at least one kernel.
The passes are the melding ones: scalarization changes what is uniform, too.
"same": not one instruction differs. "changed": at least one does (so that "same" is known to be able to fail).
"""
import os
import re
import subprocess
import sys
import tempfile

hipcc, llvm_bin, plugin, source, cpu = sys.argv[1:6]
defines = [word for word in sys.argv[6:] if word.startswith("-D")]
claims = [word.split(":", 1) for word in sys.argv[6:] if not word.startswith("-D")]
# What hipcc hands to LLVM: everything is inlined first, so that a device function's arguments are what the kernel has.
hip = ["-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false"]


melding = {**os.environ, "MELD_PLUGIN_OPTIONS": "no-scalarize"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, env=melding).stdout


def tool(name):
    return os.path.join(llvm_bin, name)


def kernels(bitcode, options, folder):
    optimised = os.path.join(folder, "optimised.bc")
    run(tool("opt"), *options, *hip, "-passes=default<O3>", bitcode, "-o", optimised)
    assembly = run(tool("llc"), "-O3", f"-mcpu={cpu}", optimised, "-o", "-").decode(errors="replace")
    bodies = {}
    for match in re.finditer(r"^(\w+):\s*; @.*?^\.Lfunc_end", assembly, re.S | re.M):
        code = re.findall(r"^\s+((?:[sv]_|ds_|global_|flat_|buffer_|scratch_).*?)\s*(?:;.*)?$", match.group(0), re.M)
        bodies[match.group(1)] = code
    return bodies


failed = False
with tempfile.TemporaryDirectory() as folder:
    device, bitcode = os.path.join(folder, "k.o"), os.path.join(folder, "k.bc")
    run(hipcc, f"--offload-arch={cpu}", "-O3", *defines, "-Xclang", "-fembed-bitcode=all", "--cuda-device-only",
        "--no-gpu-bundle-output", "-c", source, "-o", device)
    run(tool("llvm-objcopy"), f"--dump-section=.llvmbc={bitcode}", device, os.devnull)
    plain = kernels(bitcode, [], folder)
    melded = kernels(bitcode, ["-load-pass-plugin", plugin], folder)
for claim, pattern in claims:
    found = [name for name in plain if re.search(pattern, name)]
    if not found:
        print(f"no kernel matches {pattern}; there are {', '.join(plain)}")
        failed = True
    for name in found:
        same = plain[name] == melded.get(name)
        print(f"{name}: {len(plain[name])} -> {len(melded.get(name, []))} instructions, "
              f"{'the same' if same else 'changed'}")
        failed |= same != (claim == "same") or not plain[name]
sys.exit(failed)
