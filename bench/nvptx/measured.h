// Launches on an NVIDIA GPU, in every form of the kernel, in turns; what is compared and timed.
//
//   for each launch of the program:
//     all memory that it has allocated is copied aside
//     23 rounds, three to warm up:  plain, plain again, melded, flattened, ... each round begins with the
//                                   next one; memory is put back before each
//     after the first and the last round of each form: all memory is compared with what the plain form left in its
//                                   first, bit for bit
//     memory is put back, the plain form runs, and the program goes on
//
// "again" is the plain form a second time: how far two times of the same code lie apart, and whether
// its results are always the same (atomic sums of floats are not).
//
// A time is that between two events around one launch. A long copy in front of it keeps the GPU
// busy until all three are queued, so that nothing of the host is in it; a time for which that was
// not so (the first event had happened by then) is taken anew, and where it never is, counted as
// loose. The copies leave memory's newest lines in the L2, the same for all forms. Of a kernel's
// launches the times of a round are added up; of a launch in which a form may not run, its share is
// the plain form's, and `launches` says of how many it is not.
//
// Thread rule: one thread. Processes on the same device take turns by a lock on a file
// (NVPTX_LOCK): every copy and launch is made by who has it.
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
  /// Puts it back, behind a copy that takes the GPU at least a hundred microseconds.
  void restore();
  std::vector<std::vector<unsigned char>> contents() const;
  void dropSaved();

private:
  struct Block {
    size_t bytes;
    Address copy;
  };
  const Driver &driver_;
  std::map<Address, Block> blocks_;
  Address padding_ = 0; ///< both halves of the long copy
};

class Measured {
public:
  Measured(const Driver &driver, Forms forms, unsigned rounds);
  Memory &memory() { return memory_; }

  /// 0, or an error of the driver's.
  int launch(const Launch &launch);
  /// {"device", "cuda", "rounds", "kernels": [{"entry", "block", "grid", "launches", "measured", "loose",
  ///   "forms": {"melded": {"same", "launches", "times": [ms, ...]}}}]}: a form that differs from the plain one
  /// and has no launch and no times was not run.
  nlohmann::json report() const;

private:
  struct Timed {
    bool same = true;
    unsigned launches = 0;     ///< that it was run for; of the others it has the plain form's times
    std::vector<double> times; ///< of the rounds, milliseconds
  };
  struct Kernel {
    Launch first;
    unsigned launches = 0, measured = 0, loose = 0;
    std::map<std::string, Timed> forms;
  };

  /// What of a form is launched as an entry.
  struct Function {
    Handle handle = nullptr;
    unsigned dynamicShared = 0; ///< besides what the launch asks for
  };
  const Function &functionOf(size_t form, const std::string &entry);
  int start(const Function &function, const Launch &launch) const;
  double timed(size_t form, Kernel &kernel, const Launch &launch);
  void measure(Kernel &kernel, const Launch &launch);

  const Driver &driver_;
  Forms forms_;
  unsigned rounds_;
  Memory memory_;
  std::vector<Handle> modules_;
  std::map<std::pair<size_t, std::string>, Function> functions_;
  Handle begin_ = nullptr, end_ = nullptr;
  std::map<std::string, Kernel> kernels_; ///< by entry and shape
};

} // namespace meld::nvptx
