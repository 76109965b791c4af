// What a function's attributes and metadata say about the machine it runs on: wave size, workgroup
// shape, address spaces, and which intrinsics are sources of divergence.
//
// AMDGPU is the target that matters; NVPTX and anything else get sensible answers (wave of 32,
// generic address spaces), so that the passes stay usable there.
#pragma once

#include "passes/analysis/width.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include <array>
#include <optional>

namespace meld::passes {

enum class GpuKind : uint8_t { amdgpu, nvptx, other };

/// Whether the module is for a machine without waves: its triple names one, such as the host's. A
/// module without a triple may be for any.
bool isForOtherMachines(const llvm::Module &module);

/// What a call or intrinsic contributes to divergence, apart from its operands.
struct CallWidth {
  Width own = Width::all; ///< the result is never wider than this
  bool meetsOperands =
      true; ///< false: the result does not depend on how the operands vary (readfirstlane)
};

class GpuInfo {
public:
  explicit GpuInfo(const llvm::Function &function);

  GpuKind kind() const { return kind_; }
  unsigned waveSize() const { return waveSize_; }
  bool isKernel() const { return kernel_; }
  /// Most threads one workgroup can have, 0 when unknown.
  unsigned maxWorkgroup() const { return maxWorkgroup_; }
  /// Exact shape, when the program fixes it.
  std::optional<std::array<unsigned, 3>> workgroupShape() const { return shape_; }

  /// The x dimension fills whole waves: threads of a wave have consecutive x, aligned to the wave
  /// size, and equal y and z. Proven from an exact shape.
  bool xFillsWaves() const;

  /// The same machine as a function sees it that the kernel calls.
  GpuInfo forCallee(const llvm::Function &callee) const;

  unsigned privateAddressSpace() const { return 5; }
  unsigned localAddressSpace() const { return 3; }
  bool isConstantAddressSpace(unsigned space) const {
    return space == 4 || (kind_ == GpuKind::amdgpu && space == 6);
  }

  /// Memory that nobody outside of the dispatch sees: a thread's or a workgroup's own.
  bool isInsideDispatch(unsigned space) const {
    return space == privateAddressSpace() || space == localAddressSpace();
  }
  /// This kernel's argument that is noalias and only read: by the program's word nobody writes
  /// there while the kernel runs. AMDGPU's alias analysis (AMDGPUAAResult) takes it for constant,
  /// too. The argument of a function that is called says so of that one call: it is none.
  bool isReadOnlyArgument(const llvm::Value &object) const;

  /// The dimension (0 x, 1 y, 2 z) if `value` is the work-item id, else nothing.
  std::optional<unsigned> workItemId(const llvm::Value &value) const;
  /// The same of the work-group id.
  std::optional<unsigned> workGroupId(const llvm::Value &value) const;
  /// And of what PTX has registers for and AMDGPU reads from memory: the size of a work-group, and
  /// how many there are.
  std::optional<unsigned> groupSizeRegister(const llvm::Value &value) const;
  std::optional<unsigned> groupCountRegister(const llvm::Value &value) const;

  /// Pointer operand aside, how wide the result of this call can be.
  CallWidth callWidth(const llvm::CallBase &call) const;

private:
  GpuKind kind_ = GpuKind::other;
  unsigned waveSize_ = 32;
  const llvm::Function *kernel_ = nullptr; ///< the function, if it is a kernel
  unsigned maxWorkgroup_ = 0;
  std::optional<std::array<unsigned, 3>> shape_;
};

} // namespace meld::passes
