// LZ decompression: every thread decodes its own stream of literals and back references (a token
// byte with a literal count and a match length, as in LZ4): two copy loops that are nearly the same
// and run for different times in different threads.
#include "harness.h"

constexpr int plainSize = 192;

__global__ void decompress(const unsigned char *packed, const int *starts, unsigned char *out,
                           int count) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= count)
    return;
  const unsigned char *in = packed + starts[at], *end = packed + starts[at + 1];
  unsigned char *to = out + at * plainSize;
  int written = 0;
  while (in < end) { // divergent: loop
    const int token = *in++;
    const int length = token & 63;
    if (token & 128) { // divergent: branch
      const int distance = *in++ + 1;
      for (int i = 0; i < length; ++i, ++written) // divergent: loop
        to[written] = to[written - distance];
    } else {
      for (int i = 0; i < length; ++i, ++written) // divergent: loop
        to[written] = *in++;
    }
  }
}

static std::vector<unsigned char> compress(const std::vector<unsigned char> &plain) {
  std::vector<unsigned char> packed, literals;
  const auto flush = [&] {
    if (!literals.empty()) {
      packed.push_back(static_cast<unsigned char>(literals.size()));
      packed.insert(packed.end(), literals.begin(), literals.end());
      literals.clear();
    }
  };
  for (size_t i = 0; i < plain.size();) {
    size_t best = 0, from = 0;
    for (size_t distance = 1; distance <= i && distance <= 256; ++distance) {
      size_t length = 0;
      while (length < 63 && i + length < plain.size() &&
             plain[i + length] == plain[i + length - distance])
        ++length;
      if (length > best) {
        best = length;
        from = distance;
      }
    }
    if (best >= 3) {
      flush();
      packed.push_back(static_cast<unsigned char>(128 | best));
      packed.push_back(static_cast<unsigned char>(from - 1));
      i += best;
    } else {
      literals.push_back(plain[i++]);
      if (literals.size() == 63)
        flush();
    }
  }
  flush();
  return packed;
}

static int program(int argc, char **argv) {
  const auto o = bench::Options::parse(argc, argv, {256, 4096, "streams"});
  bench::Verdicts verdicts("lz");
  const unsigned block = o.block ? o.block : 64;
  const int count = static_cast<int>(o.size);
  bench::Random random(o.seed);
  std::vector<unsigned char> want, packed;
  std::vector<int> starts{0};
  for (int s = 0; s < count; ++s) {
    std::vector<unsigned char> plain;
    while (plain.size() < plainSize) {
      if (plain.size() > 8 && random.below(3)) {
        const size_t from = random.below(static_cast<uint32_t>(plain.size() - 4));
        for (uint32_t i = 0, n = 3 + random.below(20); i < n && plain.size() < plainSize; ++i)
          plain.push_back(plain[from + i]);
      } else {
        plain.push_back(static_cast<unsigned char>(random.below(256)));
      }
    }
    const auto stream = compress(plain);
    packed.insert(packed.end(), stream.begin(), stream.end());
    starts.push_back(static_cast<int>(packed.size()));
    want.insert(want.end(), plain.begin(), plain.end());
  }
  bench::DeviceBuffer<unsigned char> dPacked(packed), out(want.size());
  bench::DeviceBuffer<int> dStarts(starts);
  decompress<<<dim3((count + block - 1) / block), dim3(block)>>>(dPacked.get(), dStarts.get(),
                                                                 out.get(), count);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  verdicts.expectEqual("streams=" + std::to_string(count), out.download(), want);
  return verdicts.exitCode();
}

int main(int argc, char **argv) { return bench::repeated(argc, argv, program); }
