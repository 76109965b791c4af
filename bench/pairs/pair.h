// What the programs of the published pairs share: one program has the sides of several pairs, and a
// run launches one of them: `laplacian tiled8 planes=66`. Verdicts, data and device memory are those
// of the benchmark programs.
#pragma once

#include "bench/kernels/harness.h"

#include <map>

namespace bench {

/// A size that can be given on the command line.
struct Extent {
  const char *name;
  size_t value; ///< where it is not given
  const char *what;
};

/// The first argument is the side; `name=number` changes an extent. Anything else ends the program
/// with 2 and says what there is.
class Side {
public:
  Side(int argc, char **argv, const std::vector<std::string> &sides,
       const std::vector<Extent> &extents) {
    for (const Extent &extent : extents)
      values_[extent.name] = extent.value;
    const auto refuse = [&](const std::string &why) {
      std::fprintf(stderr, "%s: %s\nusage: %s SIDE [NAME=NUMBER ...]\nsides:", argv[0], why.c_str(),
                   argv[0]);
      for (const std::string &side : sides)
        std::fprintf(stderr, " %s", side.c_str());
      std::fprintf(stderr, "\n");
      for (const Extent &extent : extents)
        std::fprintf(stderr, "  %s=%zu  %s\n", extent.name, extent.value, extent.what);
      std::exit(2);
    };
    if (argc < 2)
      refuse("which side?");
    name_ = argv[1];
    if (std::find(sides.begin(), sides.end(), name_) == sides.end())
      refuse("no side '" + name_ + "'");
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals),
                        number = equals == std::string::npos ? "" : word.substr(equals + 1);
      if (!values_.count(name) || number.empty() || number.size() > 12 ||
          number.find_first_not_of("0123456789") != std::string::npos || std::stoull(number) == 0)
        refuse("no size '" + word + "'");
      values_[name] = std::stoull(number);
    }
  }

  const std::string &name() const { return name_; }
  bool is(const char *side) const { return name_ == side; }
  size_t operator[](const char *extent) const { return values_.at(extent); }
  unsigned count(const char *extent) const { return static_cast<unsigned>(values_.at(extent)); }

private:
  std::string name_;
  std::map<std::string, size_t> values_;
};

/// Seeded numbers from 0 to 1.
template <class T> std::vector<T> unitNumbers(size_t count, uint64_t seed = 1) {
  Random random(seed);
  std::vector<T> numbers(count);
  for (T &number : numbers)
    number = static_cast<T>(random.unit());
  return numbers;
}

/// Waits for what was launched, and ends the program where it failed.
inline void finish() {
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}

} // namespace bench
