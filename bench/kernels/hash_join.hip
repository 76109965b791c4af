// The probe of a hash join whose table, keys, payload and kind of join are told at run time, as by a
// query's plan: every work-item looks up one row of the outer table.
//   helped   a table of 6,151 slots, linear probing, keys of one word, two columns, an inner join
//   source   the same, written into the source
//   other    another plan at each launch
#include "harness.h"

constexpr unsigned emptySlot = 0xffffffffu, missing = 0xdeadu;
constexpr int mostWords = 3, mostColumns = 6;

struct Plan {
  unsigned slots, rows; ///< of the hash table; of the table that it stands for
  int words, columns;   ///< of a key; that are copied from a match
  int probing;          ///< 0 linear, 1 by twos, else by a second hash
  int outer, filtered;  ///< rows without a match stay; only matches below a limit count
  unsigned limit, seeds[2];
};

struct Tables {
  const unsigned *keys, *slots, *rowKeys, *payload; ///< keys by word, payload by column
  unsigned *out;                                    ///< by column
  unsigned count;
};

__host__ __device__ inline unsigned hashOf(const unsigned *keys, unsigned stride, unsigned at,
                                           int words, unsigned seed) {
  unsigned hash = seed;
  for (int w = 0; w < words; ++w) {
    hash = (hash ^ keys[static_cast<unsigned>(w) * stride + at]) * 0x9e3779b1u;
    hash ^= hash >> 15;
  }
  return hash;
}

__host__ __device__ inline void probe(const Tables &t, const Plan &p, unsigned at) {
  unsigned slot = hashOf(t.keys, t.count, at, p.words, p.seeds[0]) % p.slots, step = 1;
  if (p.probing == 1)
    step = 2;
  else if (p.probing == 2)
    step = 1 + hashOf(t.keys, t.count, at, p.words, p.seeds[1]) % (p.slots - 1);
  unsigned row = t.slots[slot];
  for (unsigned tries = 0; row != emptySlot && tries < p.slots; ++tries) {
    bool same = true;
    for (int w = 0; w < p.words; ++w) {
      const auto word = static_cast<unsigned>(w);
      same &= t.rowKeys[word * p.rows + row] == t.keys[word * t.count + at];
    }
    if (same)
      break;
    slot = (slot + step) % p.slots;
    row = t.slots[slot];
  }
  bool matches = row != emptySlot;
  if (matches && p.filtered)
    matches = t.payload[row] < p.limit;
  for (int c = 0; c < p.columns; ++c) {
    const auto column = static_cast<unsigned>(c);
    if (matches)
      t.out[column * t.count + at] = t.payload[column * p.rows + row];
    else if (p.outer)
      t.out[column * t.count + at] = missing;
  }
}

constexpr unsigned knownRows = 3000;
__host__ __device__ inline Plan plainPlan() { return {6151, knownRows, 1, 2, 0, 0, 0, 0, {17, 0}}; }

template <bool inSource> __global__ void probeAll(Tables tables, Plan plan) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < tables.count)
    probe(tables, inSource ? plainPlan() : plan, at);
}

static Plan planOf(const std::string &pattern, unsigned launch) {
  Plan p = plainPlan();
  if (pattern == "other") {
    constexpr unsigned primes[] = {4001, 5003, 7001, 9001, 11003};
    p.slots = primes[launch % 5];
    p.words = 1 + static_cast<int>(launch % mostWords);
    p.columns = 1 + static_cast<int>(launch % mostColumns);
    p.probing = static_cast<int>(launch / 2 % 3);
    p.outer = launch % 2;
    p.filtered = launch / 3 % 2;
    p.limit = 0x40000000u + 0x1000000u * (launch % 64);
    p.seeds[0] = launch;
    p.seeds[1] = launch + 1;
  }
  return p;
}

/// The table of a plan: every row in the first free slot of its way.
static std::vector<unsigned> slotsOf(const Plan &p, const std::vector<unsigned> &rowKeys) {
  std::vector<unsigned> slots(p.slots, emptySlot);
  for (unsigned row = 0; row < p.rows; ++row) {
    unsigned slot = hashOf(rowKeys.data(), p.rows, row, p.words, p.seeds[0]) % p.slots, step = 1;
    if (p.probing == 1)
      step = 2;
    else if (p.probing == 2)
      step = 1 + hashOf(rowKeys.data(), p.rows, row, p.words, p.seeds[1]) % (p.slots - 1);
    while (slots[slot] != emptySlot)
      slot = (slot + step) % p.slots;
    slots[slot] = row;
  }
  return slots;
}

static int program(int argc, char **argv) {
  const auto o =
      bench::Options::parse(argc, argv, {8192, 106496, "rows"}, {"helped", "source", "other"});
  bench::Verdicts verdicts("hash_join");
  const unsigned block = o.block ? o.block : 64;
  const auto count = static_cast<unsigned>(o.size);
  static unsigned runs = 0;
  bench::Random random(o.seed);
  std::vector<unsigned> rowKeys(knownRows * mostWords), payload(knownRows * mostColumns);
  for (unsigned row = 0; row < knownRows; ++row)
    for (unsigned w = 0; w < mostWords; ++w) // rows differ in the first word already
      rowKeys[w * knownRows + row] = w ? random.below(7) : row * 2654435761u;
  for (unsigned &value : payload)
    value = static_cast<unsigned>(random.next()) & 0x7fffffffu;
  std::vector<unsigned> keys(size_t{count} * mostWords), want(size_t{count} * mostColumns, 1);
  for (unsigned i = 0; i < count; ++i) { // three of four rows have a partner
    const unsigned row = random.below(knownRows * 4 / 3);
    for (unsigned w = 0; w < mostWords; ++w)
      keys[size_t{w} * count + i] =
          row < knownRows ? rowKeys[w * knownRows + row] : static_cast<unsigned>(random.next());
  }
  bench::DeviceBuffer<unsigned> dKeys(keys), dRowKeys(rowKeys), dPayload(payload), out(want);
  for (int launch = 0; launch < 4; ++launch) {
    const Plan plan = planOf(o.pattern, runs++);
    const std::vector<unsigned> slots = slotsOf(plan, rowKeys);
    bench::DeviceBuffer<unsigned> dSlots(slots);
    const auto kernel = o.pattern == "source" ? probeAll<true> : probeAll<false>;
    kernel<<<dim3((count + block - 1) / block), dim3(block)>>>(
        {dKeys.get(), dSlots.get(), dRowKeys.get(), dPayload.get(), out.get(), count}, plan);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    for (unsigned i = 0; i < count; ++i)
      probe({keys.data(), slots.data(), rowKeys.data(), payload.data(), want.data(), count}, plan,
            i);
  }
  verdicts.expectEqual(o.pattern, out.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
