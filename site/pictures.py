#!/usr/bin/env python3
"""The pictures of the worked examples, docs/examples/*.svg, from runs on the software GPU.

Each shows one wave, alone and under libmeld: a row for each of its 64 lanes, from left to right the vector instructions
that it executed, dark where the lane took part (where there are more instructions than columns, darker where it took
part in more of them). Below, modelled cycles and executed instructions of a whole launch.

usage: pictures.py [--check] BUILD [NAME...]     BUILD has bin/meld and bin/hip/example_NAME (the target hip_example_NAME)

  --check   draw nothing; exit code 1 where a picture, or its page, has other numbers than the runs. 77: another compiler
            than the pictures were made with
"""
import base64
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

Example = collections.namedtuple("Example", "kernel how environment")
# What libmeld comes to: with an estimate alone (clouds), or by measuring launches, which takes many of them; one launch
# of the version that they choose is what is drawn.
EXAMPLES = {
    "clouds": Example("adjust", "melded", {"MELD_ADAPT": "static"}),
    "pagerank": Example("pull", "flattened", {"MELD_SERVE": "flattened"}),
    "photons": Example("follow", "flattened", {"MELD_SERVE": "flattened"}),
}
COMPILER = "LLVM 15.0.6; comgr 2.4"  # Debian 12's
LANES = 64
WIDTH, MARGIN = 360, 8  # as wide as a telephone; every text is readable there
VECTOR = re.compile(r" exec=([0-9a-f]{16}) scc=\d  (?:v_|ds_|global_|flat_|buffer_|scratch_)")


def run(build, name, environment, extra):
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "MELD_CACHE_DIR": folder, "MELD_COMPILE_BUDGET_MS": "0", **environment}
        subprocess.run([f"{build}/bin/meld", "run", "--device", "software", *extra, "--",
                        f"{build}/bin/hip/example_{name}", "1"], env=environment, check=True, stdout=subprocess.DEVNULL)


def wave(build, name, kernel, environment, extra):
    """EXEC at each vector instruction of the first wave of the first workgroup."""
    masks = []
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/trace"
        run(build, name, {**environment, "MELD_TRACE": f"insts,{file}", "MELD_TRACE_KERNEL": kernel}, extra)
        with open(file, encoding="utf-8") as trace:
            for line in trace:
                if " g0 w0 " in line and (found := VECTOR.search(line)):
                    masks.append(int(found[1], 16))
    assert masks, f"{name}: no wave in the trace"
    return masks


def launch(build, name, kernel, environment, extra):
    """Modelled cycles, instructions and VALUUtilization of the kernel's launch."""
    with tempfile.TemporaryDirectory() as folder:
        run(build, name, environment, [*extra, "--timing", "--counters", f"{folder}/counters.json"])
        with open(f"{folder}/counters.json", encoding="utf-8") as file:
            totals = json.load(file)["totals"]
    (total,) = [value for key, value in totals.items() if kernel in key]
    assert total["dispatches"] == 1
    return total["cycles"], total["counters"]["SQ_INSTS"]


def png(rows):
    """Rows of (red, green, blue)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def strip(masks, columns):
    """The wave as a picture: one pixel for each lane and column."""
    light, dark = (226, 232, 240), (23, 92, 158)
    rows = [[None] * columns for _ in range(LANES)]
    for column in range(columns):
        first = column * len(masks) // columns
        part = masks[first:max(first + 1, (column + 1) * len(masks) // columns)]
        for lane in range(LANES):
            share = sum(mask >> lane & 1 for mask in part) / len(part)
            rows[lane][column] = tuple(round(a + (b - a) * share) for a, b in zip(light, dark))
    return png(rows)


def drawing(example, plain, melded, plain_launch, melded_launch):
    out, y = [], 4
    room = WIDTH - 2 * MARGIN

    def text(x, line, anchor="start", soft=False):
        out.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}"{" fill=" + chr(34) + "#5a6472" + chr(34) if soft else ""}>'
                   f"{line}</text>")

    for title, masks in (("alone", plain), (f"under libmeld ({example.how})", melded)):
        y += 14
        active = sum(bin(mask).count("1") for mask in masks) / (LANES * len(masks))
        text(MARGIN, f"One wave {title}: {len(masks):,} vector")
        y += 14
        text(MARGIN, f"instructions, {100 * active:.0f} % of the lanes active", soft=True)
        y += 6
        width = max(1, round(room * len(masks) / max(len(plain), len(melded))))
        columns = min(width, len(masks))
        data = base64.b64encode(strip(masks, columns)).decode()
        out.append(f'<image x="{MARGIN}" y="{y}" width="{width}" height="96" preserveAspectRatio="none" '
                   f'style="image-rendering:pixelated" href="data:image/png;base64,{data}"/>')
        y += 96 + 6
    for title, before, after in zip(("modelled cycles", "instructions"), plain_launch, melded_launch):
        y += 18
        text(MARGIN, f"A launch, {title}: {before / after:.2f} times fewer")
        for label, value, colour in (("alone", before, "#8a97a8"), ("libmeld", after, "#175c9e")):
            y += 6
            longest = room - 62 - 70
            out.append(f'<rect x="{MARGIN + 62}" y="{y}" width="{longest * value / max(before, after):.1f}" height="12" '
                       f'fill="{colour}"/>')
            y += 10
            text(MARGIN, label, soft=True)
            text(f"{MARGIN + 62 + longest * value / max(before, after) + 4:.1f}", f"{value:,}")
    y += 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" '
            f'font-family="system-ui, DejaVu Sans, sans-serif" font-size="12" fill="#1d2430">\n'
            f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n' + "\n".join(out) + "\n</svg>\n")


def is_current(name, picture, page, drawn):
    """Images are left out: how well they are compressed is the library's business."""
    words = re.findall(r">([^<]*)</text>", drawn)
    if words != re.findall(r">([^<]*)</text>", picture):
        print(f"docs/examples/{name}.svg is not what the runs give: draw it again")
        return False
    missing = [number for word in words for number in re.findall(r"\d+,\d+(?:,\d+)*|\d\.\d\d times fewer", word)
               if number not in page]
    for number in missing:
        print(f"docs/examples/{name}.md does not say {number}, as its picture does")
    return not missing


def main(build, names, check):
    docs = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "examples")
    doctor = subprocess.run([f"{build}/bin/meld", "doctor"], capture_output=True, text=True, check=False).stdout
    if check and COMPILER not in doctor:
        print(f"the pictures were made with {COMPILER}, which is not the compiler here")
        return 77
    good = True
    for name in names or EXAMPLES:
        example = EXAMPLES[name]
        pictures = [measure(build, name, example.kernel, *how) for measure in (wave, launch)
                    for how in (({}, ["--plain"]), (example.environment, []))]
        print(name, [len(masks) for masks in pictures[:2]], pictures[2:], flush=True)
        drawn, path = drawing(example, *pictures), os.path.join(docs, f"{name}.svg")
        if check:
            with open(path, encoding="utf-8") as picture, open(path[:-3] + "md", encoding="utf-8") as page:
                good &= is_current(name, picture.read(), page.read(), drawn)
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(drawn)
    return 0 if good else 1


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if not arguments:
        sys.exit(__doc__)
    sys.exit(main(arguments[0].rstrip("/"), arguments[1:], "--check" in sys.argv))
