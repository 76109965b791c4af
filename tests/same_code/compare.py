#!/usr/bin/env python3
"""Whether two builds make the same code: for a change that is to change nothing.

Every file of tests/lit and every program of bench/kernels goes through both builds; what comes out is compared byte by
byte:

  lit      each RUN line's own opt command, and every .ll file once through each of `pipelines` below: IR and remarks
  kernels  the bitcode of each program through clang's pipeline with the plugin, under each of `plugin_options`: IR
  objects  the code object of each program through `meld compile`: code, verdict, decisions

BEFORE and AFTER are build directories, or folders that --keep has written: so the old build has to run only once.
Prints one line for each thing that differs and the first lines in which it does. Exit code: 0 the same, 1 something
differs, 2 it could not be found out.
"""
import argparse
import concurrent.futures
import difflib
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
lit, kernels = os.path.join(root, "tests/lit"), os.path.join(root, "bench/kernels")

pipelines = ["meld", "meld<force>", "default<O3>", "default<O1>", "meld-scalarize<passes=all>"]
# What clang's pipeline is extended by: everything by default, everything legal, and the passes that run by name only.
plugin_options = ["", "force", "force;passes=all,converged-loops,dynamic-convergence,multiply-add-address"]
remarks = ["-pass-remarks=meld", "-pass-remarks-missed=meld"]
timings = {"timings", "passesMs", "optimiseMs", "codegenMs", "compileMs", "totalMs"}
effort = {"generated", "search"}  # what it took to find the code, not what was found


def cached(build, variable):
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        for line in cache:
            if found := re.match(rf"{variable}:\w+=(.*)", line):
                return found.group(1)
    raise RuntimeError(f"{build}: no {variable} in CMakeCache.txt")


class Build:
    """One build directory: how its tools are called."""

    def __init__(self, folder):
        self.folder = folder
        llvm = os.path.realpath(os.path.join(cached(folder, "LLVM_DIR"), "../../../bin"))
        self.opt = [os.path.join(llvm, "opt"), "-load-pass-plugin", os.path.join(folder, "lib/MeldPasses.so")]
        self.meld = os.path.join(folder, "bin/meld")
        self.hipcc = cached(folder, "MELD_HIPCC")

    def run(self, command, given=None, options=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MELD_") and k != "HIP_PLATFORM"}
        if options:
            environment["MELD_PLUGIN_OPTIONS"] = options
        ran = subprocess.run(command, input=given, env=environment, capture_output=True, timeout=600, cwd=lit)
        return f"exit {ran.returncode}\n".encode() + ran.stdout + b"\n--- stderr\n" + ran.stderr


def opt_commands(path):
    """The opt commands of a file's RUN lines, as (plugin options, arguments, the file that it reads from stdin)."""
    with open(path) as file:
        text = re.sub(r"\\\n[;#/ ]*(RUN:)?", " ", file.read())
    for line in re.findall(r"RUN:(.*)", text):
        tokens = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        tokens.whitespace_split, tokens.commenters = True, ""
        command = []
        for token in [*tokens, ";"]:
            if token.strip("|;&"):
                command.append(token.replace("%s", path).replace("%S", os.path.dirname(path)))
                continue
            if "%opt" in command:
                yield from opt_command(command)
            command = []


def opt_command(tokens):
    at = tokens.index("%opt")
    options = [t.partition("=")[2] for t in tokens[:at] if t.startswith("MELD_PLUGIN_OPTIONS=")]
    arguments, stdin = [], None
    rest = iter(tokens[at + 1:])
    for token in rest:
        if set(token) <= set("<>&"):
            name = next(rest, "")
            stdin = name if token == "<" and os.path.exists(name) else stdin
            if arguments and token.startswith(">") and arguments[-1] in ("1", "2"):
                arguments.pop()
        else:
            arguments.append(token)
    if any("%t" in a or "$" in a or "%{" in a for a in arguments):
        return  # reads what another command has written
    if "-S" not in arguments and "-disable-output" not in arguments:
        arguments.append("-S")
    if stdin or any(os.path.isfile(a) for a in arguments):
        yield options[0] if options else "", arguments, stdin


def lit_jobs():
    for path in sorted(glob.glob(lit + "/**/*.ll", recursive=True) + glob.glob(lit + "/**/*.test", recursive=True)):
        name = os.path.relpath(path, lit)
        for number, (options, arguments, stdin) in enumerate(opt_commands(path), 1):
            yield f"lit/{name} RUN {number}", lambda b, o=options, a=arguments, i=stdin: b.run(
                [*b.opt, *a], given=open(i, "rb").read() if i else None, options=o)
        if path.endswith(".ll"):
            for pipeline in pipelines:
                yield f"lit/{name} {pipeline}", lambda b, l=pipeline, p=path: b.run(
                    [*b.opt, "-passes=" + l, "-S", *remarks, p])


def without_timings(value):
    if isinstance(value, dict):
        return {k: without_timings(v) for k, v in value.items() if k not in timings | effort}
    return [without_timings(v) for v in value] if isinstance(value, list) else value


def compile_object(build, source):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "melded.co")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MELD_")}
        environment["MELD_COMPILE_BUDGET_MS"] = "0"
        ran = subprocess.run([build.meld, "compile", source, "-o", out, "--format", "json"], env=environment,
                             capture_output=True, timeout=600)
        report = without_timings(json.loads(ran.stdout))
        report["output"] = None
        text = json.dumps(report, indent=1).encode()
        if os.path.exists(out):
            with open(out, "rb") as made:
                text += b"\ncode " + hashlib.sha256(made.read()).hexdigest().encode()
        return text


