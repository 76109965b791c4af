#!/usr/bin/env python3
"""Random kernels in floating point, as HIP source: random_kernels.py SEED COUNT > kernels.hip

Sums of products that share factors, terms and products, inside and across divergent branches and
loops, so that which of them are contracted hangs on what stands next to what. The same seed gives
the same text. Values stay between -4 and 4 and no divisor is near 0: nothing is infinite or no
number, whatever the flags. The program prints a number for the bits of each kernel's result."""
import random
import sys

HEAD = """// Written by random_kernels.py {seed} {count}.
#include "tests/e2e/programs/check.h"

constexpr int block = 64, blocks = 2, threads = block * blocks, inputs = 256;

template <typename T> __device__ T tame(T v) {{ return v > T(4) ? T(4) : v < T(-4) ? T(-4) : v; }}
"""
KERNEL = """
__global__ void kernel{number}(const {type} *in, {type} *out) {{
  using T = {type};
  const int t = threadIdx.x, i = blockIdx.x * block + t;
  T v0 = in[i], v1 = in[i + 31], v2 = in[i + 64], v3 = in[(i * 7 + 5) % inputs];
{body}
  out[4 * i] = v0, out[4 * i + 1] = v1, out[4 * i + 2] = v2, out[4 * i + 3] = v3;
}}
"""
MAIN = """
template <typename T> void run(const char *name, void (*kernel)(const T *, T *)) {{
  Random random(7);
  std::vector<T> in(inputs), out(4 * threads);
  for (T &v : in)
    v = T(random.next() >> 11) / T(1ull << 52) - 1;
  T *from, *to;
  HIP(hipMalloc(&from, inputs * sizeof(T)));
  HIP(hipMalloc(&to, out.size() * sizeof(T)));
  HIP(hipMemcpy(from, in.data(), inputs * sizeof(T), hipMemcpyHostToDevice));
  kernel<<<blocks, block>>>(from, to);
  HIP(hipMemcpy(out.data(), to, out.size() * sizeof(T), hipMemcpyDeviceToHost));
  uint64_t hash = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < out.size() * sizeof(T); ++i)
    hash = (hash ^ reinterpret_cast<unsigned char *>(out.data())[i]) * 0x100000001b3ull;
  std::printf("%s %016llx\\n", name, static_cast<unsigned long long>(hash));
}}

int main() {{
{runs}
}}
"""


class Writer:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = [f"v{k}" for k in range(4)]
        self.local = 0
        self.lines = []

    def factor(self):
        if self.r.random() < 0.2:
            return f"T({self.r.choice(['0.5', '0.7', '-1.3', '2.0', '0.111'])})"
        return self.r.choice(self.names)

    def product(self):
        return f"{self.factor()} * {self.factor()}"

    def term(self):
        return self.product() if self.r.random() < 0.7 else self.factor()

    def value(self):
        if self.r.random() < 0.1:
            return f"({self.term()}) / (T(1) + {(f := self.factor())} * {f})"
        return self.r.choice([" + ", " - "]).join(self.term() for _ in range(self.r.randint(2, 4)))

    def condition(self):
        return self.r.choice([
            f"(t & {1 << self.r.randrange(5)}) != 0", f"t % {self.r.randint(2, 5)} == {self.r.randrange(2)}",
            f"{self.factor()} < {self.factor()}", f"{self.product()} > {self.factor()}"])

    def emit(self, depth, text):
        self.lines.append("  " * (depth + 1) + text)

    def statements(self, depth, count):
        outer = list(self.names)
        for _ in range(count):
            kind = self.r.random()
            if kind < 0.2:  # a product to be used now, later, or somewhere else
                name = f"p{self.local}"
                self.local += 1
                self.emit(depth, f"const T {name} = {self.product()};")
                self.names.append(name)
            elif kind < 0.65 or depth > 2:
                self.emit(depth, f"v{self.r.randrange(4)} = tame({self.value()});")
            elif kind < 0.9:
                self.emit(depth, f"if ({self.condition()}) {{")
                self.alike(depth)
            else:
                trips = self.r.choice(["3", "(t & 3) + 1"])
                self.emit(depth, f"for (int k{depth} = 0; k{depth} < {trips}; ++k{depth}) {{")
                self.statements(depth + 1, self.r.randint(1, 3))
                self.emit(depth, "}")
        self.names = outer

    def alike(self, depth):
        """Two sides from one stream of choices or from two: much or little to be paired."""
        state = self.r.getstate()
        self.statements(depth + 1, self.r.randint(1, 4))
        self.emit(depth, "} else {")
        if state and self.r.random() < 0.6:
            after = self.r.getstate()
            self.r.setstate(state)
            count = self.r.randint(1, 4)
            for _ in range(self.r.randrange(2)):
                self.emit(depth + 1, f"v{self.r.randrange(4)} = tame({self.value()});")
            self.statements(depth + 1, count)
            self.r.setstate(after)
        else:
            self.statements(depth + 1, self.r.randint(1, 4))
        self.emit(depth, "}")


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    text, runs = [HEAD.format(seed=seed, count=count)], []
    for number in range(count):
        writer = Writer(f"{seed}/{number}")
        kind = writer.r.choice(["float", "float", "float", "double"])
        writer.statements(0, writer.r.randint(4, 8))
        text.append(KERNEL.format(number=number, type=kind, body="\n".join(writer.lines)))
        runs.append(f'  run<{kind}>("kernel{number}", kernel{number});')
    sys.stdout.write("".join(text) + MAIN.format(runs="\n".join(runs)))


main()
