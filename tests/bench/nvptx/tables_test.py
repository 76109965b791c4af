"""What bench/nvptx reads off PTX and makes of times."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "nvptx"))

import ptx  # noqa: E402
import report  # noqa: E402
import summary  # noqa: E402

HEAD = ".version 7.5\n.target sm_75\n.address_size 64\n\n"


def entry(name, number, body):
    return (f".visible .entry {name}(\n\t.param .u64 {name}_param_0\n)\n{{\n$L__BB{number}_1:  // %loop\n{body}"
            f"\t@%p1 bra \t$L__BB{number}_1;\n\tret;\n}}\n")


class Ptx(unittest.TestCase):
    def test_what_numbers_a_function_makes_no_difference(self):
        one = HEAD + entry("a", 0, "\tmov.u32 \t%r1, 1;\n") + entry("b", 1, "\tmov.u32 \t%r1, 2;\n")
        other = HEAD + entry("b", 0, "\tmov.u32 \t%r1, 2;\n") + entry("a", 1, "\tmov.u32 \t%r1, 1;\n")
        self.assertEqual(ptx.bodies(one)["a"], ptx.bodies(other)["a"])
        self.assertEqual(ptx.changed(one, other), [])

    def test_changed_entries_are_named(self):
        one = HEAD + entry("a", 0, "\tmov.u32 \t%r1, 1;\n") + entry("b", 1, "\tmov.u32 \t%r1, 2;\n")
        other = HEAD + entry("a", 0, "\tmov.u32 \t%r1, 1;\n") + entry("b", 1, "\tselp.b32 \t%r1, 2, 3, %p1;\n")
        self.assertEqual(ptx.changed(one, other), ["b"])

    def test_all_are_changed_where_a_function_is(self):
        function = ".func f()\n{\n\tret;\n}\n"
        one = HEAD + function + entry("a", 0, "")
        other = HEAD + function.replace("ret", "trap") + entry("a", 0, "")
        self.assertEqual(ptx.changed(one, other), ["a"])

    def test_counts(self):
        text = HEAD + entry("a", 0, "\tselp.b32 \t%r1, 2, 3, %p1;\n")
        self.assertEqual((ptx.instructions(text), ptx.selects(text), ptx.branches(text)), (3, 1, 1))

    def test_the_largest_variable_becomes_dynamic(self):
        variables = (".weak .shared .align 4 .b8 small[16384];\n.weak .shared .align 4 .b8 large[40000];\n"
                     ".weak .shared .align 4 .b8 other[40000];\n")
        text = HEAD + variables + entry("a", 0, "\tmov.u64 \t%rd1, large;\n\tmov.u64 \t%rd2, small;\n") + \
            entry("b", 1, "\tmov.u64 \t%rd1, other;\n")
        made = ptx.with_dynamic_shared(text)
        self.assertIn("// dynamic a 40000\n", made)
        self.assertNotIn("dynamic b", made)
        self.assertIn(".extern .shared .align 16 .b8 large[];\n", made)
        self.assertNotIn(".b8 large[40000]", made)
        self.assertIn(".b8 small[16384]", made)
        self.assertIn(".b8 other[40000]", made)
        self.assertLess(made.index(".address_size"), made.index(".extern"))

    def refused(self, variables, *entries):
        with self.assertRaises(ptx.Unsuited):
            ptx.with_dynamic_shared(HEAD + variables + "".join(entries))

    def test_what_cannot_be_made_dynamic(self):
        a, b = (f".shared .align 4 .b8 {name}[40000];\n" for name in "ab")
        both = entry("k", 0, "\tmov.u64 \t%rd1, a;\n\tmov.u64 \t%rd2, b;\n")
        self.refused(a + b, both, entry("l", 1, "\tmov.u64 \t%rd1, a;\n"))  # would have none of its own
        self.refused(a + b, both, entry("l", 1, "\tmov.u64 \t%rd1, b;\n\tmov.u64 \t%rd2, c;\n"),
                     ".func f()\n{\n\tmov.u64 \t%rd1, a;\n}\n")
        self.refused(a.replace("align 4", "align 128") + b.replace("40000", "20000"), both)
        self.refused(a + b + ".extern .shared .align 16 .b8 own[];\n", both)
        three = entry("k", 0, "\tmov.u64 \t%rd1, a;\n\tmov.u64 \t%rd2, b;\n\tmov.u64 \t%rd2, c;\n")
        self.refused(a + b + ".shared .align 4 .b8 c[40000];\n", three)  # one is not enough

    def test_what_fits_stays(self):
        text = HEAD + ".shared .align 4 .b8 x[49152];\n" + entry("a", 0, "\tmov.u64 \t%rd1, x;\n")
        self.assertEqual(ptx.with_dynamic_shared(text), text)


def result(forms, status=0):
    return {"date": "2026-01-02", "benchmarks": [{
        "benchmark": "b", "status": status, "output": "FAIL" if status else "", "device": "D", "cuda": 13010, "rounds": 2,
        "kernels": [{"entry": "_Z4sradILj16EEvPf", "block": [16, 16, 1], "grid": [4, 1, 1], "launches": 1,
                     "measured": 1, "loose": 0, "forms": forms}]}]}


def form(times, same=True):
    return {"same": same, "launches": 1, "times": times}


class Report(unittest.TestCase):
    def test_ratios_are_of_the_same_round(self):
        whole = result({"plain": form([2.0, 4.0]), "again": form([2.0, 4.0]), "melded": form([1.0, 4.0])})
        kernel = whole["benchmarks"][0]["kernels"][0]
        self.assertEqual(report.ratios(kernel, "melded"), [2.0, 1.0])
        self.assertEqual(report.ratios(kernel, "flattened"), [])

    def test_the_table(self):
        text = report.table(result({"plain": form([2.0, 2.0]), "again": form([2.0, 2.0]), "melded": form([1.0, 1.0])}))
        self.assertIn("D, CUDA driver API 13.1, 2026-01-02, 2 rounds", text)
        self.assertRegex(text, r"b +srad +16x16 +1 +2000\.0 +1\.000 \(1\.000-1\.000\) +2\.000")
        self.assertIn("melded: geometric mean 2.000 over 1 kernels", text)

    def test_what_is_wrong_is_said(self):
        right = result({"plain": form([1.0]), "again": form([1.0]), "melded": form([1.0])})
        self.assertEqual(report.wrong(right), [])
        other = result({"plain": form([1.0]), "again": form([1.0]), "forced": form([1.0], same=False)})
        self.assertEqual(report.wrong(other), ["b, srad: forced leaves other memory than the plain form"])
        failed = result({"plain": form([1.0])}, status=1)
        self.assertEqual(report.wrong(failed), ["b: exit status 1: FAIL"])

    def test_a_form_that_was_not_run_is_no_unchanged_one(self):
        whole = result({"plain": form([1.0]), "again": form([1.0]), "specialised": {"same": True, "launches": 0, "times": []}})
        self.assertEqual(report.wrong(whole), ["b, srad: specialised was not run: its facts held for no launch"])
        self.assertIn("not run", report.table(whole))
        whole["benchmarks"][0]["kernels"][0].update(launches=4, measured=2)
        whole["benchmarks"][0]["kernels"][0]["forms"]["specialised"] = form([1.0, 2.0])
        whole["benchmarks"][0]["kernels"][0]["forms"]["plain"] = form([1.0, 2.0])
        self.assertIn("1 of 2", report.table(whole))
        self.assertIn("2 of 4", report.table(whole))

    def test_nothing_measured_is_no_success(self):
        self.assertEqual(report.wrong({"benchmarks": [{"benchmark": "b", "status": 0, "output": ""}]}),
                         ["b: 0 kernels, 1 were expected"])

    def test_times_of_the_host_are_told(self):
        whole = result({"plain": form([1.0]), "again": form([1.0])})
        whole["benchmarks"][0]["kernels"][0]["loose"] = 3
        self.assertIn("3 times may hold time of the host", report.table(whole))

    def test_kernels_that_vary_by_themselves_say_nothing(self):
        whole = result({"plain": form([1.0]), "again": form([1.0], same=False), "melded": form([1.0], same=False)})
        self.assertEqual(report.wrong(whole), [])
        self.assertIn("varies by itself", report.table(whole))


class Summary(unittest.TestCase):
    """b's melded form takes half the time, c's twice the time; specialised b takes a quarter."""

    @staticmethod
    def run_of(b_melded=1.0, c_melded=4.0):
        whole = result({"plain": form([2.0, 2.0]), "melded": form([b_melded] * 2), "specialised": form([0.5, 0.5])})
        other = result({"plain": form([2.0, 2.0]), "melded": form([c_melded] * 2)})["benchmarks"][0]
        other["benchmark"] = "c"
        whole["benchmarks"].append(other)
        for benchmark, name in zip(whole["benchmarks"], ("one", "two")):
            benchmark["set"] = name
        return whole

    def test_sets(self):
        lines = summary.sets(self.run_of())
        self.assertIn("| one | 1: 2.000 (2.000 b srad, 2.000 b srad) | 1: 4.000 (4.000 b srad, 4.000 b srad) | 2.000 |", lines)
        self.assertIn("| all | 2: 1.000 (0.500 c srad, 2.000 b srad) | 1: 4.000 (4.000 b srad, 4.000 b srad) | 2.000 |", lines)
        self.assertIn("melded: 1 of 2 kernels gain more than 1 % by quartiles, 1 lose more", lines)

    def test_what_was_chosen_is_judged_by_the_other_run(self):
        self.assertIn("mean 2.000 over 2 kernels, least 1.000 (c srad)", summary.beside(self.run_of(), self.run_of())[0])
        # What seemed fast once is taken at what it is the second time.
        lines = summary.beside(self.run_of(c_melded=1.0), self.run_of(c_melded=4.0))
        self.assertIn("mean 1.414 over 2 kernels, least 0.500 (c srad)", lines[0])
        self.assertIn("at most 75.00 %", lines[1])

    def test_other_runs(self):
        self.assertEqual(summary.beside(self.run_of(), {"benchmarks": []}), ["the two runs have no kernel in common"])


if __name__ == "__main__":
    unittest.main()
