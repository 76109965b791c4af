#include "passes/analysis/gpu_info.h"
#include "passes/compat.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace meld::passes {

using namespace llvm;

static unsigned amdgpuWaveSize(const Function &function) {
  StringRef features = function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+wavefrontsize64"))
    return 64;
  if (features.contains("+wavefrontsize32"))
    return 32;
  // gfx10 and later default to waves of 32, everything before has only 64.
  StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  return compat::startsWith(cpu, "gfx1") && cpu.size() >= 7 ? 32 : 64;
}

bool isForOtherMachines(const Module &module) {
  Triple triple = compat::targetTriple(module);
  return triple.getArch() != Triple::UnknownArch && !triple.isAMDGCN() && !triple.isNVPTX();
}

GpuInfo::GpuInfo(const Function &function) {
  Triple triple = compat::targetTriple(*function.getParent());
  if (triple.isAMDGCN()) {
    kind_ = GpuKind::amdgpu;
    waveSize_ = amdgpuWaveSize(function);
    if (function.getCallingConv() == CallingConv::AMDGPU_KERNEL ||
        function.getCallingConv() == CallingConv::SPIR_KERNEL)
      kernel_ = &function;
    auto [low, high] =
        function.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString().split(',');
    unsigned most = 0;
    if (!high.trim().getAsInteger(10, most))
      maxWorkgroup_ = most;
  } else if (triple.isNVPTX()) {
    kind_ = GpuKind::nvptx;
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernel_ = &function;
    if (const NamedMDNode *annotations = function.getParent()->getNamedMetadata("nvvm.annotations"))
      for (const MDNode *node : annotations->operands()) {
        if (node->getNumOperands() < 2)
          continue;
        auto *subject = dyn_cast_or_null<ValueAsMetadata>(node->getOperand(0));
        auto *key = dyn_cast_or_null<MDString>(node->getOperand(1));
        if (subject && key && subject->getValue() == &function && key->getString() == "kernel")
          kernel_ = &function;
      }
  }
  // OpenCL 2 may cut the last workgroups of a dispatch short, and then deals ids by that shape.
  bool whole = function.getFnAttribute("uniform-work-group-size").getValueAsString() != "false";
  if (const MDNode *node = function.getMetadata("reqd_work_group_size");
      whole && node && node->getNumOperands() == 3) {
    std::array<unsigned, 3> shape{};
    bool known = true;
    for (unsigned i = 0; i < 3; ++i) {
      auto *value = mdconst::dyn_extract<ConstantInt>(node->getOperand(i));
      known &= value != nullptr;
      shape[i] = value ? unsigned(value->getZExtValue()) : 0;
    }
    if (known && shape[0] && shape[1] && shape[2]) {
      shape_ = shape;
      maxWorkgroup_ = shape[0] * shape[1] * shape[2];
    }
  }
}

bool GpuInfo::xFillsWaves() const { return shape_ && (*shape_)[0] % waveSize_ == 0; }

GpuInfo GpuInfo::forCallee(const Function &callee) const {
  GpuInfo info = *this;
  info.kernel_ = nullptr;
  info.waveSize_ = GpuInfo(callee).waveSize_;
  return info;
}

namespace {

using Ids = Intrinsic::ID[3][2]; ///< by dimension: AMDGPU's and NVPTX's

std::optional<unsigned> dimensionOf(const Value &value, const Ids &ids) {
  if (auto *call = dyn_cast<IntrinsicInst>(&value))
    for (unsigned d = 0; d < 3; ++d)
      if (is_contained(ids[d], call->getIntrinsicID()))
        return d;
  return std::nullopt;
}

} // namespace

bool GpuInfo::isReadOnlyArgument(const Value &object) const {
  auto *argument = dyn_cast<Argument>(&object);
  return argument && kernel_ == argument->getParent() && argument->hasNoAliasAttr() &&
         argument->onlyReadsMemory();
}

