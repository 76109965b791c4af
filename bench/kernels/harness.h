// What every benchmark program shares: error checks, seeded data, options, the PASS/FAIL verdict.
//
// A program prints one line "<name> <configuration>: PASS" or "... FAIL: <why>" per configuration
// and exits 0 only when all passed. Every program runs with two sizes of its problem, small (where
// nothing else is said; what the tables are made with) and large, or with any other.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

#define HIP_CHECK(call)                                                                            \
  do {                                                                                             \
    hipError_t status_ = (call);                                                                   \
    if (status_ != hipSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   hipGetErrorString(status_));                                                    \
      std::exit(3);                                                                                \
    }                                                                                              \
  } while (0)

/// splitmix64: small, seeded, the same on every host.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

private:
  uint64_t state_;
};

/// Device memory that frees itself; copies are blocking. Memory without values of its own holds a
/// pattern, never zeros by chance: what a kernel forgets to write, its check finds.
template <class T> class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t count) : DeviceBuffer(pattern(count)) {}
  explicit DeviceBuffer(const std::vector<T> &host) : count_(host.size()) {
    HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&data_), count_ * sizeof(T)));
    upload(host);
  }
  ~DeviceBuffer() { (void)hipFree(data_); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;

  void upload(const std::vector<T> &host) {
    HIP_CHECK(hipMemcpy(data_, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    HIP_CHECK(hipMemcpy(host.data(), data_, count_ * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }
  T *get() const { return data_; }

private:
  static std::vector<T> pattern(size_t count) {
    std::vector<T> host(count);
    std::memset(static_cast<void *>(host.data()), 0xa5, count * sizeof(T));
    return host;
  }

  T *data_ = nullptr;
  size_t count_;
};

/// The two sizes of a program's problem, and what they count: {4096, 65536, "pairs"}.
struct Sizes {
  size_t small, large;
  const char *unit;
};

/// --block N, --size small|large|N, --seed N, --pattern WORD; anything else, also a pattern that is
/// not among `patterns`, ends the program with 2 and says what there is. The first pattern is the
/// one that runs when none is asked for.
struct Options {
  unsigned block = 0; ///< 0 = every block size the program knows
  size_t size = 0;    ///< never 0 after parse
  uint64_t seed = 1;
  std::string pattern;

  static Options parse(int argc, char **argv, const Sizes &sizes,
                       const std::vector<std::string> &patterns = {"random"}) {
    Options o;
    o.size = sizes.small;
    o.pattern = patterns.front();
    const auto usage = [&](std::FILE *to) {
      std::string words;
      for (const std::string &word : patterns)
        words += (words.empty() ? "" : "|") + word;
      std::fprintf(to,
                   "usage: %s [--block N] [--size small|large|N] [--seed N] [--pattern %s] "
                   "[--repeat N]\n"
                   "size: the number of %s; small is %zu, large is %zu\n",
                   argv[0], words.c_str(), sizes.unit, sizes.small, sizes.large);
    };
    const auto refuse = [&](const std::string &why) {
      std::fprintf(stderr, "%s: %s\n", argv[0], why.c_str());
      usage(stderr);
      std::exit(2);
    };
    for (int i = 1; i < argc; i += 2) {
      const std::string name = argv[i];
      if (name == "--help") {
        usage(stdout);
        std::exit(0);
      }
      if (name != "--block" && name != "--size" && name != "--seed" && name != "--pattern")
        refuse("unknown option " + name);
      if (i + 1 >= argc)
        refuse(name + " needs a value");
      const std::string value = argv[i + 1];
      const bool number = !value.empty() && value.size() < 19 &&
                          value.find_first_not_of("0123456789") == std::string::npos;
      if (name == "--pattern") {
        if (std::find(patterns.begin(), patterns.end(), value) == patterns.end())
          refuse("no pattern '" + value + "'");
        o.pattern = value;
      } else if (name == "--size" && (value == "small" || value == "large")) {
        o.size = value == "small" ? sizes.small : sizes.large;
      } else if (!number) {
        refuse(name + " cannot be '" + value + "'");
      } else if (name == "--block") {
        o.block = static_cast<unsigned>(std::stoull(value));
      } else if (name == "--size") {
        o.size = std::max<size_t>(1, std::stoull(value));
      } else {
        o.seed = std::stoull(value);
      }
    }
    return o;
  }

  /// `size` without what is over a multiple of `of`; at least one time `of`.
  size_t sizeInMultiplesOf(size_t of) const { return std::max<size_t>(1, size / of) * of; }
};

/// Collects verdicts; exitCode() is what main returns.
class Verdicts {
public:
  explicit Verdicts(const char *name) : name_(name) {}

  template <class T>
  void expectEqual(const std::string &configuration, const std::vector<T> &got,
                   const std::vector<T> &want) {
    if (!sameLength(configuration, got.size(), want.size()))
      return;
    for (size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
        fail(configuration, "element " + std::to_string(i) + " is " + std::to_string(got[i]) +
                                ", expected " + std::to_string(want[i]));
        return;
      }
    std::printf("%s %s: PASS\n", name_, configuration.c_str());
    ++ran_;
  }
  /// |got - want| <= tolerance * max(1, |want|) everywhere; NaN fails.
  template <class T>
  void expectNear(const std::string &configuration, const std::vector<T> &got,
                  const std::vector<T> &want, double tolerance) {
    if (!sameLength(configuration, got.size(), want.size()))
      return;
    for (size_t i = 0; i < want.size(); ++i) {
      const double g = got[i], w = want[i], scale = w < 0 ? -w : w;
      const double difference = g < w ? w - g : g - w;
      if (!(difference <= tolerance * (scale > 1 ? scale : 1))) {
        fail(configuration, "element " + std::to_string(i) + " is " + std::to_string(g) +
                                ", expected " + std::to_string(w));
        return;
      }
    }
    std::printf("%s %s: PASS\n", name_, configuration.c_str());
    ++ran_;
  }
  void fail(const std::string &configuration, const std::string &why) {
    std::printf("%s %s: FAIL: %s\n", name_, configuration.c_str(), why.c_str());
    ++ran_;
    failed_ = true;
  }
  int exitCode() const {
    if (!ran_)
      std::fprintf(stderr, "%s: no such configuration\n", name_);
    return failed_ || !ran_ ? 1 : 0;
  }

private:
  /// Nothing compared is no success.
  bool sameLength(const std::string &configuration, size_t got, size_t want) {
    if (got == want && want > 0)
      return true;
    fail(configuration,
         std::to_string(got) + " elements, expected " + (want ? std::to_string(want) : "some"));
    return false;
  }

  const char *name_;
  unsigned ran_ = 0;
  bool failed_ = false;
};

/// The whole program, as often as `--repeat N` says (once where it does not), until a time that
/// fails: a run that is long enough for a choice between versions of its kernels.
inline int repeated(int argc, char **argv, int (*program)(int, char **)) {
  std::vector<char *> others;
  unsigned long times = 1;
  for (int i = 0; i < argc; ++i)
    if (std::strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
      times = std::max(1ul, std::strtoul(argv[++i], nullptr, 10));
    else
      others.push_back(argv[i]);
  int code = 0;
  for (; times && !code; --times)
    code = program(static_cast<int>(others.size()), others.data());
  return code;
}

} // namespace bench
