"""What a run of everything comes to, by set of benchmarks; and two runs of one device beside each other."""
from statistics import median, quantiles

from report import TIMED, gains, mean, middle, ratios, rows, short, spread


def over(kernels, form, base):
    """The form's ratios over the base form's, or over the plain one's where the base is that."""
    return [m / (middle(k, base) or 1) for _, k in kernels if (m := middle(k, form))]


def cell(found):
    return f"{len(found)}: {mean([m for m, _ in found]):.3f} ({min(found)[0]:.3f} {min(found)[1]}, {max(found)[0]:.3f} {max(found)[1]})" if found else ""


def sets(whole):
    """Lines of a table in Markdown: each set of benchmarks, and all."""
    groups = {}
    for row in rows(whole):
        groups.setdefault(row[0]["set"], []).append(row)
    groups["all"] = list(rows(whole))
    lines = ["| set | melded: kernels, mean (least, most) | specialised: kernels, mean (least, most) | over melded |", "|---|---|---|---|"]
    for name, kernels in groups.items():
        special = over(kernels, "specialised", "melded")
        lines.append(f"| {name} | {cell(gains(kernels, 'melded'))} | {cell(gains(kernels, 'specialised'))} | "
                     f"{f'{mean(special):.3f}' if special else ''} |")
    everything = groups["all"]
    for form in TIMED:
        sure = [spread(r) for _, k in everything if len(r := ratios(k, form)) > 1]
        if sure:
            lines.append(f"{form}: {sum(low > 1.01 for _, low, _ in sure)} of {len(sure)} kernels gain more than 1 % by quartiles, "
                         f"{sum(high < 0.99 for _, _, high in sure)} lose more")
    if flat := over(everything, "flattened", "melded"):
        moved = [m for m in flat if abs(m - 1) > 0.01]
        lines.append(f"flattened over melded: mean {mean(flat):.3f} over {len(flat)} kernels; {mean(moved):.3f} over the {len(moved)} that it moves "
                     f"by more than 1 %" if moved else "")
    return lines


def pairs(first, second):
    """The same kernels of two runs."""
    others = {(r["benchmark"], k["entry"], tuple(k["block"])): k for r, k in rows(second)}
    return [(f"{r['benchmark']} {short(k['entry'])}", k, others[key]) for r, k in rows(first)
            if (key := (r["benchmark"], k["entry"], tuple(k["block"]))) in others]


def beside(first, second):
    """Lines: what choosing by the first run's times comes to in the second, and how far the two runs lie apart."""
    both = pairs(first, second)
    chosen, apart = [], []
    for name, a, b in both:
        known = {form: m for form in TIMED if (m := middle(a, form))}
        best = max(known, key=known.get, default=None)
        chosen.append(((middle(b, best) or 1) if best and known[best] > 1 else 1.0, name))
        apart += [abs((middle(b, form) or m) / m - 1) for form, m in known.items()]
    if not chosen:
        return ["the two runs have no kernel in common"]
    tenths = quantiles(apart, n=10) if len(apart) > 1 else [0] * 9
    return [f"fastest form by the first run, judged by the second: mean {mean([m for m, _ in chosen]):.3f} over {len(chosen)} kernels, "
            f"least {min(chosen)[0]:.3f} ({min(chosen)[1]})",
            f"middles of the two runs lie apart by {100 * median(apart):.2f} % (median), a tenth by more than {100 * tenths[-1]:.2f} %, "
            f"at most {100 * max(apart):.2f} %"]
