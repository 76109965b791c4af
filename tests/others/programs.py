"""The programs by others that run.py compiles: where their sources lie, what they are run with, and what of them is smaller.

HeCBench (https://github.com/zjin-lcf/HeCBench) and ROCm's examples (https://github.com/ROCm/rocm-examples) are not part of this
tree. Sizes that are arguments are arguments here. Where a size stands in the source, `edits` has the line and what it becomes;
a line that is no longer there is an error, so that nothing runs at a size that nobody chose. Files that the programs read are
made by `inputs`: by rule, the same in every run.
"""
import dataclasses
import os
import random
import struct


@dataclasses.dataclass
class Program:
    name: str
    folder: str                 # in the collection
    sources: tuple              # in that folder
    arguments: str = ""
    includes: tuple = ()        # folders beside it
    edits: tuple = ()           # (file, what is there, what it becomes)
    inputs: tuple = ()          # functions of this module
    follows_order: bool = False # a block reads what another writes: what comes out hangs on which runs first, and is not compared


def graph(folder):
    """A graph of HeCBench's bfs: nodes with their first edge and their number of edges, source, edges."""
    choose = random.Random(1)
    degrees = [choose.randrange(2, 11) for _ in range(4096)]
    with open(os.path.join(folder, "graph.txt"), "w") as file:
        print(len(degrees), file=file)
        first = 0
        for degree in degrees:
            print(first, degree, file=file)
            first += degree
        print(f"\n0\n\n{first}", file=file)
        for _ in range(first):
            print(choose.randrange(len(degrees)), choose.randrange(1, 11), file=file)


def grids(folder):
    """Temperatures and powers of hotspot, 64 by 64."""
    choose = random.Random(2)
    for name, low, high in (("temp", 320, 345), ("power", 0, 0.002)):
        with open(os.path.join(folder, name), "w") as file:
            file.writelines(f"{choose.uniform(low, high):.6f}\n" for _ in range(64 * 64))


def cities(folder):
    choose = random.Random(3)
    with open(os.path.join(folder, "locations.txt"), "w") as file:
        file.writelines(f"{choose.uniform(-90, 90):.4f} {choose.uniform(-180, 180):.4f}\n" for _ in range(4096))


