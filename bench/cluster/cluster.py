"""What a job on a cluster asks of the cache: compiles, operations on files by layer, calls of the remote cache.

usage: ./dev bench cluster [--processes N] [--nodes N] [--objects N] [--kernels N] [--only program|loads|warm]

Nodes are folders: each has a node layer and a user layer of its own, all share one Redis, which is started here and
listens on a socket of this machine alone. Counted, not timed: with strace, each system call whose path or descriptor
lies in a layer's folder; with Redis's own statistics, the calls it got; from libmeld's log, the compiles.

  cold job, program   every process runs a HIP program (bench/kernels/bitonic.hip) on the software GPU, all at once
  cold job, loads     every process loads the same objects, each beginning with another one, and waits for its code
  warm start          one process loads N kernels that a layer has. The remote cache's are original code at the first
                      start, and lie in the user layer for the next one

Exit status 1 where something was compiled twice, or a load did not get its code.
"""
import argparse
import collections
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser(usage=argparse.SUPPRESS, description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", help="the build folder")
parser.add_argument("--processes", type=int, default=64, help="processes of the job (64)")
parser.add_argument("--nodes", type=int, default=8, help="nodes that they run on (8)")
parser.add_argument("--objects", type=int, default=12, help="objects that each process of the second job loads (12)")
parser.add_argument("--kernels", type=int, default=1000, help="kernels of a warm start (1000)")
parser.add_argument("--only", choices=("program", "loads", "warm"), help="one of the three")
options = parser.parse_args()

build = os.path.abspath(options.build)
lib, loads = os.path.join(build, "lib"), os.path.join(build, "bin/meld-cluster-loads")
program = os.path.join(build, "bin/hip/bitonic")
code = os.path.join(build, "bin/hip/cluster_object.hsaco")
for tool, package in (("strace", "strace"), ("redis-server", "redis-server"), ("redis-cli", "redis-tools")):
    if not shutil.which(tool):
        sys.exit(f"./dev bench cluster needs {tool}: Debian's package {package}")

NFS = "6969000000000000"  # f_type of NFS as statfs(2) has it, the lowest byte first
wrong = []


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="" if text else "", file=sys.stderr, flush=True)


def clean_environment():
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("MELD_", "HSA_", "SLURM_", "PMI", "PBS_", "LSB_")) and name != "LD_PRELOAD"}


class Redis:
    """A server of its own, on a socket in `folder`."""

    def __init__(self, folder):
        self.socket = os.path.join(folder, "redis.sock")
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir",
             folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while not self.listens():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("redis-server does not start")
            time.sleep(0.01)
        self.url = f"redis+unix://{self.socket}"

    def listens(self):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(self.socket) == 0

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], check=True, stdout=subprocess.PIPE,
                              text=True).stdout

    def calls(self):
        """How often each command came since the last time."""
        found = dict(re.findall(r"cmdstat_([\w|]+):calls=(\d+)", self.ask("info", "commandstats")))
        self.ask("config", "resetstat")
        return {name: int(found[name]) for name in ("get", "exists", "set", "eval") if name in found}

    def end(self):
        self.process.kill()
        self.process.wait()


def traced(command, log, nfs=False):
    """The command under strace, which writes every call on files into `log`."""
    injected = ["-e", f"inject=statfs:poke_exit=@arg2={NFS}"] if nfs else []
    return ["strace", "-f", "-y", "-qq", "--seccomp-bpf", "-s", "0", "-e", "trace=%file,%desc", "-e", "signal=none",
            *injected, "-o", log, *command]


LOOKS = ("open", "stat", "access", "readlink", "getdents", "statfs", "chdir")
CHANGES = ("mkdir", "rename", "unlink", "link", "utimens", "utimes", "chmod", "truncate", "fsync", "fdatasync", "rmdir")
DATA = ("read", "pread", "write", "pwrite")
KINDS = ("look", "change", "lock", "data", "close")


def kind_of(call, line):
    if call == "fcntl":
        return "lock" if "F_SETLK" in line or "F_OFD" in line or "F_GETLK" in line else None
    if call == "flock":
        return "lock"
    if call in ("openat", "open") and "O_CREAT" in line:
        return "change"
    for kind, names in (("change", CHANGES), ("look", LOOKS), ("data", DATA), ("close", ("close",))):
        if any(name in call for name in names):
            return kind
    return None  # mmap, lseek, ioctl, poll: nothing that a file server hears of


