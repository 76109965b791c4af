"""Tables of what run.py has measured."""
import math
from statistics import median, quantiles

TIMED = ("melded", "flattened", "specialised")


def ratios(kernel, form):
    """The plain form's time over this one's, of each round; empty where the form is as the plain one."""
    forms = kernel["forms"]
    if form not in forms:
        return []
    return [a / b for a, b in zip(forms["plain"]["times"], forms[form]["times"]) if b > 0]


def spread(values):
    """(middle, lower quartile, upper quartile)"""
    if len(values) < 2:
        return (values or [0])[0], 0, 0
    low, _, high = quantiles(values, n=4)
    return median(values), low, high


def text(values):
    if not values:
        return "="
    middle, low, high = spread(values)
    return f"{middle:.3f} ({low:.3f}-{high:.3f})"


def short(entry):
    """_Z4sradILj16EEvPfS0_ -> srad"""
    digits = ""
    for c in entry[2:]:
        if not c.isdigit():
            break
        digits += c
    return entry[2 + len(digits):2 + len(digits) + int(digits)] if entry.startswith("_Z") and digits else entry


def rows(whole):
    for result in whole["benchmarks"]:
        for kernel in result.get("kernels", []):
            yield result, kernel


def cells(result, kernel):
    again = kernel["forms"].get("again", {})
    steady = again.get("same", True)
    different = [f for f, v in kernel["forms"].items() if f != "again" and not v["same"]]
    same = "=" if not different else ", ".join(different) + " differ"
    if not steady:
        same = "varies by itself"
    shape = "x".join(str(n) for n in kernel["block"] if n > 1) or "1"
    return [result["benchmark"], short(kernel["entry"]), shape, str(kernel["launches"]),
            f"{1000 * median(kernel['forms']['plain']['times']):.1f}", text(ratios(kernel, "again")),
            *(text(ratios(kernel, form)) for form in TIMED), same]


HEAD = ["benchmark", "kernel", "block", "launches", "plain us", "again", *TIMED, "memory"]


def geomeans(whole):
    """Lines, over kernels that a form changes: mean of the middles, the worst, and how many."""
    lines = []
    for form in TIMED:
        found = [(spread(r)[0], result["benchmark"] + " " + short(kernel["entry"]))
                 for result, kernel in rows(whole) if len(r := ratios(kernel, form)) > 1]
        if not found:
            continue
        mean = math.exp(sum(math.log(m) for m, _ in found) / len(found))
        worst, best = min(found), max(found)
        lines.append(f"{form}: geometric mean {mean:.3f} over {len(found)} kernels, least {worst[0]:.3f} "
                     f"({worst[1]}), most {best[0]:.3f} ({best[1]})")
    return lines


def about(whole):
    first = next((r for r in whole["benchmarks"] if "device" in r), {})
    version = first.get("cuda", 0)
    return (f"{first.get('device', 'no device')}, CUDA driver API {version // 1000}.{version % 1000 // 10}, "
            f"{whole['date']}, {first.get('rounds', 0)} rounds")


def table(whole):
    lines = [HEAD] + [cells(*row) for row in rows(whole)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    return "\n".join([about(whole)] + ["  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip()
                                       for line in lines] + geomeans(whole))


def markdown(whole):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    lines += ["| " + " | ".join(cells(*row)) + " |" for row in rows(whole)]
    return "\n".join([about(whole), ""] + lines + [""] + geomeans(whole))


def wrong(whole):
    """What must not be: a program that fails, a form that leaves other memory than the plain one."""
    lines = [f"{r['benchmark']}: exit status {r['status']}: {r['output'].strip()}" for r in whole["benchmarks"]
             if r["status"]]
    for result, kernel in rows(whole):
        if not kernel["forms"].get("again", {}).get("same", True):
            continue  # its own results vary: nothing can be said of the others'
        lines += [f"{result['benchmark']}, {short(kernel['entry'])}: {form} leaves other memory than the plain form"
                  for form, value in kernel["forms"].items() if not value["same"]]
    return lines
