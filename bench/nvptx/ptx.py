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


class Unsuited(Exception):
    """A kernel whose shared memory cannot be made to fit in this way."""


def with_dynamic_shared(ptx):
    """In kernels with more than STATIC_SHARED bytes the largest variable becomes dynamic memory: one of no
    size, whose bytes the launch adds. A comment for each says how many."""
    variables = {m.group(2): (int(m.group(1)), int(m.group(3))) for m in SHARED.finditer(ptx)}

    def used(text):
        return sorted((n for n in variables if re.search(rf"(?<![\w$]){re.escape(n)}(?![\w$])", text)),
                      key=lambda n: (-variables[n][1], n))

    texts = bodies(ptx)
    of = {entry: used(body) for entry, body in texts.items() if entry}
    size = lambda entry: sum(variables[n][1] for n in of[entry])
    moved = {entry: of[entry][0] for entry in of if size(entry) > STATIC_SHARED}
    if not moved:
        return ptx
    names = set(moved.values())
    elsewhere = set(used(SHARED.sub("", texts[""])))
    for entry, variables_used in of.items():
        own = names.intersection(variables_used)
        if own and (own != {moved.get(entry)} or size(entry) - variables[moved[entry]][1] > STATIC_SHARED):
            raise Unsuited(f"{entry}: {', '.join(sorted(own))} of its shared memory would have to be dynamic")
        if own and ".extern .shared" in ptx:
            raise Unsuited(f"{entry}: the program has dynamic shared memory of its own")
    if names & elsewhere or any(variables[n][0] > 16 for n in names):
        raise Unsuited(f"{', '.join(sorted(names))}: used by functions, or aligned to more than 16 bytes")
    ptx = SHARED.sub(lambda m: "" if m.group(2) in names else m.group(0), ptx)
    at = ptx.index("\n", ptx.index(".address_size")) + 1
    notes = "".join(f"// dynamic {entry} {variables[name][1]}\n" for entry, name in sorted(moved.items()))
    declared = "".join(f".extern .shared .align 16 .b8 {name}[];\n" for name in sorted(names))
    return ptx[:at] + notes + declared + ptx[at:]