def kernel_jobs(build, folder, wanted):
    """Compiles the inputs once, with `build`'s compiler, into `folder`, then names the jobs."""
    base = [build.hipcc, "--offload-arch=gfx90a", "-O3", "-std=c++17", "-Wno-unused-result", "--cuda-device-only"]

    def make(source):
        name = os.path.join(folder, os.path.splitext(os.path.basename(source))[0])
        for more, out in (["-Xclang", "-disable-llvm-passes", "-emit-llvm"], ".bc"), \
                         (["-Xclang", "-fembed-bitcode=all", "--no-gpu-bundle-output"], ".co"):
            if not os.path.exists(name + out):
                subprocess.run([*base, *more, "-c", source, "-o", name + out + ".new"], check=True)
                os.replace(name + out + ".new", name + out)
        return name

    sources = [s for s in sorted(glob.glob(kernels + "/*.hip"))
               if any(re.search(wanted, f"{kind}/{os.path.basename(s)}") for kind in ("kernels", "objects"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(make, sources))
    for name in made:
        short = os.path.basename(name)
        for options in plugin_options:
            yield f"kernels/{short}.hip {options}", lambda b, n=name, o=options: b.run(
                [*b.opt, "-passes=default<O3>", "-S", *remarks, n + ".bc"], options=o)
        yield f"objects/{short}.hip", lambda b, n=name: compile_object(b, n + ".co")


def all_of(build, wanted, workers, inputs):
    """Name -> what the build makes of it."""
    jobs = [job for job in [*lit_jobs(), *kernel_jobs(build, inputs, wanted)] if re.search(wanted, job[0])]
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return dict(pool.map(lambda job: (job[0], job[1](build).replace(build.folder.encode(), b"BUILD")), jobs))


def kept_name(name):
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def keep(folder, results):
    os.makedirs(folder, exist_ok=True)
    for name, made in results.items():
        with open(os.path.join(folder, kept_name(name)), "wb") as file:
            file.write(made)
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump({name: kept_name(name) for name in results}, file, indent=1)


def load(folder, wanted):
    with open(os.path.join(folder, "results.json")) as file:
        names = json.load(file)
    return {name: open(os.path.join(folder, kept), "rb").read() for name, kept in names.items()
            if re.search(wanted, name)}


def show(name, before, after, lines):
    print(f"DIFFERS: {name}")
    one, other = (made.decode(errors="replace").splitlines() for made in (before, after))
    for line in list(difflib.unified_diff(one, other, "before", "after", n=1, lineterm=""))[:lines]:
        print("  " + line[:200])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE")
    parser.add_argument("after", metavar="AFTER", nargs="?", help="leave it out to only --keep what BEFORE makes")
    parser.add_argument("--only", default=".", metavar="REGEX", help="what is compared: lit/cfm, objects/dct, ...")
    parser.add_argument("--keep", metavar="DIR", help="write there what BEFORE makes, to be given as BEFORE next time")
    parser.add_argument("--inputs", metavar="DIR", help="where compiled kernels are kept from run to run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--lines", type=int, default=12, help="of each difference")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        inputs = given.inputs or scratch
        os.makedirs(inputs, exist_ok=True)

        def results(folder):
            folder = os.path.abspath(folder)
            if os.path.exists(os.path.join(folder, "results.json")):
                return load(folder, given.only)
            return all_of(Build(folder), given.only, given.jobs, inputs)

        before = results(given.before)
        if given.keep:
            keep(given.keep, before)
        if not given.after:
            print(f"{len(before)} results")
            return 0
        after = results(given.after)

    differing = [name for name in before if name in after and before[name] != after[name]]
    for name in differing:
        show(name, before[name], after[name], given.lines)
    for name in sorted(before.keys() ^ after.keys()):
        print(f"ONLY {'BEFORE' if name in before else 'AFTER'}: {name}")
    common = before.keys() & after.keys()
    if not common:
        print("nothing to compare", file=sys.stderr)
        return 2
    print(f"{len(common)} compared, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
        print(f"compare.py: {error}", file=sys.stderr)
        sys.exit(2)
