#!/usr/bin/env python3
"""The device code of bench/kernels for NVIDIA GPUs, plain and melded, up to what ptxas accepts.

    bench/nvptx/build.py [--build build] [--only NAME] [--out FOLDER] [--arch sm_75]

clang compiles each program's kernels for NVPTX without any SDK (include/hip/hip_runtime.h), `opt -O3`
optimises them with and without the plugin, llc writes PTX into FOLDER. ptxas assembles it where one
is found ($PTXAS, PATH, /usr/local/cuda/bin); where none is, LLVM has written the PTX and nobody has
checked it, and the table says so. Exit status 1: something that compiled plain did not melded.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent


def run(command, env=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(env or {})})


def find_ptxas():
    for place in (os.environ.get("PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"):
        if place and os.access(place, os.X_OK):
            return place
    return None


def instructions(ptx):
    """Instructions of a PTX file: lines of a body that are not directives, labels or braces."""
    return sum(bool(re.match(r"\s+(@!?%p\d+\s+)?[a-z]", line)) for line in ptx.splitlines()
               if not line.strip().startswith((".", "//")))


def selects(ptx):
    return len(re.findall(r"^\s+(?:@!?%p\d+ )?selp", ptx, re.M))


def branches(ptx):
    return len(re.findall(r"^\s+@!?%p\d+ bra", ptx, re.M))


class Builder:
    def __init__(self, options):
        self.o = options
        self.llvm = Path(options.llvm)
        self.plugin = Path(options.build) / "lib" / "MeldPasses.so"
        self.ptxas = find_ptxas()
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)

    def bitcode(self, name):
        target = self.out / f"{name}.bc"
        done = run([self.llvm / "clang++", "-x", "cuda", f"--cuda-gpu-arch={self.o.arch}",
                    "--cuda-device-only", "-nocudainc", "-nocudalib", "-std=c++17", "-O3", "-w",
                    "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", f"-I{HERE}/include",
                    f"-I{TOP}", TOP / "bench" / "kernels" / f"{name}.hip", "-o", target])
        if done.returncode:
            errors = [l for l in done.stderr.splitlines() if "error:" in l]
            return None, errors[0].split("error: ")[-1] if errors else "clang failed"
        return target, ""

    def ptx(self, name, bitcode, melded):
        kind = "melded" if melded else "plain"
        optimised, text = self.out / f"{name}.{kind}.bc", self.out / f"{name}.{kind}.ptx"
        plugin = ["-load-pass-plugin", self.plugin] if melded else []
        remarks = ["-pass-remarks=meld"] if melded else []
        done = run([self.llvm / "opt", *plugin, "-passes=default<O3>", *remarks, bitcode, "-o",
                    optimised])
        if done.returncode:
            return None, "opt: " + done.stderr.strip()[:200]
        decisions = done.stderr.count("remark:")
        done = run([self.llvm / "llc", "-march=nvptx64", f"-mcpu={self.o.arch}", "-mattr=+ptx75",
                    "-O3", optimised, "-o", text])
        if done.returncode:
            return None, "llc: " + done.stderr.strip()[:200]
        source = text.read_text()
        result = {"ptx": text.name, "instructions": instructions(source),
                  "branches": branches(source), "selects": selects(source),
                  "decisions": decisions, "ptxas": "none"}
        if self.ptxas:
            done = run([self.ptxas, f"-arch={self.o.ptxas_arch}", "-v", text, "-o",
                        self.out / "last.cubin"])
            result["ptxas"] = "ok" if done.returncode == 0 else done.stderr.strip()[:160]
            registers = [int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)]
            result["registers"] = max(registers, default=0)
        return result, ""

    def build(self, name):
        bitcode, why = self.bitcode(name)
        if not bitcode:
            return {"kernel": name, "skipped": why}
        entry = {"kernel": name}
        for kind in ("plain", "melded"):
            entry[kind], why = self.ptx(name, bitcode, kind == "melded")
            if why:
                entry["failed"] = why
                break
        return entry


def table(entries, ptxas):
    print(f"{'kernel':16} {'PTX plain':>9} {'melded':>7} {'branches':>12} {'selects':>10} "
          f"{'registers':>10}  {'melds':>5}  ptxas")
    for e in entries:
        if "skipped" in e or "failed" in e:
            print(f"{e['kernel']:16} {'skipped: ' + e['skipped'] if 'skipped' in e else 'FAILED: ' + e['failed']}")
            continue
        p, m = e["plain"], e["melded"]
        arrow = lambda key: f"{p.get(key, '-')} > {m.get(key, '-')}"
        verdict = m["ptxas"] if p["ptxas"] == m["ptxas"] else f"plain {p['ptxas']}, melded {m['ptxas']}"
        print(f"{e['kernel']:16} {p['instructions']:>9} {m['instructions']:>7} {arrow('branches'):>12} "
              f"{arrow('selects'):>10} {arrow('registers'):>10}  {m['decisions']:>5}  "
              f"{verdict.splitlines()[0]}")
    print("\n" + (f"assembled by {ptxas}" if ptxas else
                  "no ptxas on this machine: the PTX is what LLVM wrote, no assembler has seen it"))
    print("not run on a GPU: that is nvptx-run's work (bench/nvptx/README.md)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=TOP / "build", help="build folder with lib/MeldPasses.so")
    parser.add_argument("--llvm", default="/usr/lib/llvm-15/bin", help="folder of clang++, opt, llc")
    parser.add_argument("--out", default=None, help="where PTX goes (BUILD/nvptx)")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--arch", default="sm_75", help="what LLVM compiles for")
    parser.add_argument("--ptxas-arch", default="sm_90", help="what ptxas assembles for")
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    options = parser.parse_args()
    options.out = options.out or Path(options.build) / "nvptx"
    builder = Builder(options)
    if not builder.plugin.exists():
        sys.exit(f"{builder.plugin} is not there: ./dev build")
    names = sorted(p.stem for p in (TOP / "bench" / "kernels").glob("*.hip") if options.only in p.stem)
    if not names:
        sys.exit(f"no program of bench/kernels has '{options.only}' in its name")
    entries = [builder.build(name) for name in names]
    (builder.out / "table.json").write_text(json.dumps(entries, indent=1))
    if options.json:
        print(json.dumps(entries, indent=1))
    else:
        table(entries, builder.ptxas)
    worse = [e["kernel"] for e in entries if "failed" in e or
             ("plain" in e and e["plain"]["ptxas"] == "ok" and e["melded"]["ptxas"] != "ok")]
    if worse:
        print("failed: " + ", ".join(worse), file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
