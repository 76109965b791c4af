#!/usr/bin/env python3
"""How many system calls a warm start makes in each layer of the cache, counted by strace(1).

usage: operations.py PROGRAM [--entries N] [--table]

A start with N entries less one with none, so that what a process costs anyway is not in it. --table prints the
table of docs/cluster.md. Exit status: 0 within the bounds below, 1 beyond them, 77 no strace here (skipped).
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# What a file server may be asked for each entry: one open by path, no lock, no change.
OPENS = {"open", "openat"}
LOOKS = {"fstat", "newfstatat", "statx", "stat", "lstat", "lseek", "statfs", "access", "faccessat2", "readlink"}
READS = {"read", "pread64"}
CHANGES = {"mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "utimensat", "write", "pwrite64",
           "ftruncate", "link", "linkat", "fsync"}
LOCKS = {"fcntl", "flock"}


def calls(command):
    """System calls by name, of those that a file can be asked with."""
    with tempfile.NamedTemporaryFile() as log:
        done = subprocess.run(["strace", "-f", "-o", log.name, *command], capture_output=True, text=True)
        text = log.read().decode(errors="replace")
    if "ptrace" in done.stderr and not text:
        sys.exit(77)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    counted = collections.Counter()
    for line in text.splitlines():
        # fcntl is there for locks, and to know what a descriptor is.
        if (found := re.match(r"\d+\s+(\w+)\(", line)) and not (found[1] == "fcntl" and "F_SETLK" not in line):
            counted[found[1]] += 1
    return counted


def warm(program, verb, layer, folder, entries, node=None):
    nodes = [node] if node else []
    some = calls([program, verb, layer, folder, *nodes, str(entries)])
    none = calls([program, verb, layer, folder, *nodes, "0"])
    some.subtract(none)
    return {name: sum(some[call] for call in group)
            for name, group in (("open", OPENS), ("look", LOOKS), ("read", READS), ("change", CHANGES),
                                ("lock", LOCKS), ("close", {"close"}))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    try:
        subprocess.run(["strace", "-V"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(77)
    n, program = options.entries, options.program
    rows = []
    with tempfile.TemporaryDirectory() as root:
        folder, node = os.path.join(root, "cache"), os.path.join(root, "node")
        subprocess.run([program, "fill", folder, str(n)], check=True)
        rows.append(("user, on a disk of the machine", warm(program, "load", "local", folder, n)))
        rows.append(("user, on a file server", warm(program, "load", "network", folder, n)))
        rows.append(("site, on a file server", warm(program, "load", "site", folder, n)))
        rows.append(("an entry that is not there, on a file server", warm(program, "miss", "site", folder, n)))
        # The first start on a node copies; strace makes the folder first, so none is counted for it.
        first = calls([program, "load", "network", folder, node, str(n)])
        rows.append(("node, from its second process on", warm(program, "load", "network", folder, n, node)))
    if options.table:
        print(f"| {n:,} entries from | open | look | read | close | lock | change |")
        print("|---|---|---|---|---|---|---|")
        for name, row in rows:
            print(f"| {name} |" + "".join(f" {row[key]:,} |" for key in
                                          ("open", "look", "read", "close", "lock", "change")))
    problems = []
    for name, row in rows:
        if row["lock"] or row["change"]:
            problems.append(f"{name}: a warm start takes locks or changes something: {row}")
        if "on a file server" in name and (row["open"] > n or row["read"] > 2 * n or row["look"] > 3 * n):
            problems.append(f"{name}: more than one open, three looks and two reads for an entry: {row}")
        if "not there" in name and (row["open"] > n or row["look"] or row["read"]):
            problems.append(f"{name}: more than one open: {row}")
    if not any(first[call] for call in ("renameat", "rename", "renameat2")):
        problems.append("the first process of a node has copied nothing")
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