std::optional<unsigned> GpuInfo::workItemId(const Value &value) const {
  static constexpr Ids ids = {
      {Intrinsic::amdgcn_workitem_id_x, Intrinsic::nvvm_read_ptx_sreg_tid_x},
      {Intrinsic::amdgcn_workitem_id_y, Intrinsic::nvvm_read_ptx_sreg_tid_y},
      {Intrinsic::amdgcn_workitem_id_z, Intrinsic::nvvm_read_ptx_sreg_tid_z}};
  return dimensionOf(value, ids);
}

std::optional<unsigned> GpuInfo::workGroupId(const Value &value) const {
  static constexpr Ids ids = {
      {Intrinsic::amdgcn_workgroup_id_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_x},
      {Intrinsic::amdgcn_workgroup_id_y, Intrinsic::nvvm_read_ptx_sreg_ctaid_y},
      {Intrinsic::amdgcn_workgroup_id_z, Intrinsic::nvvm_read_ptx_sreg_ctaid_z}};
  return dimensionOf(value, ids);
}

std::optional<unsigned> GpuInfo::groupSizeRegister(const Value &value) const {
  static constexpr Ids ids = {{Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_ntid_x},
                              {Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_ntid_y},
                              {Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
  return dimensionOf(value, ids);
}

std::optional<unsigned> GpuInfo::groupCountRegister(const Value &value) const {
  static constexpr Ids ids = {{Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_nctaid_x},
                              {Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_nctaid_y},
                              {Intrinsic::not_intrinsic, Intrinsic::nvvm_read_ptx_sreg_nctaid_z}};
  return dimensionOf(value, ids);
}

CallWidth GpuInfo::callWidth(const CallBase &call) const {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return {Width::thread, false};
  if (auto dimension = workItemId(call)) {
    if (shape_ && (*shape_)[*dimension] == 1)
      return {Width::all, false};
    return {*dimension > 0 && xFillsWaves() ? Width::wave : Width::thread, false};
  }
  const CallWidth ofLaunch{isKernel() ? Width::all : Width::wave, false};
  if (groupSizeRegister(call) || groupCountRegister(call))
    return ofLaunch;
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::amdgcn_workgroup_id_x:
  case Intrinsic::amdgcn_workgroup_id_y:
  case Intrinsic::amdgcn_workgroup_id_z:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
  case Intrinsic::amdgcn_groupstaticsize:
    return {Width::workgroup, false};
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
  case Intrinsic::amdgcn_dispatch_ptr:
  case Intrinsic::amdgcn_queue_ptr:
  case Intrinsic::amdgcn_dispatch_id:
    return ofLaunch;
  case Intrinsic::amdgcn_readfirstlane:
  case Intrinsic::amdgcn_readlane:
  case Intrinsic::amdgcn_ballot:
  case Intrinsic::amdgcn_icmp:
  case Intrinsic::amdgcn_fcmp:
  case Intrinsic::amdgcn_s_memtime:
  case Intrinsic::amdgcn_s_memrealtime:
  case Intrinsic::amdgcn_s_getreg:
  case Intrinsic::amdgcn_s_getpc:
  case Intrinsic::readcyclecounter:
    return {Width::wave, false};
  case Intrinsic::amdgcn_if_break:
    return {Width::wave, false};
  default:
    break;
  }
  // Whatever talks to other lanes or to memory in a way we do not model varies by thread.
  if (call.isConvergent() || call.mayReadOrWriteMemory())
    return {Width::thread, false};
  StringRef callee = intrinsic->getCalledFunction()->getName();
  bool targetOwn =
      compat::startsWith(callee, "llvm.amdgcn.") || compat::startsWith(callee, "llvm.nvvm.");
  if (targetOwn && intrinsic->arg_size() == 0)
    return {Width::thread, false};
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi:
  case Intrinsic::amdgcn_interp_p1:
  case Intrinsic::amdgcn_interp_p2:
  case Intrinsic::amdgcn_interp_mov:
    return {Width::thread, false};
  default:
    return {Width::all, true};
  }
}

} // namespace meld::passes
