#!/usr/bin/env python3
"""The programs of bench/kernels for NVIDIA GPUs: host half, and kernels as PTX in several forms.

    bench/nvptx/build.py [--build build] [--only NAME] [--out FOLDER] [--cases]

clang compiles both halves of each program without any SDK (include/hip/hip_runtime.h), `opt -O3` optimises
the kernels without and with the plugin, llc writes PTX into FOLDER. ptxas assembles it where one is found
($PTXAS, PATH, /usr/local/cuda/bin); where none is, LLVM has written the PTX and nobody has checked it, and
the table says so. With --cases also what each benchmark's launches have in common is found out, by a run
without a GPU, and specialised kernels are made: FOLDER is then all that run.py needs.
Exit status 1: something that compiled plain did not in another form.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ptx import Unsuited, bodies, branches, changed, instructions, selects, with_dynamic_shared

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
ALL = "passes=all"
FORMS = {"plain": None, "melded": "", "flattened": ALL + ",flatten-loops;flatten-steps=8", "forced": "force"}
# Sizes of problems for a GPU that is larger and really runs: some hundred microseconds a launch, where the
# host's reference allows it. The other programs run with the largest size that the software GPU has.
SIZES = {"backprop": 524288, "bitonic": 4194304, "block_spmv": 425984, "bvh_nest": 1048576, "cascade": 76800,
         "collatz_nest": 1048576, "collision": 8388608, "collision_loop": 131072, "cross_sections": 851968,
         "cutoff_nest": 32768, "dct": 8192, "diamond": 32000003, "divergent_saxpy": 32000003,
         "field_solver": 9216, "fir": 8388608, "functor": 576, "hash_join": 851968, "heartwall": 6912,
         "hotspot": 4096, "huffman_nest": 262144, "image_filter": 990, "intra": 262144, "lbm": 281600,
         "lds_reduction": 16000003, "lennard_jones": 425984, "lz": 106496, "lz_nest": 262144, "mandelbrot": 8192,
         "match_nest": 1048576, "option_pricing": 851968, "options": 425984,
         "particle_push": 851968, "pathfinder": 3200000, "pcm": 3244032, "pixel_nest": 2048,
         "quadrature_nest": 131072, "rank_nest": 524288, "raytrace": 2048, "reduction": 16777216,
         "row_nest": 1048576, "sgemm": 1536, "slices": 262144, "small_matrices": 68800, "spmv": 1760000,
         "srad": 4096, "state_machine": 425984, "stencil": 112000, "suffix_match": 425984,
         "synthetic": 3407872, "transport": 425984, "walk_nest": 262144}

# The last one names all the facts that the code depends on.
KEPT = re.compile(r"meld-specialize melded .*?\(for ([^)]+)\)")
UNUSABLE = "the code is of no use"  # the plugin's word at the end


def run(command, env=None, timeout=600):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=timeout,
                          env={**os.environ, **(env or {})})


def find_ptxas():
    for place in (os.environ.get("PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas"):
        if place and os.access(place, os.X_OK):
            return place
    return None


class Failed(Exception):
    pass


def need(done, what):
    if done.returncode:
        errors = [l for l in done.stderr.splitlines() if "error:" in l] or [done.stderr.strip()[:200]]
        raise Failed(f"{what}: {errors[0].split('error: ')[-1]}")
    return done


class Builder:
    def __init__(self, options):
        self.o = options
        self.llvm = Path(options.llvm)
        self.build = Path(options.build)
        self.plugin = self.build / "lib" / "MeldPasses.so"
        self.ptxas = find_ptxas()
        self.out = Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)

    def clang(self, name, *more):
        # Which products and sums are one operation is decided here, by the source: the same in all forms.
        return [self.llvm / "clang++", "-x", "cuda", "-nocudainc", "-nocudalib", "-std=c++17", "-w",
                "-ffp-contract=on", f"-I{HERE}/include", f"-I{TOP}",
                TOP / "bench" / "kernels" / f"{name}.hip", *more]

    def ir(self, name):
        target = self.out / f"{name}.ll"
        need(run(self.clang(name, f"--cuda-gpu-arch={self.o.arch}", "--cuda-device-only", "-O3", "-Xclang",
                            "-disable-llvm-passes", "-emit-llvm", "-S", "-o", target)), "clang")
        # What may be one operation or two is one on this machine; said so, it can be computed in advance.
        target.write_text(target.read_text().replace("@llvm.fmuladd.", "@llvm.fma."))
        return target

    def ptx(self, ir, stem, options, specialise=""):
        """(PTX, what our passes say to it): options None is plain LLVM."""
        optimised, text = self.out / f"{stem}.bc", self.out / f"{stem}.ptx"
        ours = [] if options is None else ["-load-pass-plugin", self.plugin, "-pass-remarks=meld"]
        done = need(run([self.llvm / "opt", *ours, "-passes=default<O3>", ir, "-o", optimised],
                        {"MELD_PLUGIN_OPTIONS": options or "", "MELD_PLUGIN_SPECIALIZE": specialise}), "opt")
        need(run([self.llvm / "llc", "-march=nvptx64", f"-mcpu={self.o.arch}", "-mattr=+ptx75", "-O3",
                  optimised, "-o", text]), "llc")
        optimised.unlink()
        try:
            source = with_dynamic_shared(text.read_text())
        except Unsuited as why:
            raise Failed(str(why))
        text.write_text(source)
        return source, done.stderr

    def assembled(self, stem):
        """What ptxas says to it, and the most registers of its kernels."""
        if not self.ptxas:
            return "none", 0  # nobody has looked
        cubin = self.out / f"{stem}.cubin"
        done = run([self.ptxas, f"-arch={self.o.ptxas_arch}", "-v", self.out / f"{stem}.ptx", "-o", cubin])
        cubin.unlink(missing_ok=True)
        registers = [int(n) for n in re.findall(r"Used (\d+) registers", done.stderr)]
        return ("ok" if done.returncode == 0 else done.stderr.strip()[:160]), max(registers, default=0)

    def program(self, name):
        """The table's entry; the forms' files are then in the folder."""
        try:
            ir = self.ir(name)
        except Failed as why:
            return {"kernel": name, "skipped": str(why)}
        entry, plain = {"kernel": name}, None
        for form, options in FORMS.items():
            try:
                source, remarks = self.ptx(ir, f"{name}.{form}", options)
            except Failed as why:
                return {**entry, "failed": f"{form}: {why}"}
            plain = plain or source
            verdict, registers = self.assembled(f"{name}.{form}")
            entry[form] = {"ptx": f"{name}.{form}.ptx", "instructions": instructions(source),
                           "branches": branches(source), "selects": selects(source), "decisions": remarks.count("remark:"),
                           "changed": changed(plain, source), "ptxas": verdict, "registers": registers}
        return entry

    def host(self, name):
        target, unused = self.out / name, self.out / "unused.bin"
        unused.touch()
        need(run(self.clang(name, "--cuda-host-only", "-O2", "-Xclang", "-target-sdk-version=11.0", "-Xclang",
                            "-fcuda-include-gpubinary", "-Xclang", unused, "-c", "-o", f"{target}.o")), "host")
        need(run([self.llvm / "clang++", f"{target}.o", self.build / "lib" / "libnvptx-runtime.a",
                  self.build / "lib" / "libmeld_facts.a", "-ldl", "-s", "-o", target]), "link")
        Path(f"{target}.o").unlink()

    def common_facts(self, program, arguments, manifest):
        record = manifest.with_suffix(".record")
        record.unlink(missing_ok=True)
        try:
            done = run([self.out / program, *arguments],
                       {"NVPTX_FORMS": str(manifest), "NVPTX_RECORD": str(record)}, timeout=self.o.record_s)
            if done.returncode not in (0, 1):  # 1: its results are wrong, since nothing ran
                raise Failed(f"without a GPU: exit status {done.returncode}: {done.stderr.strip()[-200:]}")
        except subprocess.TimeoutExpired:
            pass  # what was launched until then is in the file
        facts = json.loads(record.read_text()) if record.exists() else {}
        record.unlink(missing_ok=True)
        return facts

    def case(self, case, entry):
        """One benchmark: PROGRAM's forms, and kernels specialised for its launches."""
        stem = re.sub(r"[^A-Za-z0-9]+", "-", case["benchmark"])
        manifest = self.out / f"{stem}.json"
        forms = {f: {k: entry[f][k] for k in ("ptx", "changed")} for f in FORMS}
        manifest.write_text(json.dumps({"forms": forms}))
        arguments = list(case["arguments"])
        at = arguments.index("--size") + 1
        arguments[at] = str(SIZES.get(case["program"], arguments[at]))
        made = {"benchmark": case["benchmark"], "set": case["set"], "program": case["program"],
                "arguments": arguments, "manifest": manifest.name, "kernels": 0, "specialised": 0}
        try:
            facts = self.common_facts(case["program"], arguments, manifest)
        except Failed as why:
            return {**made, "failed": str(why)}
        melded = bodies((self.out / entry["melded"]["ptx"]).read_text())
        specialised = []
        for i, (kernel, text) in enumerate(sorted(facts.items())):
            try:
                source, remarks = self.ptx(self.out / f"{case['program']}.ll", f"{stem}.{i}", "", f"{kernel}: {text}")
            except Failed as why:
                return {**made, "failed": f"specialised: {why}"}
            if "MELD_PLUGIN_SPECIALIZE: not" in remarks:
                return {**made, "failed": f"specialised: {remarks.strip()[-200:]}"}
            kept = KEPT.findall(remarks)
            if not kept or UNUSABLE in remarks or bodies(source).get(kernel) == melded.get(kernel):
                (self.out / f"{stem}.{i}.ptx").unlink()  # no fact is of use
                continue
            verdict, _ = self.assembled(f"{stem}.{i}")
            if verdict not in ("ok", "none"):
                return {**made, "failed": f"specialised: ptxas: {verdict}"}
            specialised.append({"entry": kernel, "ptx": f"{stem}.{i}.ptx", "facts": kept[-1]})
        manifest.write_text(json.dumps({"forms": forms, "specialised": specialised}, indent=1))
        return {**made, "kernels": len(facts), "specialised": len(specialised)}

    def cases(self, entries):
        listed = need(run([self.build / "bin" / "meld-bench", "list", "--json"]), "meld-bench list").stdout
        by_name = {e["kernel"]: e for e in entries if "melded" in e and "failed" not in e}
        wanted = [c for c in json.loads(listed) if c["program"] in by_name]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.host, sorted({c["program"] for c in wanted})))
            made = list(pool.map(lambda c: self.case(c, by_name[c["program"]]), wanted))
        for left in [self.out / "unused.bin", *self.out.glob("*.ll")]:
            left.unlink(missing_ok=True)
        (self.out / "cases.json").write_text(json.dumps(made, indent=1))
        return made


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
    print("not run on a GPU: that is run.py's work (bench/nvptx/README.md)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=TOP / "build", help="build folder with lib/MeldPasses.so")
    parser.add_argument("--llvm", default="/usr/lib/llvm-15/bin", help="folder of clang++, opt, llc")
    parser.add_argument("--out", default=None, help="where PTX goes (BUILD/nvptx)")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--arch", default="sm_75", help="what LLVM compiles for")
    parser.add_argument("--ptxas-arch", default="sm_90", help="what ptxas assembles for")
    parser.add_argument("--cases", action="store_true", help="all that run.py needs, too")
    parser.add_argument("--record-s", type=int, default=30,
                        help="seconds for a benchmark's run without a GPU")
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    options = parser.parse_args()
    options.out = options.out or Path(options.build) / "nvptx"
    builder = Builder(options)
    if not builder.plugin.exists():
        sys.exit(f"{builder.plugin} is not there: ./dev build")
    names = sorted(p.stem for p in (TOP / "bench" / "kernels").glob("*.hip") if options.only in p.stem)
    if not names:
        sys.exit(f"no program of bench/kernels has '{options.only}' in its name")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        entries = list(pool.map(builder.program, names))
    (builder.out / "table.json").write_text(json.dumps(entries, indent=1))
    if options.json:
        print(json.dumps(entries, indent=1))
    else:
        table(entries, builder.ptxas)
    failed = []
    if options.cases:
        made = builder.cases(entries)
        failed = [f"{c['benchmark']}: {c['failed']}" for c in made if "failed" in c]
        print(f"{len(made)} benchmarks, {sum(c['specialised'] for c in made)} specialised kernels in {builder.out}, "
              "for run.py", file=sys.stderr)
    worse = failed + [e["kernel"] for e in entries if "failed" in e or ("plain" in e and e["plain"]["ptxas"] == "ok" and
             any(e[f]["ptxas"] != "ok" for f in FORMS))]
    if worse:
        print("failed: " + ", ".join(worse), file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
