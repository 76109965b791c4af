"""Proves that the tests can fail: removes one check of passes/ at a time and runs the lit suite.

usage: run.py BUILD_FOLDER [--only REGEX] [--filter REGEX] [--all] [--keep]
  BUILD_FOLDER  a configured build of this tree; only its lit configuration is read
  --only        the mutations whose name matches
  --filter      the tests to run (default: cfm, divergence and the other fast ones)
  --all         every test, the slow ones too
Works on a copy of passes/ (and runtime/gpu) at HEAD in a scratch folder; nothing in the tree changes. For each mutation it prints the
tests that failed. Exit code 1 when a mutation survives that the table does not call redundant, when one that it does
call redundant is caught, when a text is not found, or when the unchanged copy already fails.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import table

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


def tests(scratch, lit, arguments):
    done = subprocess.run(["nice", "-n", "5", sys.executable, lit, "-q", *arguments, os.path.join(scratch, "lit")],
                          capture_output=True, text=True)
    return re.findall(r"^  meld :: (\S+)", done.stdout, re.M), done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default=".")
    parser.add_argument("--filter", default="cfm/|divergence/|forward-progress/|left-out/|melder/|padding/|scalarize/copied|switch/|tail-merge/|triangles/|unpredicate/|wave-state/")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()

    with open(os.path.join(options.build, "tests", "lit", "lit.site.cfg.py")) as file:
        site = file.read()
    llvm_bin = re.search(r'llvm_bin = "(.*)"', site).group(1)
    version = re.search(r"llvm-(\d+)", llvm_bin).group(1)
    lit = os.path.join(llvm_bin, "..", "build", "utils", "lit", "lit.py")
    scratch = tempfile.mkdtemp(prefix="meld-mutants-")
    archive = subprocess.run(["git", "-C", root, "archive", "HEAD", "passes", "runtime/gpu"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", scratch], input=archive, check=True)
    write(os.path.join(scratch, "CMakeLists.txt"), cmake.format(version=version))
    subprocess.run(["cmake", "-S", scratch, "-B", os.path.join(scratch, "build"), "-G", "Ninja",
                    f"-DLLVM_DIR={os.path.join(llvm_bin, '..', 'lib', 'cmake', 'llvm')}"], check=True, capture_output=True)
    os.mkdir(os.path.join(scratch, "lit"))
    site = re.sub(r'config.plugin = ".*"', f'config.plugin = "{scratch}/build/MeldPasses.so"', site)
    site = re.sub(r'config.test_exec_root = ".*"', f'config.test_exec_root = "{scratch}/lit"', site)
    # What a mutant makes of the code is judged by its IR; code generation would take most of the time.
    site += "config.substitutions.insert(0, ('%llc', 'cat > /dev/null; :'))\n"
    write(os.path.join(scratch, "lit", "lit.site.cfg.py"), site)
    arguments = [] if options.all else ["--filter", options.filter, "--filter-out", "deterministic|debug-info|large|cfm/scopes"]

    problem = build(scratch)
    if problem:
        sys.exit(f"the unchanged copy does not build:\n{problem}")
    already, done = tests(scratch, lit, arguments)
    if already or done.returncode:
        sys.exit(f"the unchanged copy fails: {already or done.stdout + done.stderr}")

    surprises = caught = redundant = 0
    for mutation in table.mutations:
        if not re.search(options.only, mutation.name):
            continue
        edits = [(mutation.file, mutation.text, mutation.replacement)] + ([mutation.also] if mutation.also else [])
        originals, missing = {}, False
        for file, text, replacement in edits:
            path = os.path.join(scratch, "passes", file)
            with open(path) as source:
                content = source.read()
            originals.setdefault(path, content)
            if content.count(text) != 1:
                print(f"** {mutation.name}: the text is there {content.count(text)} times, not once", flush=True)
                missing = True
                break
            write(path, content.replace(text, replacement))
        if missing:
            surprises += 1
            for path, content in originals.items():
                write(path, content)
            continue
        problem = build(scratch)
        if problem:
            failed, verdict = [], "does not compile: " + problem[-300:]
        else:
            failed, _ = tests(scratch, lit, arguments)
            verdict = ", ".join(failed) if failed else "survives"
        for path, content in originals.items():
            write(path, content)
        expected = (not failed) if mutation.redundant else bool(failed)
        if mutation.redundant:
            verdict += f" (redundant: {mutation.redundant})" if not failed else " (the table calls it redundant)"
            redundant += not failed
        else:
            caught += bool(failed)
        surprises += not expected
        print(f"{'' if expected else '** '}{mutation.name}: {verdict}", flush=True)
    print(f"{caught} caught, {redundant} redundant as the table says, {surprises} surprises")
    if not options.keep:
        shutil.rmtree(scratch)
    sys.exit(surprises != 0)


main()