def operations(log, layers):
    """Layer -> kind -> calls, of one process and what it started."""
    counted = {layer: collections.Counter() for layer in layers}
    call = re.compile(r"^\d+ +(\w+)\((.*)")
    with open(log, errors="replace") as lines:
        for line in lines:
            found = call.match(line)  # what is resumed later has its arguments here already
            if not found:
                continue
            for layer, folder in layers.items():
                if folder + "/" in line or folder + '"' in line or folder + ">" in line:
                    if kind := kind_of(found.group(1), found.group(2)):
                        counted[layer][kind] += 1
                    break
    return counted


def table(title, columns, rows):
    widths = [max(len(str(row[i])) for row in [columns, *rows]) for i in range(len(columns))]
    print(f"\n{title}")
    for row in [columns, ["-" * width for width in widths], *rows]:
        print("  ".join(str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())


def job(title, folder, redis, command_of, expected, traces):
    """All processes of a job at once; `command_of(rank)` is a process's command and what else its environment has.
    The operations of the first `traces` are counted: to be under strace makes a process slower, and those beside it."""
    running, layers_of = [], []
    for rank in range(options.processes):
        node = os.path.join(folder, f"node{rank % options.nodes}")
        layers = {"node": os.path.join(node, "shm"), "user": os.path.join(node, "home")}
        for path in (node, *layers.values()):
            os.makedirs(path, mode=0o700, exist_ok=True)
        layers_of.append(layers)
        command, more = command_of(rank)
        environment = {**clean_environment(), "SLURM_JOB_ID": "1", "SLURM_PROCID": str(rank),
                       "MELD_CACHE_NODE": layers["node"], "MELD_CACHE_DIR": layers["user"],
                       "MELD_CACHE_REMOTE": redis.url, "MELD_ADAPT": "static", "MELD_LOG_LEVEL": "info",
                       "MELD_LOG_FILE": os.path.join(folder, f"log{rank}"), **more}
        with open(os.path.join(folder, f"out{rank}"), "w") as out:
            trace = os.path.join(folder, f"trace{rank}")
            running.append(subprocess.Popen(traced(command, trace) if rank < traces else command, env=environment,
                                            stdout=out, stderr=subprocess.STDOUT))
    status = []
    for process in running:
        status.append(process.wait())
        progress(f"{title}: {len(status)} of {options.processes} processes have ended")
    progress("")
    if any(status):
        rank = next(rank for rank, one in enumerate(status) if one)
        with open(os.path.join(folder, f"out{rank}")) as out:
            sys.exit(f"process {rank} ended with status {status[rank]}:\n{out.read()}")

    compiled, warnings = collections.Counter(), collections.Counter()
    for rank in range(options.processes):
        path = os.path.join(folder, f"log{rank}")
        if not os.path.exists(path):
            continue
        with open(path) as log:
            for line in log:
                if found := re.search(r"\b([0-9a-f]{8,}), compiled in", line):
                    compiled[found.group(1)] += 1
                if "warning" in line:
                    warnings[re.sub(r"^.*warning\W*", "", line.strip())] += 1
    calls = redis.calls()
    total, most = collections.Counter(), collections.Counter()
    kinds = {layer: collections.Counter() for layer in ("node", "user")}
    for rank, layers in enumerate(layers_of[:traces]):
        for layer, counted in operations(os.path.join(folder, f"trace{rank}"), layers).items():
            kinds[layer].update(counted)
            total[layer] += counted.total()
            most[layer] = max(most[layer], counted.total())
    print(f"\n{title}: {options.processes} processes on {options.nodes} nodes")
    print(f"  objects {expected if expected else len(compiled)}, compiles {compiled.total()}, of different objects "
          f"{len(compiled)}")
    print(f"  calls of Redis: {', '.join(f'{name} {count}' for name, count in calls.items()) or 'none'}")
    for text, count in warnings.items():
        print(f"  warning, {count} times: {text}")
    table(f"operations on files of {min(traces, options.processes)} processes", ["layer", "all", "most of a process", *KINDS],
          [[layer, total[layer], most[layer], *(kinds[layer][kind] for kind in KINDS)] for layer in kinds])
    if compiled.total() != (expected or len(compiled)):
        wrong.append(f"{title}: {compiled.total()} compiles for {expected or len(compiled)} objects")


def cold_program(folder, redis):
    job("cold job, program", folder, redis, lambda rank: (
        [program, "--size", "small", "--repeat", "40"],
        {"LD_PRELOAD": f"{lib}/libmeld.so:{lib}/libmeld-softgpu.so", "MELD_GPU_THREADS": "1"}),
        0, options.nodes)
    for rank in range(options.processes):
        with open(os.path.join(folder, f"out{rank}")) as out:
            if "PASS" not in (text := out.read()):
                wrong.append(f"process {rank} of the program's job printed: {text}")


def cold_loads(folder, redis):
    job("cold job, loads", folder, redis, lambda rank: (
        [loads, code, "--count", str(options.objects), "--first", str(rank), "--patient"], {}), options.objects,
        options.processes)
    for rank in range(options.processes):
        with open(os.path.join(folder, f"out{rank}")) as out:
            outcome = json.loads(out.read().splitlines()[-1])
        if sum(count for name, count in outcome.items() if name.startswith("replaced")) != options.objects:
            wrong.append(f"process {rank} of the loads' job got {outcome}")


def warm(folder, redis):
    entries, scratch = os.path.join(folder, "entries"), os.path.join(folder, "scratch")
    environment = {**clean_environment(), "MELD_ADAPT": "static", "MELD_CACHE_DIR": scratch}
    progress("writing entries")
    filled = json.loads(subprocess.run(
        [loads, code, "--count", str(options.kernels), "--fill", entries, "--fill-remote", redis.url], check=True,
        stdout=subprocess.PIPE, text=True, env=environment).stdout)
    redis.calls()
    rows = []

    def start(name, nfs=False, stay=False, layer=entries, **settings):
        progress(f"warm start: {name}")
        trace = os.path.join(folder, "trace")
        out = subprocess.run(traced([loads, code, "--count", str(options.kernels), *["--stay"] * stay], trace, nfs), check=True,
                             stdout=subprocess.PIPE, text=True, env={**clean_environment(), "MELD_ADAPT": "static",
                                                                     **settings}).stdout
        outcome = json.loads(out.splitlines()[-1])
        got = sum(count for what, count in outcome.items() if what.startswith("replaced"))
        counted = operations(trace, {"layer": layer})
        kinds = counted["layer"]
        calls = redis.calls()
        rows.append([name, got, kinds.total(), f"{kinds.total() / options.kernels:.2f}", *(kinds[k] for k in KINDS),
                     sum(calls.values())])
        return got

    got = [start("node", MELD_CACHE_LAYERS="node", MELD_CACHE_NODE=entries),
           start("user", MELD_CACHE_LAYERS="user", MELD_CACHE_DIR=entries),
           start("user, on NFS", True, MELD_CACHE_LAYERS="user", MELD_CACHE_DIR=entries),
           start("site", MELD_CACHE_LAYERS="site", MELD_CACHE_SITE=entries),
           start("site, on NFS", True, MELD_CACHE_LAYERS="site", MELD_CACHE_SITE=entries)]
    shutil.rmtree(scratch)
    remote = {"MELD_CACHE_LAYERS": "user,remote", "MELD_CACHE_DIR": scratch, "MELD_CACHE_REMOTE": redis.url}
    start("remote, first start", stay=True, layer=scratch, **remote)
    got += [0, start("remote, next start", layer=scratch, **remote)]
    progress("")
    table(f"warm start of {options.kernels} kernels, {filled['bytes'] / options.kernels / 1024:.1f} KB each",
          ["layer", "loads with code", "operations", "for each", *KINDS, "calls of Redis"], rows)
    for row, count in zip(rows, got):
        if count != options.kernels and row[0] != "remote, first start":
            wrong.append(f"warm start, {row[0]}: {count} of {options.kernels} loads got their code")


with tempfile.TemporaryDirectory(prefix="meld-cluster-") as top:
    server = Redis(top)
    try:
        parts = {"program": cold_program, "loads": cold_loads, "warm": warm}
        for number, part in enumerate(part for name, part in parts.items() if options.only in (None, name)):
            server.ask("flushall")
            server.calls()
            here = os.path.join(top, str(number))
            os.mkdir(here)
            part(here, server)
    finally:
        server.end()
for text in wrong:
    print(f"wrong: {text}", file=sys.stderr)
sys.exit(1 if wrong else 0)
