"""Tables of what run.py has measured."""
import math
from statistics import median, quantiles

TIMED = ("melded", "flattened", "specialised")


def ratios(kernel, form):
    """The plain form's time over this one's, of each round; empty where the form is as the plain one."""
    forms = kernel["forms"]
    if form not in forms or not forms[form]["launches"]:
        return []
    return [a / b for a, b in zip(forms["plain"]["times"], forms[form]["times"]) if b > 0]


def spread(values):
    """(middle, lower quartile, upper quartile)"""
    if len(values) < 2:
        return (values or [0])[0], 0, 0
    low, _, high = quantiles(values, n=4)
    return median(values), low, high


def text(kernel, form):
    """-: the form is as the plain one. Of a form that could not be used for all launches, for how many it was."""
    if form not in kernel["forms"]:
        return "-"
    values, used, all_of_them = ratios(kernel, form), kernel["forms"][form]["launches"], kernel["measured"]
    if not values:
        return "not run"
    middle, low, high = spread(values)
    of = "" if used == all_of_them else f", {used} of {all_of_them}"
    return f"{middle:.3f} ({low:.3f}-{high:.3f}{of})"


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
    same = "equal" if not different else ", ".join(different) + " differ"
    if not steady:
        same = "varies by itself"
    shape = "x".join(str(n) for n in kernel["block"] if n > 1) or "1"
    return [result["benchmark"], short(kernel["entry"]), shape, str(kernel["launches"]) if kernel["launches"] == kernel["measured"] else
            f"{kernel['measured']} of {kernel['launches']}",
            f"{1000 * median(kernel['forms']['plain']['times']):.1f}", text(kernel, "again"),
            *(text(kernel, form) for form in TIMED), same]


HEAD = ["benchmark", "kernel", "block", "launches", "plain us", "again", *TIMED, "memory"]


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def middle(kernel, form):
    """The middle of a form's ratios; None where it is as the plain form, or was not run."""
    values = ratios(kernel, form)
    return spread(values)[0] if len(values) > 1 else None


def gains(kernels, form):
    """[(ratio, name)] of the kernels that the form changes."""
    found = ((middle(kernel, form), result["benchmark"] + " " + short(kernel["entry"])) for result, kernel in kernels)
    return [pair for pair in found if pair[0]]


def geomeans(whole):
    """Lines, over kernels that a form changes: mean of the middles, the worst, and how many."""
    lines = []
    for form in TIMED:
        if found := gains(rows(whole), form):
            worst, best = min(found), max(found)
            lines.append(f"{form}: geometric mean {mean([m for m, _ in found]):.3f} over {len(found)} kernels, least {worst[0]:.3f} "
                         f"({worst[1]}), most {best[0]:.3f} ({best[1]})")
    return lines


def loose(whole):
    """A line, where there is something to say."""
    count = sum(kernel.get("loose", 0) for _, kernel in rows(whole))
    return [f"{count} times may hold time of the host: the GPU had begun before all was queued"] if count else []


def about(whole):
    first = next((r for r in whole["benchmarks"] if "device" in r), {})
    version = first.get("cuda", 0)
    return (f"{first.get('device', 'no device')}, CUDA driver API {version // 1000}.{version % 1000 // 10}, "
            f"{whole['date']}, {first.get('rounds', 0)} rounds")


def table(whole):
    lines = [HEAD] + [cells(*row) for row in rows(whole)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    return "\n".join([about(whole)] + ["  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip()
                                       for line in lines] + geomeans(whole) + loose(whole))


def markdown(whole):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    lines += ["| " + " | ".join(cells(*row)) + " |" for row in rows(whole)]
    return "\n".join([about(whole), ""] + lines + [""] + geomeans(whole) + loose(whole))


def wrong(whole):
    """What must not be: a program that fails or launches nothing, a form that leaves other memory than the plain
    one, or that no launch could be run with."""
    lines = [f"{r['benchmark']}: exit status {r['status']}: {r['output'].strip()}" for r in whole["benchmarks"]
             if r["status"]]
    lines += [f"{r['benchmark']}: {len(r.get('kernels', []))} kernels, {r.get('kernelsExpected', 1)} were expected"
              for r in whole["benchmarks"] if not r["status"] and len(r.get("kernels", [])) < r.get("kernelsExpected", 1)]
    for result, kernel in rows(whole):
        lines += [f"{result['benchmark']}, {short(kernel['entry'])}: {form} was not run: its facts held for no launch"
                  for form, value in kernel["forms"].items() if not value["launches"]]
        if not kernel["forms"].get("again", {}).get("same", True):
            continue  # its own results vary: nothing can be said of the others'
        lines += [f"{result['benchmark']}, {short(kernel['entry'])}: {form} leaves other memory than the plain form"
                  for form, value in kernel["forms"].items() if not value["same"]]
    return lines
