// Code whose meaning hangs on where a scope begins or ends, melded and executed (scopes.test). The
// host runs the same functions thread by thread.
#include "tests/e2e/programs/check.h"

#define BOTH __host__ __device__

constexpr int threads = 64, steps = 4;

// In one step source and target are two places, and a step reads what the one before has written:
// the promise of `__restrict__` is one of a step. What is written waits for a load of its own, and
// where is read does not, so a scheduler that believes more takes the next step's load first.
BOTH inline int advance(const int *__restrict__ from, int *__restrict__ to,
                        const int *__restrict__ table, int x, int salt) {
  int v = table[from[table[0]] & 63];
  v = (v ^ salt) * 5 + x;
  v = (v ^ (v >> 4)) * 7 + salt;
  v = (v ^ (v >> 6)) * 19 + x;
  v = (v ^ (v >> 3)) * 23;
  to[0] = v + table[v & 63];
  return v;
}

// Alike but for the memory.
BOTH inline int churn(int x, int salt) {
  int v = x * 29;
  v = (v ^ salt) * 9 + x;
  v = (v ^ (v >> 5)) * 11 + salt;
  v = (v ^ (v >> 7)) * 15 + x;
  return (v ^ (v >> 2)) * 17;
}

// One side has scopes.
BOTH inline void pingPong(int i, int *a, int *b, int *c, int *d, int *out, const int *table) {
  int x = i;
  const bool isOdd = out[i] & 1;
  for (int step = 0; step < steps; ++step) {
    if (isOdd)
      x = advance(step & 1 ? b + i : a + i, step & 1 ? c + i : d + i, table, x, step);
    else
      x = churn(x, step);
  }
  out[i] = x;
}

// Both sides have scopes, of one function; they go the two ways round.
BOTH inline void crossed(int i, int *a, int *b, int *c, int *d, int *out, const int *table) {
  int x = i;
  const bool isOdd = out[i] & 1;
  for (int step = 0; step < steps; ++step) {
    if (isOdd)
      x = advance(step & 1 ? b + i : a + i, step & 1 ? c + i : d + i, table, x, step + 1);
    else
      x = advance(step & 1 ? a + i : b + i, step & 1 ? d + i : c + i, table, x, 3 * step);
  }
  out[i] = x;
}

// Cases of a switch.
BOTH inline void cases(int i, int *a, int *b, int *c, int *d, int *out, const int *table) {
  int x = i;
  const int kind = out[i] & 3;
  for (int step = 0; step < steps; ++step) {
    const bool odd = step & 1;
    switch (kind) {
    case 0:
      x = advance(odd ? b + i : a + i, odd ? c + i : d + i, table, x, 11);
      break;
    case 1:
      x = advance(odd ? a + i : b + i, odd ? d + i : c + i, table, x, 12) + step;
      break;
    case 2:
      x = churn(x, step);
      break;
    default:
      x = advance(odd ? b + i : a + i, odd ? c + i : d + i, table, x, 13) ^ step;
    }
  }
  out[i] = x;
}

// Ifs in a row.
BOTH inline void inARow(int i, int *a, int *b, int *c, int *d, int *out, const int *table) {
  int x = i;
  const bool isOdd = out[i] & 1;
  for (int step = 0; step < steps; ++step) {
    if (isOdd)
      x = advance(step & 1 ? b + i : a + i, step & 1 ? c + i : d + i, table, x, 21);
    x += table[(x + step) & 63];
    if (!isOdd)
      x = advance(step & 1 ? a + i : b + i, step & 1 ? d + i : c + i, table, x, 22);
  }
  out[i] = x;
}

BOTH __attribute__((noinline)) void fill(int *to, int factor, int from) {
  for (int k = 0; k < 16; ++k)
    to[k] = factor * (k + from);
}
BOTH __attribute__((noinline)) int digest(const int *from, int start) {
  int sum = 0;
  for (int k = 0; k < 16; ++k)
    sum = sum * 3 + from[(k + start) & 15];
  return sum;
}

// Arrays that are there on one side for a while, and one that is there before: its last use is at
// the beginning of one side and at the end of the other.
BOTH inline void arrays(int i, int *, int *, int *, int *, int *out, const int *table) {
  int x;
  {
    int shared[16];
    fill(shared, i + 1, 3);
    if (table[out[i] & 63] & 1) {
      x = digest(shared, 1);
      {
        int first[16];
        fill(first, x, i);
        x += digest(first, i);
      }
      int second[16];
      fill(second, x, i + 2);
      x ^= digest(second, 5);
    } else {
      {
        int first[16];
        fill(first, i, 7);
        x = digest(first, i + 1);
      }
      int second[16];
      fill(second, x, i + 4);
      x ^= digest(second, 6);
      x += digest(shared, 2);
    }
  }
  int last[16];
  fill(last, x, 1);
  out[i] = digest(last, i);
}

#define KERNEL(name)                                                                               \
  __global__ void name##Kernel(int *a, int *b, int *c, int *d, int *out, const int *table) {       \
    name(static_cast<int>(threadIdx.x), a, b, c, d, out, table);                                   \
  }
KERNEL(pingPong)
KERNEL(crossed)
KERNEL(cases)
KERNEL(inARow)
KERNEL(arrays)

using Body = void (*)(int, int *, int *, int *, int *, int *, const int *);
using Kernel = void (*)(int *, int *, int *, int *, int *, const int *);

static void compare(const char *what, Body body, Kernel kernel) {
  const auto left = randomBelow<int>(threads, 1000, 1), right = randomBelow<int>(threads, 1000, 2),
             start = randomBelow<int>(threads, 1000, 3);
  auto table = randomBelow<int>(64, 1 << 20, 4);
  table[0] = 0;
  auto a = left, b = right, out = start;
  for (int i = 0; i < threads; ++i)
    body(i, a.data(), b.data(), a.data(), b.data(), out.data(), table.data());
  Device<int> dA(left), dB(right), dOut(start), dTable(table);
  kernel<<<1, threads>>>(dA, dB, dA, dB, dOut, dTable); // targets are sources of the next step
  expectSame(what, dOut.host(), out);
  expectSame(what, dA.host(), a);
  expectSame(what, dB.host(), b);
}

int main() {
  compare("ping-pong", pingPong, pingPongKernel);
  compare("crossed", crossed, crossedKernel);
  compare("cases", cases, casesKernel);
  compare("in a row", inARow, inARowKernel);
  compare("arrays", arrays, arraysKernel);
  return verdict();
}
