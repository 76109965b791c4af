#!/usr/bin/env python3
"""The include graph of shim/, runtime/, jit/ and passes/: rings of units, and includes that no room may have.

A unit is a header and its source. Two units that include each other, over however many others, cannot be understood,
tested or replaced alone: a ring. Which room may use which is read from the table of docs/architecture.md: the first
column names the rooms (`shim/`), the third what each may use: rooms, or single headers as (`jit/api.h`). A file
belongs to the innermost room that holds it, and may use that room's own files besides.

known.txt beside this script lists rings that are left, each by one of its units and how many it has at most.

--list prints which room uses which, with an example of each.
Exit code: 0, 1 rings or upward includes (each is printed), 2 the table names what is not there.
"""
import argparse
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
folders = ("shim", "runtime", "jit", "passes")
ending = r"\.(h|cpp|c|hip|def|inc)$"


def sources(root):
    found = []
    for folder in folders:
        for path, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(path, name), root) for name in names if re.search(ending, name)]
    return sorted(found)


def includes(root, files):
    """(file, included file) for what is ours."""
    known = set(files)
    for file in files:
        with open(os.path.join(root, file)) as text:
            for line in text:
                if found := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
                    for target in (found.group(1), os.path.normpath(os.path.join(os.path.dirname(file), found.group(1)))):
                        if target in known and target != file:
                            yield file, target
                            break


def table(root):
    """Room -> what it may use, from the page's table; and what the page names that is not there."""
    rooms, missing = {}, []
    with open(os.path.join(root, "docs/architecture.md")) as page:
        for line in page:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.startswith("| `") or len(cells) != 3:
                continue
            uses = [use.rstrip("/") for use in re.findall(r"`([^`]+)`", cells[2]) if use.startswith(folders)]
            for room in re.findall(r"`([^`]+)`", cells[0]):
                if room.startswith(folders):
                    rooms[room.rstrip("/")] = uses
    for name in [*rooms, *(use for uses in rooms.values() for use in uses)]:
        if not os.path.exists(os.path.join(root, name)):
            missing.append(name)
    return rooms, sorted(set(missing))


def within(path, room):
    return path == room or path.startswith(room + "/")


def room_of(path, rooms):
    return max((room for room in rooms if within(path, room)), key=len, default="")


def allowed(file, target, rooms):
    own = room_of(file, rooms)
    return own == room_of(target, rooms) or any(within(target, use) for use in rooms.get(own, []))


def unit(path):
    return re.sub(ending, "", path)


def rings(edges):
    """Strongly connected components of more than one unit (Tarjan 1972), each as one shortest way round."""
    graph = {}
    for one, other in edges:
        if unit(one) != unit(other):
            graph.setdefault(unit(one), set()).add(unit(other))
            graph.setdefault(unit(other), set())
    index, low, stack, found = {}, {}, [], []
    for start in sorted(graph):
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        work = [(start, iter(sorted(graph[start])))]
        while work:
            node, rest = work[-1]
            if (successor := next(rest, None)) is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    if len(stack) - at > 1:
                        found.append(sorted(stack[at:]))
                    del stack[at:]
            elif successor not in index:
                index[successor] = low[successor] = len(index)
                stack.append(successor)
                work.append((successor, iter(sorted(graph[successor]))))
            elif successor in stack:
                low[node] = min(low[node], index[successor])
    return [(ring, way_round(graph, ring)) for ring in found]


def way_round(graph, ring):
    ways = [[ring[0]]]
    seen = set()
    for way in ways:
        for successor in sorted(graph[way[-1]]):
            if successor == ring[0]:
                return [*way, successor]
            if successor in ring and successor not in seen:
                seen.add(successor)
                ways.append([*way, successor])
    return ring


def known_rings(path):
    """Unit -> most units of its ring."""
    known = {}
    with open(path) as file:
        for line in file:
            if words := line.partition("#")[0].split():
                known[words[0]] = int(words[1])
    return known


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--known", default=os.path.join(here, "known.txt"), metavar="FILE")
    parser.add_argument("root", nargs="?", default=os.path.dirname(os.path.dirname(here)))
    given = parser.parse_args()

    rooms, missing = table(given.root)
    for name in missing:
        print(f"docs/architecture.md names {name}, which is not there")
    files = sources(given.root)
    edges = list(includes(given.root, files))
    if given.list:
        seen = {}
        for file, target in edges:
            seen.setdefault((room_of(file, rooms), room_of(target, rooms)), (file, target))
        for (own, other), (file, target) in sorted(seen.items()):
            if own != other:
                print(f"{own} -> {other}    {file} -> {target}")
    upward = [edge for edge in edges if not allowed(*edge, rooms)]
    for file, target in upward:
        print(f"{file} includes {target}: {room_of(file, rooms) or 'no room'} may not use "
              f"{room_of(target, rooms) or 'a file of no room'}")
    known, found, new, listed = known_rings(given.known), rings(edges), 0, set()
    for ring, way in found:
        names = [name for name in known if name in ring]
        listed.update(names)
        if names and len(ring) <= known[names[0]]:
            continue
        new += 1
        print(f"ring of {len(ring)} units: {', '.join(ring)}\n  {' -> '.join(way)}")
    for name in sorted(known.keys() - listed):
        missing.append(name)
        print(f"known.txt: {name} is in no ring any more; take it out")
    print(f"{len(files)} files, {len(edges)} includes: {new} rings and {len(found) - new} known ones, "
          f"{len(upward)} includes that the table does not allow")
    if missing:
        return 2
    return 1 if upward or new else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as error:
        print(f"includes.py: {error}", file=sys.stderr)
        sys.exit(2)
