"""Whether skips.py counts what ctest says, and finds each program's reason."""
import os
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

here = os.path.dirname(os.path.abspath(__file__))

GTEST = """Running main() from gtest_main.cc
Note: Google Test filter = A.B
[ RUN      ] A.B
/src/a.cpp:39: Skipped
another thread is inside HIP

[  SKIPPED ] A.B (0 ms)
[==========] 1 test from 1 test suite ran. (0 ms total)
"""


class Skips(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tests.xml")
            with open(path, "w") as file:
                file.write(text)
            return subprocess.run([sys.executable, os.path.join(here, "skips.py"), path], capture_output=True, text=True)

    def summary(self, *cases):
        done = self.run_on("<testsuite>" + "".join(
            f'<testcase name="{name}" status="{status}"><system-out>{escape(output)}</system-out></testcase>'
            for name, status, output in cases) + "</testsuite>")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_counts(self):
        self.assertEqual(self.summary(("a", "run", "Skipped"), ("b", "fail", "")), ["tests: 2 ran, 1 failed, 0 did not run"])

    def test_reasons(self):
        lines = self.summary(("a", "notrun", GTEST), ("b", "notrun", "looking\nno libcuda\n"), ("c", "disabled", "Disabled"),
                             *((f"a{i}", "notrun", GTEST) for i in range(4)), ("d", "run", ""), ("e", "notrun", ""))
        self.assertEqual(lines[0], "tests: 1 ran, 0 failed, 8 did not run:")
        self.assertEqual(lines[1].split(), "5 another thread is inside HIP (a, a0, a1 and 2 more)".split())
        self.assertEqual({" ".join(line.split()) for line in lines[2:]},
                         {"1 no libcuda (b)", "1 disabled: started by other tests, or by hand (c)", "1 no reason given (e)"})

    def test_what_cannot_be_read(self):
        done = self.run_on("<testsuite>")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("tests.xml", done.stderr)


if __name__ == "__main__":
    unittest.main()
