#include "passes/scalarize/launch_facts.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

namespace meld::passes {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// hsa_kernel_dispatch_packet_t: uint16_t workgroup_size_x at 4. Code object version 5, implicit
// arguments: uint16_t hidden_group_size_x at 12, hidden_remainder_x at 18.
constexpr uint64_t packetSizeX = 4, hiddenSizeX = 12, hiddenRemainderX = 18;

Intrinsic::ID rootOf(const Value &pointer) {
  auto *call = dyn_cast<IntrinsicInst>(&pointer);
  return call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
}

bool isSizeLoad(const Value &value, unsigned dimension, const DataLayout &layout) {
  auto *load = dyn_cast<LoadInst>(&value);
  if (!load || !load->getType()->isIntegerTy(16) || load->isVolatile())
    return false;
  const uint64_t field = 2 * uint64_t(dimension);
  const Value *pointer = load->getPointerOperand();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (rootOf(*base) == Intrinsic::amdgcn_dispatch_ptr)
    return offset == packetSizeX + field;
  if (rootOf(*base) == Intrinsic::amdgcn_implicitarg_ptr)
    return offset == hiddenSizeX + field || offset == hiddenRemainderX + field;
  // The one or the other, chosen by the workgroup's id.
  auto *gep = dyn_cast<GetElementPtrInst>(pointer);
  const Value *yes = nullptr, *no = nullptr;
  uint64_t offsets[2] = {};
  return gep && gep->getNumIndices() == 1 && gep->getSourceElementType()->isIntegerTy(8) &&
         rootOf(*gep->getPointerOperand()) == Intrinsic::amdgcn_implicitarg_ptr &&
         match(gep->getOperand(1), m_Select(m_Value(), m_Value(yes), m_Value(no))) &&
         match(yes, m_ConstantInt(offsets[0])) && match(no, m_ConstantInt(offsets[1])) &&
         all_of(offsets, [&](uint64_t at) {
           return at == hiddenSizeX + field || at == hiddenRemainderX + field;
         });
}

std::optional<unsigned> workgroupId(const Value &value) {
  switch (rootOf(value)) {
  case Intrinsic::amdgcn_workgroup_id_x:
    return 0;
  case Intrinsic::amdgcn_workgroup_id_y:
    return 1;
  case Intrinsic::amdgcn_workgroup_id_z:
    return 2;
  default:
    return std::nullopt;
  }
}

} // namespace

bool isAtMostWorkgroupSize(const Value &value, unsigned dimension, const GpuInfo &gpu,
                           const DataLayout &layout) {
  if (auto *constant = dyn_cast<ConstantInt>(&value)) {
    auto shape = gpu.workgroupShape();
    return shape && constant->getValue().ule((*shape)[dimension]);
  }
  if (auto *wide = dyn_cast<ZExtInst>(&value))
    return isSizeLoad(*wide->getOperand(0), dimension, layout);
  const Value *left = nullptr, *right = nullptr;
  return match(&value, m_UMin(m_Value(left), m_Value(right))) &&
         (isAtMostWorkgroupSize(*left, dimension, gpu, layout) ||
          isAtMostWorkgroupSize(*right, dimension, gpu, layout));
}

bool isPlaceInGrid(const Value &value, const GpuInfo &gpu, const DataLayout &layout) {
  const Value *start = nullptr, *id = nullptr;
  if (gpu.kind() != GpuKind::amdgpu || !value.getType()->isIntegerTy(32) ||
      !match(&value, m_Add(m_Value(start), m_Value(id))))
    return false;
  if (!gpu.workItemId(*id))
    std::swap(start, id);
  auto dimension = gpu.workItemId(*id);
  const Value *left = nullptr, *right = nullptr;
  if (!dimension)
    return false;
  if (match(start, m_Shl(m_Value(left), m_ConstantInt())) ||
      match(start, m_Mul(m_Value(left), m_Power2())))
    return workgroupId(*left) == dimension;
  if (!match(start, m_Mul(m_Value(left), m_Value(right))))
    return false;
  if (!workgroupId(*left))
    std::swap(left, right);
  return workgroupId(*left) == dimension && isAtMostWorkgroupSize(*right, *dimension, gpu, layout);
}

} // namespace meld::passes
