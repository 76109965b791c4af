#!/usr/bin/env python3
"""What the pages for users show of commands is what the commands print.

A listing that begins with "$ " holds commands and what they printed, standard output before standard error; "..." stands
for lines that were left out. Commands that need nothing but the example programs are run again, page by page, each page with
a cache of its own, and compared line by line. What differs from run to run or machine to machine is not compared: times of
the host, sizes of files, process ids, keys.

usage: outputs.py ROOT BUILD [--slow] [--write]

  --slow    the programs that launch a kernel a hundred times and more, and no others
  --write   where only numbers differ, put the new ones into the page

Exit code: 0, 1 a page shows something else (printed), 77 another compiler than the pages were made with.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

PAGES = ["first-ten-minutes", "adding-the-flag", "reading-divergence", "troubleshooting",
         "examples/clouds", "examples/pagerank", "examples/photons"]
# Debian 12's, of which register counts and the like are.
COMPILER = "LLVM 15.0.6; comgr 2.4"
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )*meld (?:run|verify|bisect|divergence|explain|inspect)\b")
# Part of a command -> why it is not run here.
LEFT_OUT = {
    "./app": "a stand-in for the reader's program, or one with a planted mistake",
    "MELD_RECACHE": "its output depends on how busy the host is",
    "MELD_GPU=gfx900": "the HIP runtime aborts, and may leave a core file",
    "/proc/nope": "its report depends on how busy the host is",
}
SLOW = re.compile(r"--timing --report")


def blocks(lines):
    """(index of the command's line, its output's first and last line) in a page."""
    fence = start = None
    for i, line in enumerate(lines):
        if line.startswith("```"):
            if fence is not None and start is not None:
                yield start, start + 1, i
            fence, start = (i, None) if fence is None else (None, None)
        elif fence is not None and line.startswith("$ "):
            if start is not None:
                yield start, start + 1, i
            start = i


def comparable(line):
    line = re.sub(r"\b\d+(\.\d+)? (ms|bytes|KiB)\b", r"# \2", line)
    # How many launches there were before the host had made the versions.
    line = re.sub(r"\S+ % of their time saved \(.*\), \S+ % spent on trials \(.*\)", "# saved, # on trials", line)
    line = re.sub(r"libmeld\[\d+\]", "libmeld[#]", line)
    line = re.sub(r"\bcache [0-9a-f]{16}\b", "cache #", line)
    line = re.sub(r"kernel@0x[0-9a-f]+", "kernel@#", line)
    line = re.sub(r"offset 0x[0-9a-f]+", "offset #", line)
    return line.replace("docs/examples/", "").rstrip()  # as the source was named to hipcc


def differences(shown, printed, key):
    """(index in shown, line that was printed in its place or None), and lines behind the end as (None, line)."""
    at, skipping = 0, False
    for i, line in enumerate(shown):
        if line == "...":
            skipping = True
            continue
        place = at
        while skipping and place < len(printed) and key(printed[place]) != key(line):
            place += 1
        if place >= len(printed) or key(printed[place]) != key(line):
            yield i, printed[at] if not skipping and at < len(printed) else None
            place = len(printed) if skipping else at
        at, skipping = min(place + 1, len(printed)), False
    if not skipping:
        yield from ((None, line) for line in printed[at:] if line.strip())


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def check(root, name, folder, build, slow, write):
    path = os.path.join(root, "docs", f"{name}.md")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as cache:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MELD_")}
        environment.update(PATH=f"{build}/bin:{os.environ['PATH']}", MELD_CACHE_DIR=cache, MELD_COMPILE_BUDGET_MS="0")
        for start, first, last in blocks(lines):
            command = lines[start][2:]
            if not COMMAND.match(command) or any(part in command for part in LEFT_OUT):
                continue
            if bool(SLOW.search(command)) != slow:
                continue
            compared += 1
            shown, printed = lines[first:last], run(command, folder, environment)
            if write:
                digits = lambda line: re.sub(r"\d+", "0", re.sub(r" +", " ", comparable(line)))
                at = 0
                for i, line in enumerate(shown):
                    same = [k for k in range(at, len(printed)) if digits(printed[k]) == digits(line)]
                    if same:
                        at = same[0] + 1
                        if comparable(printed[same[0]]) != comparable(line):
                            lines[first + i] = printed[same[0]]
                shown = lines[first:last]
            for i, instead in differences(shown, printed, comparable):
                wrong += 1
                where = first + i if i is not None else last
                print(f"docs/{name}.md:{where + 1}: {command}\n  shown    {lines[where] if i is not None else ''}\n"
                      f"  printed  {instead if instead is not None else '(not there)'}")
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    print(f"docs/{name}.md: {compared} commands, {wrong} lines differ")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root")
    parser.add_argument("build")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    doctor = subprocess.run([f"{build}/bin/meld", "doctor"], capture_output=True, text=True, check=False).stdout
    if COMPILER not in doctor:
        print(f"the pages were made with {COMPILER}, which is not the compiler here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name in ("clouds", "pagerank", "photons", "clouds-without"):
            os.symlink(f"{build}/bin/hip/example_{name.replace('-', '_')}", f"{folder}/{name}")
        wrong = sum(check(args.root, name, folder, build, args.slow, args.write) for name in PAGES)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
