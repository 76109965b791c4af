#!/usr/bin/env python3
"""Runs small models through Debian's prebuilt HIP backend of llama.cpp on the software GPU, and compares.

Each model (make_model.py) goes through libllama (logits.cpp) on the CPU, and with every layer on the
software GPU: plain and with libmeld preloaded. The logits of both have to be those of the CPU, and
those with libmeld the plain ones bit for bit; the text that llama-completion makes has to be the CPU's.
What a token takes is told, too.

  ./dev matrix sid --llama                every target that the package has code for
  ./dev matrix sid --llama=gfx1030        this one
"""
import argparse
import json
import os
import re
import subprocess
import sys

TARGETS = "gfx900,gfx906,gfx908,gfx90a,gfx1030,gfx1100"  # what libggml-hip.so and the software GPU know
HERE = os.path.dirname(os.path.abspath(__file__))
PROMPT, GENERATE = 24, 8


class Model:
    """`exact`: the tolerance is a multiple of the CPU's own distance from the same weights in f32."""

    def __init__(self, kind, tolerance, exact=True, options=("--flash",), env=None, note=""):
        self.kind, self.tolerance, self.exact = kind, tolerance, exact
        self.options, self.env, self.note = list(options), env or {}, note
        self.name = kind + note


MODELS = [
    Model("f32", 1e-5, exact=False, options=["--f32-cache"]),
    # Sums in f32, as on the CPU. Without this the backend asks rocBLAS for sums or results in half
    # precision where it thinks that they are quicker.
    Model("f16", 2, env={"GGML_CUDA_CUBLAS_COMPUTE_TYPE": "fp32"}),
    # The backend's own choice: on gfx900, gfx906 and gfx1030 sums of up to 512 terms in half precision.
    Model("f16", 15, note=" auto"),
    Model("bf16", 2),
    # Activations are rounded to eight bits, on the CPU in other blocks than on a GPU.
    Model("q8_0", 2),
    # Products of matrices on gfx906 and gfx1030 (v_dot4) sum q * x rather than (q - 8) * x and take 8 * sum(x)
    # off, where x was not rounded: 2.5 times the distance in one product, as a loop on the host confirms.
    Model("q4_0", 3),
    Model("q4_k", 2),
    Model("q6_k", 2),
]


class Failed(Exception):
    pass


