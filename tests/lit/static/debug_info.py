"""Compiles a HIP file with -g and without, with the passes in, and compares the machine code of what they leave: the debug
information goes before code generation, where LLVM 21 looks at it.

usage: debug_info.py HIPCC LLVM_BIN PLUGIN CPU [-DNAME=VALUE...] SOURCE...
Fails when an instruction differs that does not differ without the passes, or when the passes change nothing.
"""
import os
import re
import subprocess
import sys
import tempfile

hipcc, llvm_bin, plugin, cpu = sys.argv[1:5]
defines = [word for word in sys.argv[5:] if word.startswith("-D")]
sources = [word for word in sys.argv[5:] if not word.startswith("-D")]
# What hipcc hands to LLVM: everything is inlined first, so that a device function's arguments are what the kernel has.
hip = ["-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def code(source, debug, options, folder):
    device, bitcode, optimised = (os.path.join(folder, name) for name in ("k.o", "k.bc", "o.bc"))
    run(hipcc, f"--offload-arch={cpu}", "-O3", *defines, *debug, "-Xclang", "-fembed-bitcode=all",
        "--cuda-device-only", "--no-gpu-bundle-output", "-c", source, "-o", device)
    run(os.path.join(llvm_bin, "llvm-objcopy"), f"--dump-section=.llvmbc={bitcode}", device, os.devnull)
    run(os.path.join(llvm_bin, "opt"), *options, *hip, "-passes=default<O3>", bitcode, "-o", optimised)
    run(os.path.join(llvm_bin, "opt"), "-strip-debug", optimised, "-o", optimised)
    assembly = run(os.path.join(llvm_bin, "llc"), "-O3", f"-mcpu={cpu}", optimised, "-o", "-").decode(errors="replace")
    return [re.sub(r"\.Ltmp\d+", "label", line) for line in
            re.findall(r"^\s+((?:[sv]_|ds_|global_|flat_|buffer_).*?)\s*(?:;.*)?$", assembly, re.M)]


failed = False
for source in sources:
    with tempfile.TemporaryDirectory() as folder:
        with_passes = ["-load-pass-plugin", plugin]
        plain, plain_g = code(source, [], [], folder), code(source, ["-g"], [], folder)
        melded, melded_g = code(source, [], with_passes, folder), code(source, ["-g"], with_passes, folder)
    print(f"{os.path.basename(source)}: {len(plain)} -> {len(melded)} instructions, with -g {len(plain_g)} -> {len(melded_g)}")
    if plain == melded:
        print("  nothing is melded")
        failed = True
    if melded != melded_g and plain == plain_g:
        print("  -g changes melded code")
        failed = True
sys.exit(failed)
