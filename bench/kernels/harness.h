// What every benchmark program shares: error checks, seeded data, options, the PASS/FAIL verdict.
//
// A program prints one line "<name> <configuration>: PASS" or "... FAIL: <why>" per configuration
// and exits 0 only when all passed.
#pragma once

#include <hip/hip_runtime.h>

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

/// Device memory that frees itself; copies are blocking.
template <class T> class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t count) : count_(count) {
    HIP_CHECK(hipMalloc(reinterpret_cast<void **>(&data_), count * sizeof(T)));
  }
  explicit DeviceBuffer(const std::vector<T> &host) : DeviceBuffer(host.size()) { upload(host); }
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
  T *data_ = nullptr;
  size_t count_;
};

/// --block N, --size N, --seed N, --pattern WORD; an unknown option ends the program with 2.
struct Options {
  unsigned block = 0; ///< 0 = every block size the program knows
  size_t size = 0;    ///< 0 = the program's default
  uint64_t seed = 1;
  std::string pattern = "random";

  static Options parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
      auto value = [&]() -> const char * {
        if (i + 1 >= argc) {
          std::fprintf(stderr, "%s: %s needs a value\n", argv[0], argv[i]);
          std::exit(2);
        }
        return argv[++i];
      };
      if (!std::strcmp(argv[i], "--block"))
        o.block = static_cast<unsigned>(std::strtoul(value(), nullptr, 10));
      else if (!std::strcmp(argv[i], "--size"))
        o.size = std::strtoull(value(), nullptr, 10);
      else if (!std::strcmp(argv[i], "--seed"))
        o.seed = std::strtoull(value(), nullptr, 10);
      else if (!std::strcmp(argv[i], "--pattern"))
        o.pattern = value();
      else {
        std::fprintf(stderr, "usage: %s [--block N] [--size N] [--seed N] [--pattern WORD]\n",
                     argv[0]);
        std::exit(2);
      }
    }
    return o;
  }
};

/// Collects verdicts; exitCode() is what main returns.
class Verdicts {
public:
  explicit Verdicts(const char *name) : name_(name) {}

  template <class T>
  void expectEqual(const std::string &configuration, const std::vector<T> &got,
                   const std::vector<T> &want) {
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
  const char *name_;
  unsigned ran_ = 0;
  bool failed_ = false;
};

} // namespace bench
