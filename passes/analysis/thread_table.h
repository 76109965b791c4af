// The value of an expression in every thread of a workgroup, for expressions over work-item ids and
// constants alone; and from that, exactly, whether it is the same within each wave.
//
//   %w = lshr i32 %x, 6         0 0 0 .. 1 1 1 ..   one value per wave of 64
//   %c = icmp ult i32 %x, 96    mixed in the second wave
//   %y = workitem.id.y          one per wave when rows of x fill waves
//
// What decides is how ids are dealt to waves: the flat id x + X (y + Y z), in runs of the wave size
// (AMDGPU: "Initial Kernel Execution State"; CUDA: "SIMT Architecture"). With an exact shape the
// table is over the flat id. Without one only x can be tabled, and every row length X that the
// largest workgroup allows is tried. This covers thresholds k * waveSize (Lee 3.5), id / 64, id &
// ~63 and whatever else arithmetic can make of them.
//
// Costs: four sample threads are computed first and settle most expressions; only where they agree
// are all (at most 1024) threads computed. Memory: 8 KiB per value that gets a whole table.
// Unsafe: right for whole workgroups; a kernel marked "uniform-work-group-size"="false" has no
// known shape here (gpu_info.h).
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <array>
#include <optional>
#include <vector>

namespace meld::passes {

class ThreadTables {
public:
  /// `oneRow`: y and z are 1 and x may be anything up to the largest workgroup.
  ThreadTables(const GpuInfo &gpu, bool oneRow) : gpu_(gpu), oneRow_(oneRow) {}
  ThreadTables(const ThreadTables &) = delete;
  ThreadTables &operator=(const ThreadTables &) = delete;

  /// `wave` or `all` when that is proven, nothing otherwise.
  std::optional<Width> width(const llvm::Instruction &instruction);

private:
  using Table = const uint64_t *; ///< one value per thread; null: not known
  struct Memo {
    size_t threads = 0;
    const uint32_t *flat = nullptr; ///< their flat ids; null: each its own place
    llvm::DenseMap<const llvm::Value *, Table> tables;
  };

  void deal();
  uint32_t id(uint32_t flat, unsigned dimension) const;
  Table compute(const llvm::Value &value, Memo &memo, unsigned depth);
  Table evaluate(const llvm::Value &value, Memo &memo, unsigned depth);
  bool oneValuePerWave(llvm::ArrayRef<uint64_t> table) const;

  const GpuInfo &gpu_;
  bool oneRow_;
  bool dealt_ = false;
  std::array<uint32_t, 3> shape_{}; ///< of the threads that are tabled
  std::array<uint32_t, 4> samples_{};
  Memo few_, all_;
  llvm::BumpPtrAllocator memory_; ///< of the tables
  llvm::DenseMap<const llvm::Instruction *, std::optional<Width>> known_;
};

} // namespace meld::passes
