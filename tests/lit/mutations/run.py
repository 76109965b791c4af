"""Proves that the tests can fail: removes one check at a time and runs the tests that have to notice.

usage: run.py BUILD_FOLDER [--only REGEX] [--filter REGEX] [--all] [--first] [--keep]
  BUILD_FOLDER  a configured build of this tree; of it the lit configuration is read, and the tests of units.py are built
  --only        the mutations whose name matches
  --filter      the lit tests to run (default: cfm, divergence and the other fast ones)
  --all         every lit test, the slow ones too
  --texts       only looks whether every text is where its table has it, once
  --first       one test that notices is enough: names it, and goes on with the next mutation
The checks of passes/ (table.py, llvm_table.py) are removed from a copy of passes/ (and runtime/gpu) at HEAD in a scratch
folder, and lit runs on it; those that GoogleTest sees (unit_table.py) as units.py says. Nothing in the tree changes. For
each mutation the tests that failed are printed. Exit code 1 when a mutation survives that its table does not call
redundant, when one that it does call redundant is caught, when a text is not found, or when the unchanged code already
fails.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import table
import unit_table
import units

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.abspath(os.path.join(here, "..", "..", ".."))

cmake = """cmake_minimum_required(VERSION 3.25)
project(mutants C CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_package(LLVM {version} REQUIRED CONFIG)
file(GLOB_RECURSE sources passes/*.cpp runtime/gpu/*.cpp)
add_library(MeldPasses MODULE ${{sources}})
set_target_properties(MeldPasses PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden)
target_compile_options(MeldPasses PRIVATE -O0 -fno-rtti -fno-exceptions)
target_include_directories(MeldPasses SYSTEM PRIVATE ${{LLVM_INCLUDE_DIRS}})
target_include_directories(MeldPasses PRIVATE .)
separate_arguments(definitions NATIVE_COMMAND ${{LLVM_DEFINITIONS}})
target_compile_definitions(MeldPasses PRIVATE ${{definitions}})
target_link_libraries(MeldPasses PRIVATE LLVM)
target_precompile_headers(MeldPasses PRIVATE <optional> <string> <vector> <llvm/IR/Instructions.h> <llvm/IR/IntrinsicInst.h>
  <llvm/Analysis/ValueTracking.h> <llvm/Analysis/PostDominators.h> <llvm/Analysis/LoopInfo.h> <llvm/IR/PassManager.h>)
"""


def write(path, content):
    with open(path, "w") as file:
        file.write(content)


def build(scratch):
    done = subprocess.run(["nice", "-n", "5", "ninja", "-C", os.path.join(scratch, "build")], capture_output=True, text=True)
    return None if done.returncode == 0 else done.stdout[-1500:]


def tests(scratch, lit, arguments, folder="lit"):
    done = subprocess.run(["nice", "-n", "5", sys.executable, lit, "-q", *arguments, os.path.join(scratch, folder)],
                          capture_output=True, text=True)
    return re.findall(r"^  meld :: (\S+)", done.stdout, re.M), done


class Score:
    """What has been seen so far; prints each verdict as it comes."""
    def __init__(self):
        self.surprises = self.caught = self.redundant = 0

    def add(self, mutation, failed, problem=None):
        verdict = problem or ", ".join(failed) or "survives"
        expected = not problem and bool(failed) != bool(mutation.redundant)
        if mutation.redundant and not problem:
            verdict += " (the table calls it redundant)" if failed else f" (redundant: {mutation.redundant})"
        self.redundant += expected and not failed
        self.caught += expected and bool(failed)
        self.surprises += not expected
        print(f"{'' if expected else '** '}{mutation.name}: {verdict}", flush=True)


def stale(mutation, folder):
    """What its table takes for granted and is not so; empty where all is."""
    also = [mutation.also] if mutation.also and isinstance(mutation.also[0], str) else mutation.also or []
    edited = {}
    for file, text, replacement in [(mutation.file, mutation.text, mutation.replacement), *also]:
        path = os.path.join(folder, file)
        if path not in edited:
            with open(os.path.join(root, path)) as source:
                edited[path] = source.read()
        if edited[path].count(text) != 1:
            return f"{mutation.name}: in {path} the text is there {edited[path].count(text)} times, not once"
        edited[path] = edited[path].replace(text, replacement)
    return ""


def texts():
    problems = [problem for mutations, folder in ((table.mutations, "passes"), (unit_table.units, "."))
                for problem in (stale(mutation, folder) for mutation in mutations) if problem]
    print("\n".join(problems + [f"{len(table.mutations) + len(unit_table.units)} mutations, {len(problems)} stale"]))
    return bool(problems)


def of_passes(mutations, options, scratch, score):
    with open(os.path.join(options.build, "tests", "lit", "lit.site.cfg.py")) as file:
        site = file.read()
    llvm_bin = re.search(r'llvm_bin = "(.*)"', site).group(1)
    version = re.search(r"llvm-(\d+)", llvm_bin).group(1)
    lit = os.path.join(llvm_bin, "..", "build", "utils", "lit", "lit.py")
    archive = subprocess.run(["git", "-C", root, "archive", "HEAD", "passes", "runtime/gpu"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", scratch], input=archive, check=True)
    write(os.path.join(scratch, "CMakeLists.txt"), cmake.format(version=version))
    subprocess.run(["cmake", "-S", scratch, "-B", os.path.join(scratch, "build"), "-G", "Ninja",
                    f"-DLLVM_DIR={os.path.join(llvm_bin, '..', 'lib', 'cmake', 'llvm')}"], check=True, capture_output=True)
    site = re.sub(r'config.plugin = ".*"', f'config.plugin = "{scratch}/build/MeldPasses.so"', site)
    # What a mutant makes of the code is judged by its IR; code generation would take most of the time. There are passes
    # whose tests look at machine code.
    looks_at_code = ("affine-address", "atomics-apart", "far-conditions", "hoist-selects", "keep-joins", "kept-floats", "one-way-round", "or-address", "own-exits", "own-lanes", "scalar-operands",
                     "stay-in-loop", "unsigned-division", "wide-products", "xor-address", table.nests)
    no_code = "config.substitutions.insert(0, ('%llc', 'cat > /dev/null; :'))\n"
    for name, more in (("lit", no_code), ("lit-code", "")):
        os.mkdir(os.path.join(scratch, name))
        write(os.path.join(scratch, name, "lit.site.cfg.py"),
              re.sub(r'config.test_exec_root = ".*"', f'config.test_exec_root = "{scratch}/{name}"', site) + more)

    def folder(wanted):
        return "lit-code" if wanted in looks_at_code else "lit"

    def arguments(wanted):
        return [] if options.all else ["--filter", wanted or options.filter, "--filter-out", "deterministic|debug-info|large|cfm/scopes"]

    problem = build(scratch)
    if problem:
        sys.exit(f"the unchanged copy does not build:\n{problem}")
    for wanted in {mutation.tests for mutation in mutations}:
        already, done = tests(scratch, lit, arguments(wanted), folder(wanted))
        if already or done.returncode:
            sys.exit(f"the unchanged copy fails: {already or done.stdout + done.stderr}")

    for mutation in mutations:
        edits = [(mutation.file, mutation.text, mutation.replacement)] + ([mutation.also] if mutation.also else [])
        originals, problem, failed = {}, None, []
        for file, text, replacement in edits:
            path = os.path.join(scratch, "passes", file)
            with open(path) as source:
                content = source.read()
            originals.setdefault(path, content)
            if content.count(text) != 1:
                problem = f"the text is there {content.count(text)} times, not once"
                break
            write(path, content.replace(text, replacement))
        if not problem:
            problem = build(scratch)
            if problem:
                problem = "does not compile: " + problem[-300:]
            else:
                failed, _ = tests(scratch, lit, arguments(mutation.tests) + (["--max-failures=1"] if options.first else []),
                                  folder(mutation.tests))
        for path, content in originals.items():
            write(path, content)
        score.add(mutation, failed, problem)


def of_units(mutations, options, scratch, score):
    work = units.Units(root, os.path.abspath(options.build), scratch)
    problem = work.prepare(mutations)
    if problem:
        sys.exit(problem)
    for mutation in mutations:
        try:
            score.add(mutation, work.verdict(mutation))
        except RuntimeError as error:
            score.add(mutation, [], str(error))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default=".")
    parser.add_argument("--filter", default="cfm/|divergence/|forward-progress/|left-out/|melder/|padding/|scalarize/copied|"
                                            "settle-fp/|switch/|tail-merge/|triangles/|unpredicate/|wave-state/")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if options.texts:
        sys.exit(texts())
    score = Score()
    for mutations, try_them in ((table.mutations, of_passes), (unit_table.units, of_units)):
        wanted = [mutation for mutation in mutations if re.search(options.only, mutation.name)]
        if not wanted:
            continue
        scratch = tempfile.mkdtemp(prefix="meld-mutants-")
        try:
            try_them(wanted, options, scratch, score)
        finally:
            if not options.keep:
                shutil.rmtree(scratch)
    print(f"{score.caught} caught, {score.redundant} redundant as the table says, {score.surprises} surprises")
    sys.exit(score.surprises != 0)


main()
