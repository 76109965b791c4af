"""Our divergence analysis against LLVM's, over the programs of bench/kernels (./dev bench divergence).

usage: ./dev bench divergence [NAME...]   (divergence_table.py HIPCC LLVM_BIN MELD_FUZZ_DIVERGENCE KERNELS [NAME...])
Each program is looked at twice: what clang hands to the optimiser, lightly cleaned up, and after -O3. Counted are
values and branches: uniform or divergent for both; "better": uniform in a wave for us, divergent for LLVM; "worse":
the other way round, which fails the command and is printed. Nothing is executed; whether "better" is true shows where
the programs run: `meld-bench scalar` holds every claim against the execution (`--only "LUD 128"` for the one kernel
where there are such values), meld-fuzz-divergence checks it in code.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

hipcc, llvm_bin, compare, kernels = sys.argv[1:5]
known = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(kernels, "*.hip")))
names = sys.argv[5:] or known
if "-h" in names or "--help" in names:
    print(__doc__ + "names: " + ", ".join(known))
    sys.exit(0)
unknown = [name for name in names if name not in known]
if unknown:
    sys.exit(f"no program is called {', '.join(unknown)}; there are: {', '.join(known)}")
columns = ["uniform", "divergent", "better", "branches", "worse"]
summary = re.compile(r"^all: uniform (\d+), divergent (\d+), strictly better (\d+) \((\d+) branches\), worse (\d+)$", re.M)


def counts(bitcode):
    text = subprocess.run([compare, "--ir", bitcode], check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        if line.startswith("  worse:"):
            print(f"{bitcode}:{line}", file=sys.stderr)
    return [int(number) for number in summary.search(text).groups()]


def show(name, numbers):
    print(f"{name:18}" + "".join(f"{number!s:>11}" for number in numbers), flush=True)


total = [0] * 10
print(" " * 18 + f"{'before -O3':>55}{'after -O3':>55}")
show("program", columns * 2)
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        device, bitcode, optimised = (os.path.join(folder, name + end) for end in (".co", ".bc", ".O3.bc"))
        subprocess.run([hipcc, "--offload-arch=gfx90a", "-O3", "-std=c++17", "-Wno-unused-result", "-Xclang",
                        "-fembed-bitcode=all", "--cuda-device-only", "--no-gpu-bundle-output", "-c",
                        os.path.join(kernels, name + ".hip"), "-o", device], check=True)
        subprocess.run([os.path.join(llvm_bin, "llvm-objcopy"), f"--dump-section=.llvmbc={bitcode}", device,
                        os.devnull], check=True)
        subprocess.run([os.path.join(llvm_bin, "opt"), "-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false",
                        "-passes=default<O3>", bitcode, "-o", optimised], check=True)
        numbers = counts(bitcode) + counts(optimised)
        total = [a + b for a, b in zip(total, numbers)]
        show(name, numbers)
show("all", total)
better, worse = total[2] + total[7], total[4] + total[9]
print(f"{len(names)} programs: strictly better in {better} values and branches, worse in {worse}")
sys.exit(worse != 0 or total[0] == 0 or total[1] == 0)
