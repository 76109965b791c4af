"""Mutations of what the GoogleTest programs check: runtime/, shim/ and jit/.

Nothing is built anew but what a mutation changes: its file is compiled by the build's own command, and the test is linked
by the build's own command with the mutated object in front of the archive that holds the right one. Where several files
are one compile, so they are with the mutated one among them. A mutated header
lies in a folder that is looked into first. What ends up in a shared library is linked into a copy of the build's lib/,
and the test, which has the folder's name from a macro, is compiled for the copy.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess

import unit_table


class Units:
    def __init__(self, root, build, scratch):
        self.root, self.build, self.scratch = root, build, scratch
        with open(os.path.join(build, "compile_commands.json")) as file:
            self.commands = {os.path.realpath(entry["file"]): entry["command"] for entry in json.load(file)}
        self.together = {}  # a file that is compiled with others: the file that includes them
        for path in [path for path in self.commands if "/Unity/unity_" in path]:
            with open(path) as file:
                for source in re.findall(r'^#include "(.*\.cpp)"', file.read(), re.M):
                    self.together[os.path.realpath(source)] = path
        self.overlay = os.path.join(scratch, "overlay")
        self.copies = os.path.join(scratch, "copies")

    def run(self, command, folder=None, **more):
        return subprocess.run(command, cwd=folder or self.build, capture_output=True, text=True, errors="replace", **more)

    def compile(self, source, texts):
        """Compiles a file of the tree, with its text in `texts` instead. Returns the object's name in the build, and the new one."""
        path = os.path.realpath(os.path.join(self.root, source))
        whole = self.together.get(path)
        command = self.commands[whole or path]
        name = re.search(r" -o (\S+)", command).group(1)
        made = os.path.join(self.scratch, "made", name)
        os.makedirs(os.path.dirname(made), exist_ok=True)
        path = self.written(source, texts[source]) if source in texts else path
        if whole:
            with open(whole) as file:
                text = file.read()
            for other, own in texts.items():
                text = text.replace(f'"{os.path.realpath(os.path.join(self.root, other))}"', f'"{self.written(other, own)}"')
            path = self.written(os.path.basename(whole), text)
        command = command.replace(f'{self.build}/lib', f'{self.copies}/lib')
        command = re.sub(r" -o \S+ -c \S+$", "", command).replace(" -I", f" -I{self.overlay} -I", 1)
        done = self.run(f"{command} -Wno-error -w -o {shlex.quote(made)} -c {shlex.quote(path)}", shell=True)
        if done.returncode:
            raise RuntimeError("does not compile: " + done.stderr[-300:])
        return name, made

    def written(self, source, text):
        path = os.path.join(self.scratch, "mutated", os.path.basename(source))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def link(self, output, objects, to):
        """Links what the build calls `output`, with these objects in the place of the build's."""
        done = self.run(["ninja", "-t", "commands", "-s", output])
        command = next(part for part in done.stdout.strip().split(" && ") if f" -o {output}" in part)
        command = command.replace(f" -o {output}", " -o " + shlex.quote(to))
        front = []
        for name, made in objects.items():
            if f" {name} " in command:
                command = command.replace(f" {name} ", f" {made} ")
            else:
                front.append(made)
        command = re.sub(r" (\S+\.o) ", lambda first: " " + " ".join(front + [first.group(1)]) + " ", command, count=1)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if os.path.exists(to):
            os.unlink(to)
        done = self.run(command, shell=True)
        if done.returncode:
            raise RuntimeError("does not link: " + done.stderr[-300:])

    def failures(self, program, mutation):
        """The tests that fail, or a word for the end of the program."""
        with subprocess.Popen([program, "--gtest_filter=" + mutation.filter, "--gtest_brief=1"], text=True, errors="replace",
                              cwd=os.path.join(self.scratch, "here"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              start_new_session=True) as test:
            try:
                said = test.communicate(timeout=mutation.seconds)[0]
            except subprocess.TimeoutExpired:
                os.killpg(test.pid, signal.SIGKILL)  # with whatever it has started
                return ["no end"]
        failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+?),? ", said, re.M)))
        if " 0 tests ran" in said or "did not match any test" in said:
            raise RuntimeError("its filter names no test")
        return failed or ([f"ends with {test.returncode}"] if test.returncode else [])

    def verdict(self, mutation):
        edited, headers = {}, []
        for file, text, replacement in [(mutation.file, mutation.text, mutation.replacement), *mutation.also]:
            if file not in edited:
                with open(os.path.join(self.root, file)) as source:
                    edited[file] = source.read()
            if edited[file].count(text) != 1:
                raise RuntimeError(f"the text is there {edited[file].count(text)} times, not once")
            edited[file] = edited[file].replace(text, replacement)
        shutil.rmtree(self.overlay, ignore_errors=True)
        for file, text in edited.items():
            if file.endswith(".h"):
                path = os.path.join(self.overlay, file)
                os.makedirs(os.path.dirname(path))
                with open(path, "w") as header:
                    header.write(text)
        texts = {file: text for file, text in edited.items() if not file.endswith(".h")}
        objects = dict(self.compile(file, texts) for file in [*texts, *mutation.users])
        program = os.path.join(self.scratch, "made", mutation.test)
        if mutation.library:
            right = os.path.join(self.build, "lib", mutation.library)
            self.link("lib/" + mutation.library, objects, os.path.join(self.copies, "lib", mutation.library))
            try:
                return self.failures(program, mutation)
            finally:
                os.unlink(os.path.join(self.copies, "lib", mutation.library))
                shutil.copy2(right, os.path.join(self.copies, "lib", mutation.library))
        self.link("bin/" + mutation.test, objects, program)
        return self.failures(program, mutation)

    def prepare(self, mutations):
        """Builds the tests, and sees that they pass with nothing mutated."""
        wanted = sorted({mutation.test for mutation in mutations})
        done = self.run(["nice", "-n", "5", "ninja", *wanted])
        if done.returncode:
            return "the tests do not build:\n" + done.stdout[-1500:]
        os.makedirs(os.path.join(self.scratch, "here"), exist_ok=True)
        for test, library, source in sorted({(m.test, m.library, m.source) for m in mutations if m.library}):
            if not os.path.isdir(self.copies):
                os.mkdir(self.copies)
                shutil.copytree(os.path.join(self.build, "lib"), os.path.join(self.copies, "lib"),
                                ignore=shutil.ignore_patterns("*.a"))
            self.link("bin/" + test, dict([self.compile(source, {})]), os.path.join(self.scratch, "made", test))
        for test, filter, library, seconds in sorted({(m.test, m.filter, m.library, m.seconds) for m in mutations}):
            program = os.path.join(self.scratch, "made", test) if library else os.path.join(self.build, "bin", test)
            failed = self.failures(program, unit_table.Unit("", "", "", "", test, filter, seconds=seconds))
            if failed:
                return f"{test} fails with nothing mutated: {failed}"
        return None
