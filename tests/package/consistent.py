#!/usr/bin/env python3
"""consistent.py SOURCE VERSION: cmake/package names targets, packages and a version; the rest of the tree has them.

 - debian/changelog has the project's version
 - each Build-Depends of debian/control is a package that ./dev installs (or a tool of packaging)
 - the targets that package.sh and the Spack recipe build are the same, and CMake files define them
 - each file that the CMake rules install is in exactly one Debian package, or on the list of those left out
 - what the container file copies and runs is there

Exit code: 0, 1 with what differs.
"""
import fnmatch
import os
import re
import sys

source, version = sys.argv[1:3]
wrong = []


def read(path):
    with open(os.path.join(source, path)) as file:
        return file.read()


def expect(holds, what):
    if not holds:
        wrong.append(what)


package = "cmake/package/"
changelog = re.match(r"libmeld \(([^)]*)\)", read(package + "debian/changelog"))
expect(changelog and changelog.group(1) == version, f"debian/changelog is not of version {version}")

control = read(package + "debian/control")
needed = re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M).group(1)
needed = [line.strip(" ,").split(" ")[0] for line in needed.splitlines()]
installed = re.search(r"^packages=\(\n(.*?)^\)", read("dev"), re.M | re.S).group(1).split()
for name in needed:
    expect(name in installed or name == "debhelper-compat", f"debian/control: {name} is no package of ./dev")

script = read(package + "package.sh")
recipe = read(package + "spack/packages/libmeld/package.py")
compile(recipe, "package.py", "exec")
targets = re.search(r"build default ((?:.*\\\n)*.*)", script).group(1).replace("\\\n", " ").split()
listed = re.search(r"return \[\n((?: +\"[^\"]*\",\n)+) +\]", recipe).group(1)
expect(targets == re.findall(r'"([^"]*)"', listed), "package.sh and the recipe build different targets")
rules = re.search(r"dh_auto_build -- ((?:.*\\\n)*.*)", read(package + "debian/rules"))
expect(rules and rules.group(1).replace("\\\n", " ").split() == targets, "debian/rules builds other targets")

cmake = ""
for room in ("bench", "jit", "passes", "runtime", "shim"):
    for folder, _, names in os.walk(os.path.join(source, room)):
        if "CMakeLists.txt" in names:
            cmake += read(os.path.join(folder, "CMakeLists.txt"))
kernels = re.search(r"MELD_BENCH_KERNELS ([^)]*)\)", cmake).group(1).split()
for target in targets:
    defined = re.search(rf"add_(library|executable)\({re.escape(target)}\b", cmake)
    manual = target.endswith("_manual") and f"meld_manual_page({target[:-7]} " in cmake
    kernel = target.startswith("hip_") and target[4:] in kernels
    expect(defined or manual or kernel, f"no CMake file defines the target {target}")
for option in re.findall(r'self\.define\("(MELD_\w+)"', recipe):
    expect(option in read("cmake/MeldOptions.cmake"), f"the recipe sets {option}, which CMake does not know")

container = read(package + "Containerfile")
for path in re.findall(r"^RUN (\./\S+) (\w+)", container, re.M):
    expect(os.access(os.path.join(source, path[0]), os.X_OK), f"Containerfile: no {path[0]}")
    expect(f"\n  {path[1]})" in read("dev"), f"Containerfile: {path[0]} has no command {path[1]}")

# Files, as an installation in Debian's layout would have them.
folders = {"CMAKE_INSTALL_BINDIR": "usr/bin", "CMAKE_INSTALL_LIBDIR": "usr/lib/x", "private": "usr/lib/x/libmeld",
           "CMAKE_INSTALL_MANDIR": "usr/share/man", "CMAKE_INSTALL_DATADIR": "usr/share",
           "CMAKE_INSTALL_DOCDIR": "usr/share/doc/libmeld"}
outputs = {"meld_cli": "meld", "meld_gpu_program": "meld-gpu", "meld_shim": "libmeld.so", "meld-jit": "libmeld-jit.so",
           "meld-softgpu": "libmeld-softgpu.so", "meld-softgpu-translate": "libmeld-softgpu-translate.so",
           "MeldPasses": "MeldPasses.so", "meld-compile": "meld-compile", "meld-remote": "meld-remote"}


def holds(pattern, path):
    """As dh_install reads a pattern: part by part, and a folder stands for all that is in it."""
    parts, names = pattern.split("/"), path.split("/")
    return len(parts) <= len(names) and all(map(fnmatch.fnmatchcase, names, parts))


placed = []
rules = re.sub(r"#.*", "", read("cmake/MeldInstall.cmake"))
for kind, what, folder, rename in re.findall(
        r"install\((TARGETS|FILES|PROGRAMS) ([^)]*?)\s+(?:LIBRARY |RUNTIME )?DESTINATION ([^\s)]+)(?: RENAME ([^\s)]+))?\)",
        rules):
    folder = re.sub(r"\$\{(\w+)\}", lambda m: folders[m.group(1)], folder)
    for word in what.split():
        if word in ("LIBRARY", "RUNTIME"):
            continue
        name = outputs[word] if kind == "TARGETS" else rename or os.path.basename(word)
        placed.append(f"{folder}/{name}")
expect(len(placed) >= 15, f"cmake/MeldInstall.cmake: only {len(placed)} files understood")
lists = {name: read(f"{package}debian/{name}").split() for name in os.listdir(os.path.join(source, package, "debian"))
         if name.endswith(".install") or name == "not-installed"}
for path in placed:
    takers = sorted({name for name, patterns in lists.items() for pattern in patterns if holds(pattern, path)})
    expect(len(takers) == 1, f"{path} is in {len(takers)} Debian packages: {' '.join(takers)}")

for line in wrong:
    print("package:", line)
sys.exit(1 if wrong else 0)