def bitmap(folder):
    """A picture of 64 by 64 pixels of 24 bits."""
    choose = random.Random(4)
    pixels = bytes(choose.randrange(256) for _ in range(64 * 64 * 3))
    with open(os.path.join(folder, "image.bmp"), "wb") as file:
        file.write(struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54))
        file.write(struct.pack("<IiiHHIIiiII", 40, 64, 64, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels)


def picture(folder):
    """srad's, where it looks for it."""
    choose = random.Random(5)
    os.makedirs(os.path.join(folder, "..", "data", "srad"), exist_ok=True)
    with open(os.path.join(folder, "..", "data", "srad", "image.pgm"), "w") as file:
        print("P2\n# made by a rule\n64 64\n255", file=file)
        file.writelines(f"{choose.randrange(1, 256)}\n" for _ in range(64 * 64))


def hecbench(name, arguments="", sources=("main.cu",), includes=(), edits=(), inputs=(), follows_order=False):
    return Program(name, f"src/{name}-hip", sources, arguments, includes, edits, inputs, follows_order)


HECBENCH = [
    hecbench("merge", "4000 1", includes=("../merge-cuda",)),
    hecbench("shuffle", "20 2", edits=(("main.cu", "1 << 27;", "1 << 16;"),)),
    hecbench("bitonic-sort", "11 2"),
    hecbench("mandelbrot", "2", edits=(("mandel.hpp", "row_size = 1080", "row_size = 108"),
                                       ("mandel.hpp", "col_size = 1920", "col_size = 192"))),
    hecbench("nqueen", "10 5 1"),
    hecbench("bfs", "graph.txt", ("bfs.cu",), ("../bfs-sycl",), inputs=(graph,)),
    hecbench("lud", "-s 128", ("lud.cu", "../lud-cuda/common/common.cpp"), ("../lud-cuda/common", "../lud-cuda")),
    hecbench("nw", "128 10 2", ("nw.cu",), ("../nw-cuda",)),
    hecbench("srad", "2 0.5 64 64", inputs=(picture,)),
    hecbench("hotspot", "64 2 4 temp power output.out", ("hotspot.cu",), ("../hotspot-cuda",), inputs=(grids,)),
    hecbench("pathfinder", "4096 64 5"),
    hecbench("particlefilter", "-x 32 -y 32 -z 4 -np 256", includes=("../particlefilter-cuda",), follows_order=True),
    hecbench("sobol", "1024 16 1", ("sobol.cu", "sobol_gold.cu", "sobol_gpu.cu", "sobol_primitives.cu")),
    hecbench("binomial", "", ("kernel.cu", "main.cu", "reference.cu"),
             edits=(("binomialOptions.h", "MAX_OPTIONS 1024", "MAX_OPTIONS 4"),
                    ("binomialOptions.h", "NUM_ITERATIONS 1000", "NUM_ITERATIONS 1"))),
    hecbench("haversine", "locations.txt 1", ("../haversine-cuda/main.cu", "distance.cu"), ("../haversine-cuda",),
             edits=(("../haversine-cuda/main.cu", "num_cities = 2097152", "num_cities = 4096"),
                    ("../haversine-cuda/main.cu", "436483, 1952407, 627919, 377884, 442703, 1863423",
                     "483, 2407, 919, 884, 2703, 3423")), inputs=(cities,)),
    hecbench("knn", "1", edits=(("main.cu", "ref_nb = 4096", "ref_nb = 256"), ("main.cu", "query_nb = 4096", "query_nb = 256"))),
    hecbench("atomicReduction", "65536 1", ("reduction.cu",), ("../atomicReduction-cuda",)),
    hecbench("gaussian", "-q -t -s 48", ("gaussianElim.cu", "utils.cu")),
    hecbench("lavaMD", "-boxes1d 2", ("main.cu", "util/num/num.cu", "util/timer/timer.cu")),
    hecbench("minkowski", "1", includes=("../minkowski-cuda",), edits=(("main.cu", "m_size = 512 * 8", "m_size = 32 * 8"),)),
    hecbench("quicksort", "1 64 64"),
    hecbench("adam", "1000 10 2", includes=("../adam-cuda",)),
    hecbench("keogh", "64 20000 2", includes=("../keogh-cuda",)),
    hecbench("wyllie", "4000 1 1", includes=("../wyllie-cuda",)),
    hecbench("rainflow", "1000 1", includes=("../rainflow-cuda",)),
    hecbench("langford", "", edits=(("main.cu", "  run_gpu<11>", "  //run_gpu<11>"), ("main.cu", "  run_gpu<12>", "  //run_gpu<12>"),
                                    ("main.cu", "  run_gpu<15>", "  //run_gpu<15>"))),
    hecbench("aes", "1 0 image.bmp", includes=("../include",), inputs=(bitmap,)),
    hecbench("romberg", "8 64 1", includes=("../romberg-cuda",)),
    hecbench("jaccard", "64 64 2"),
    hecbench("fpc", "64 1"),
    hecbench("present", "1000 1"),
    hecbench("pnpoly", "1", includes=("../pnpoly-cuda",), edits=(("main.cu", "nPoints = 2e7", "nPoints = 4000"),)),
]


def example(folder, arguments="", edits=()):
    return Program(os.path.basename(folder) + " (example)", folder, ("main.hip",), arguments, ("../../Common",), edits)


EXAMPLES = [
    example("Applications/bitonic_sort", "-l 10"),
    example("Applications/convolution", "-x 128 -y 128 -i 2"),
    example("Applications/floyd_warshall", "-n 32 -i 1"),
    example("Applications/histogram", "", (("main.hip", "= 1024 * 1024;", "= 256 * 1024;"),)),
    example("Applications/prefix_sum", "-n 4096"),
    example("HIP-Basic/warp_shuffle"),
    example("HIP-Basic/bit_extract", "", (("main.hip", "= 1000000;", "= 20000;"),)),
    example("HIP-Basic/saxpy", "", (("main.hip", "size = 1000000;", "size = 20000;"),)),
    example("HIP-Basic/matrix_multiplication", "-A_rows 64 -A_cols 64 -B_cols 64"),
    example("HIP-Basic/moving_average", "", (("main.hip", "input_size = 10000000;", "input_size = 10000;"),)),
    example("HIP-Basic/shared_memory"),
    example("HIP-Basic/dynamic_shared"),
    example("HIP-Basic/device_globals"),
]