def command(line, env=None, seconds=900):
    try:
        done = subprocess.run(line, env=env, text=True, errors="replace", stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(line)}: not done in {seconds} s") from None
    if done.returncode not in (0, 1):
        raise Failed(f"{' '.join(line)}: status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
    return done.stdout, done.stderr


class Runner:
    def __init__(self, args):
        self.args, self.folder = args, args.scratch
        self.cache = os.path.join(self.folder, "cache")
        os.makedirs(self.cache, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name.replace(" ", "-"))

    def build(self):
        subprocess.run(["g++", "-std=c++20", "-O1", os.path.join(HERE, "logits.cpp"), "-o", self.path("logits"), "-lllama",
                        "-lggml", "-lggml-base"], check=True)

    def prepare(self, model):
        """The model, the CPU's logits, and the exact ones."""
        file = self.path(model.kind + ".gguf")
        command([sys.executable, os.path.join(HERE, "make_model.py"), "--type", model.kind, file])
        reference = self.path(model.name + ".reference")
        self.logits(model, ["--write", reference])
        if model.exact:
            exact = self.path(model.kind + ".exact.gguf")
            command(["llama-quantize", "--allow-requantize", file, exact, "F32"])
            command([self.path("logits"), exact, "--f32-cache", "--reference", reference, "--write",
                     self.path(model.name + ".exact")])

    def logits(self, model, options, env=None):
        return command([self.path("logits"), self.path(model.kind + ".gguf")] + model.options + options,
                       dict(os.environ, **model.env, **(env or {})))

    def device(self, target, melded, more=None):
        libraries = (["libmeld.so"] if melded else []) + ["libmeld-softgpu.so"]
        # With one host thread, as rocBLAS has kernels that split sums over workgroups and add up with atomics: the
        # order of those additions, so their last bits, would differ from run to run.
        env = {"LD_PRELOAD": ":".join(os.path.join(self.args.library, x) for x in libraries), "MELD_GPU": target,
               "MELD_GPU_THREADS": "1"}
        if melded:
            env.update(MELD_CACHE_DIR=self.cache, MELD_REPORT="1")
        return dict(env, **(more or {}))

    def token(self, model, target):
        """Kernels, wave instructions and modelled cycles of the first token behind the prompt: what a run with it
        has more than one without."""
        runs = []
        for generate in (0, 1):
            file = self.path("counters.json")
            self.logits(model, ["--device", "gpu", "--generate", str(generate)],
                        self.device(target, False, {"MELD_COUNTERS": file, "MELD_GPU_TIMING": "1"}))
            with open(file, encoding="utf-8") as f:
                totals = json.load(f)["totals"].values()
            runs.append((sum(k["dispatches"] for k in totals), sum(k["counters"]["SQ_INSTS"] for k in totals),
                         sum(k["cycles"] for k in totals)))
        return [f"{with_it - without:.0f}" for without, with_it in zip(*runs)]

    def compare(self, model, target, melded):
        written = self.path(f"{model.name}.{target}.{'melded' if melded else 'plain'}")
        options = ["--device", "gpu", "--reference", self.path(model.name + ".reference"), "--tolerance",
                   str(model.tolerance), "--write", written]
        if model.exact:
            options += ["--exact", self.path(model.name + ".exact")]
        out, err = self.logits(model, options, self.device(target, melded))
        found = dict(re.findall(r"([a-z-]+) ([-+.\de]+|nan|inf|\d+/\d+)(?= |$)", out.splitlines()[0]))
        found["pass"] = out.splitlines()[-1] == "PASS"
        found["written"] = written
        if melded:
            replaced = re.search(r"replaced (\d+)", err)
            objects = re.search(r"(\d+) code objects with bitcode, (\d+) without", err)
            if not replaced or not objects:
                raise Failed("libmeld made no report:\n" + err[-1500:])
            found["melded"] = f"{objects.group(1)}+{objects.group(2)} objects, {replaced.group(1)} replaced"
        return found


    def complete(self, target=None, melded=False):
        """What llama-completion itself makes of a word, on the CPU or a target."""
        line = ["llama-completion", "-m", self.path("f32.gguf"), "-p", "Hello", "-n", "12", "--temp", "0", "-no-cnv",
                "--no-warmup", "-c", "64", "--seed", "1", "--no-display-prompt", "--ignore-eos"]
        line += ["-ngl", "99"] if target else ["-dev", "none"]
        out, err = command(line, dict(os.environ, **(self.device(target, melded) if target else {})))
        if target and "ROCm" not in err:
            raise Failed("llama-completion did not use the device:\n" + err[-1500:])
        return out


def same(one, other):
    with open(one, "rb") as a, open(other, "rb") as b:
        return a.read() == b.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="the folder of libmeld.so and libmeld-softgpu.so")
    parser.add_argument("--scratch", required=True, help="a folder for models and logits")
    parser.add_argument("--targets", default=TARGETS)
    parser.add_argument("--models", default=",".join(m.name for m in MODELS))
    parser.add_argument("--no-counters", action="store_true", help="leave out instructions and cycles")
    args = parser.parse_args()
    runner = Runner(args)
    runner.build()
    models = [m for m in MODELS if m.name in args.models.split(",")]
    failed = 0
    for model in models:
        runner.prepare(model)
    print(f"{'target':8} {'model':9} {'':7} {'':4} {'greedy':>6} {'max error':>9} {'from exact':>10} {'the CPU':>8} "
          f"{'CPU s/token':>11} {'wall':>6} {'kernels':>7} {'wave insts':>10} {'cycles':>9}  a token", flush=True)
    for target in args.targets.split(","):
        for model in models:
            plain = None
            for melded in (False, True):
                try:
                    r = runner.compare(model, target, melded)
                    counts = [""] * 3
                    if not melded and not args.no_counters:
                        counts = runner.token(model, target)
                except Failed as e:
                    print(f"{target:8} {model.name:9} {'melded' if melded else 'plain':7} FAIL {e}", flush=True)
                    failed += 1
                    continue
                note = r.get("melded", "")
                if melded and plain:
                    identical = same(plain["written"], r["written"])
                    note = ("bit for bit as plain; " if identical else "DIFFERS from plain; ") + note
                    r["pass"] &= identical
                plain = plain or r
                failed += not r["pass"]
                print(f"{target:8} {model.name:9} {'melded' if melded else 'plain':7} {'PASS' if r['pass'] else 'FAIL':4} "
                      f"{r['greedy']:>6} {r['relative']:>9} {r.get('from-exact', ''):>10} "
                      f"{r.get('reference-from-exact', ''):>8} {r['cpu']:>11} {r['generate']:>6} {counts[0]:>7} "
                      f"{counts[1]:>10} {counts[2]:>9}  {note}", flush=True)
    if any(m.kind == "f32" for m in models):
        want = runner.complete()
        for target in args.targets.split(","):
            for melded in (False, True):
                try:
                    got = runner.complete(target, melded)
                    what = "the CPU's text" if got == want else f"{got!r}, the CPU {want!r}"
                except Failed as e:
                    got, what = None, str(e)
                failed += got != want
                print(f"{target:8} llama-completion {'melded' if melded else 'plain':7} "
                      f"{'PASS' if got == want else 'FAIL'} {what}", flush=True)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
