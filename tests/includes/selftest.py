"""Whether includes.py and pictures.py see what they are there for: small trees with one fault each."""
import os
import subprocess
import sys
import tempfile
import unittest

here = os.path.dirname(os.path.abspath(__file__))
page = """| room | holds | may use |
|---|---|---|
| `shim/` | a | `jit/api.h`, `runtime/` |
| `runtime/` | b | nothing |
| `runtime/leaf` | c | nothing |
| `jit/` | d | `passes/` |
| `passes/` | e | |
"""


class Tree(unittest.TestCase):
    def run_on(self, files, table=page):
        with tempfile.TemporaryDirectory() as root:
            always = {"docs/architecture.md": table, "jit/api.h": "", "runtime/a.h": "", "runtime/leaf/l.h": "",
                      "shim/s.h": "", "passes/p.h": ""}
            for name, text in {**always, **files}.items():
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                with open(os.path.join(root, name), "w") as file:
                    file.write(text)
            known = os.path.join(root, "known.txt")
            open(known, "w").close()
            return subprocess.run([sys.executable, os.path.join(here, "includes.py"), "--known", known, root],
                                  capture_output=True, text=True)

    def test_what_is_allowed(self):
        ran = self.run_on({"shim/x.cpp": '#include "jit/api.h"\n#include "runtime/leaf/l.h"\n#include "s.h"\n'})
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_upward(self):
        ran = self.run_on({"runtime/x.cpp": '#include "shim/s.h"\n'})
        self.assertEqual(ran.returncode, 1)
        self.assertIn("runtime/x.cpp includes shim/s.h", ran.stdout)

    def test_another_header_of_a_room(self):
        self.assertEqual(self.run_on({"jit/b.h": "", "shim/x.cpp": '#include "jit/b.h"\n'}).returncode, 1)

    def test_the_room_around(self):
        self.assertEqual(self.run_on({"runtime/leaf/x.cpp": '#include "runtime/a.h"\n'}).returncode, 1)

    def test_ring_through_sources(self):
        ran = self.run_on({"jit/b.h": "", "jit/b.cpp": '#include "jit/c.h"\n', "jit/c.h": '#include "d.h"\n',
                           "jit/d.h": '#include "jit/b.h"\n'})
        self.assertEqual(ran.returncode, 1)
        self.assertIn("ring of 3 units: jit/b, jit/c, jit/d", ran.stdout)

    def test_a_room_that_is_not_there(self):
        self.assertEqual(self.run_on({}, page + "| `runtime/gone` | f | nothing |\n").returncode, 2)


class Pictures(unittest.TestCase):
    def lint(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".h") as file:
            file.write(text)
            file.flush()
            tool = os.path.join(here, "../comments/pictures.py")
            return subprocess.run([sys.executable, tool, file.name], capture_output=True).returncode

    def test_a_line_broken_off(self):
        picture = "//      B     R               P0    R             every branch a constant that leads to its entry,"
        self.assertEqual(self.lint(picture + "\n//      |    |\n"), 0)
        self.assertEqual(self.lint(picture + "\n//      or its exit\n//      |    |\n"), 1)


if __name__ == "__main__":
    unittest.main()
