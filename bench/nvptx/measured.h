// Launches on an NVIDIA GPU, in every form of the kernel, in turns; what is compared and timed.
//
//   for each launch of the program:
//     all of its device memory is copied aside
//     23 rounds, three to warm up:  plain, plain again, melded, flattened, ... each round begins with the
//                                   next one; memory is put back before each
//     after the first round of each form: all memory is compared with what the plain form left, bit for bit
//     memory is put back, the plain form runs, and the program goes on
//
// "again" is the plain form a second time: how far two times of the same code lie apart, and whether
// its results are always the same (atomic sums of floats are not).
//
// A time is that between two events around one launch; the copy in front of it keeps the GPU busy
// until all three are queued. Of a kernel's launches the times of a round are added up.
//
// Thread rule: one thread. Processes on the same device take turns by a lock on a file.
#pragma once

#include "bench/nvptx/driver.h"
#include "bench/nvptx/launch.h"

#include <nlohmann/json_fwd.hpp>

namespace meld::nvptx {

/// While it lives, no other process uses the device.
class Turn {
public:
  Turn();
  ~Turn();
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  int file_ = -1;
};

class Memory {
public:
  explicit Memory(const Driver &driver) : driver_(driver) {}
  Address allocate(size_t bytes);
  void free(Address address);
  bool contains(uint64_t address) const;

  void save();
  void restore() const;
  std::vector<std::vector<unsigned char>> contents() const;
  void dropSaved();

private:
  struct Block {
    size_t bytes;
    Address copy;
  };
  const Driver &driver_;
  std::map<Address, Block> blocks_;
};

class Measured {
public:
  Measured(const Driver &driver, Forms forms, unsigned rounds);
  Memory &memory() { return memory_; }

  /// 0, or an error of the driver's.
  int launch(const Launch &launch);
  /// {"device", "driver", "rounds", "kernels": [{"entry", "block", "grid", "launches", "measured",
  ///   "forms": {"melded": {"changed", "same", "times": [ms, ...]}}}]}
  nlohmann::json report() const;

private:
  struct Timed {
    bool same = true;
    unsigned launches = 0;     ///< that it was run for; of the others it has the plain form's times
    std::vector<double> times; ///< of the rounds, milliseconds
  };
  struct Kernel {
    Launch first;
    unsigned launches = 0, measured = 0;
    std::map<std::string, Timed> forms;
  };

  Handle functionOf(size_t form, const std::string &entry);
  int start(size_t form, const Launch &launch);
  double timed(size_t form, const Launch &launch);
  void measure(Kernel &kernel, const Launch &launch);

  const Driver &driver_;
  Forms forms_;
  unsigned rounds_;
  Memory memory_;
  std::vector<Handle> modules_;
  Handle begin_ = nullptr, end_ = nullptr;
  std::map<std::string, Kernel> kernels_; ///< by entry and shape
};

} // namespace meld::nvptx
