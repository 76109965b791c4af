"""What build.py reads off PTX, and the one thing that it changes in it."""
import re

# More static shared memory than this is refused; a launch may add more of it as dynamic memory.
STATIC_SHARED = 48 * 1024

SHARED = re.compile(r"^[ \t]*(?:\.weak )?\.shared \.align (\d+) \.b8 ([\w$]+)\[(\d+)\];[ \t]*\n", re.M)
ENTRY = re.compile(r"^(?:\.visible )?(?:\.weak )?\.entry ([\w$]+)", re.M)


def instructions(ptx):
    """Instructions of a PTX file: lines of a body that are not directives, labels or braces."""
    return sum(bool(re.match(r"\s+(@!?%p\d+\s+)?[a-z]", line)) for line in ptx.splitlines()
               if not line.strip().startswith((".", "//")))


def selects(ptx):
    return len(re.findall(r"^\s+(?:@!?%p\d+ )?selp", ptx, re.M))


def branches(ptx):
    return len(re.findall(r"^\s+@!?%p\d+ bra", ptx, re.M))


def bodies(ptx):
    """{entry: its text} without what numbers a function in its file; "" is all that is no entry."""
    text = re.sub(r"//.*", "", ptx)
    text = re.sub(r"\$L__BB\d+_", "$L__BB_", text)
    text = re.sub(r"__local_depot\d+", "__local_depot", text)
    found, rest = {}, []
    at = 0
    for match in ENTRY.finditer(text):
        end = text.index("\n}", match.start()) + 2
        rest.append(text[at:match.start()])
        found[match.group(1)] = text[match.start():end]
        at = end
    found[""] = "".join(rest + [text[at:]])
    return found


def changed(plain, other):
    """The entries that are not as in the plain form: all, where something else differs."""
    a, b = bodies(plain), bodies(other)
    if a[""] != b[""]:
        return sorted(k for k in b if k)
    return sorted(k for k in b if k and b[k] != a.get(k))


def with_dynamic_shared(ptx):
    """In kernels with more than STATIC_SHARED bytes the largest variable becomes dynamic memory: one of no
    size, whose bytes the launch adds. A comment for each says how many."""
    sizes = {m.group(2): int(m.group(3)) for m in SHARED.finditer(ptx)}
    notes, moved = [], set()
    for entry, body in bodies(ptx).items():
        used = sorted((n for n in sizes if entry and re.search(rf"\b{re.escape(n)}\b", body)),
                      key=lambda n: (-sizes[n], n))
        if sum(sizes[n] for n in used) > STATIC_SHARED:
            moved.add(used[0])
            notes.append(f"// dynamic {entry} {sizes[used[0]]}\n")
    if not moved:
        return ptx
    ptx = SHARED.sub(lambda m: "" if m.group(2) in moved else m.group(0), ptx)
    at = ptx.index("\n", ptx.index(".address_size")) + 1
    declared = "".join(f".extern .shared .align 16 .b8 {name}[];\n" for name in sorted(moved))
    return ptx[:at] + "".join(notes) + declared + ptx[at:]
