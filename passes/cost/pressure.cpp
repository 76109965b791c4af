#include "passes/cost/pressure.h"
#include "passes/compat.h"
#include "passes/cost/estimate.h"
#include "runtime/gpu/processor.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

PressureModel::PressureModel(const Function &function, const DivergenceInfo &divergence,
                             const CostModel &cost)
    : function_(function), kind_(divergence.gpu().kind()), waveSize_(divergence.gpu().waveSize()) {
  processor_ = function.getFnAttribute("target-cpu").getValueAsString().str();
  auto add = [&](const Value &value) {
    Type *type = value.getType();
    // Masks of lanes live in scalar registers (predicates on NVIDIA GPUs), and so does on AMD GPUs
    // what all threads of a wave share.
    if (type->isVoidTy() || type->isIntegerTy(1) || !type->isSized() ||
        (kind_ != GpuKind::nvptx && divergence.width(&value) != Width::thread))
      return;
    index_[&value] = unsigned(values_.size());
    values_.push_back(&value);
    words_.push_back(unsigned(cost.words(type)));
  };
  for (const Argument &argument : function.args())
    add(argument);
  for (const Instruction &instruction : instructions(function))
    add(instruction);

  for (const BasicBlock &block : function) {
    liveIn_[&block].resize(unsigned(values_.size()));
    liveOut_[&block].resize(unsigned(values_.size()));
  }
  std::vector<const BasicBlock *> order;
  for (const BasicBlock *block : post_order(&function))
    order.push_back(block);
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : order) {
      BitVector out(unsigned(values_.size()));
      for (const BasicBlock *successor : successors(block)) {
        out |= liveIn_[successor];
        for (const PHINode &phi : successor->phis())
          use(phi.getIncomingValueForBlock(block), out);
      }
      BitVector live = out;
      unsigned most = 0;
      walkBack(*block, live, most);
      liveOut_[block] = std::move(out);
      if (live != liveIn_[block]) {
        liveIn_[block] = std::move(live);
        changed = true;
      }
    }
  }
}

unsigned PressureModel::words(const BitVector &live) const {
  unsigned sum = 0;
  for (unsigned i : live.set_bits())
    sum += words_[i];
  return sum;
}

void PressureModel::use(const Value *value, BitVector &live) const {
  auto found = index_.find(value);
  if (found != index_.end())
    live.set(found->second);
}

// `live` comes in as what is live at the end and leaves as what is live at the start, phis of the
// block not among it. `most` grows to the peak; the running sum keeps the walk linear.
void PressureModel::walkBack(const BasicBlock &block, BitVector &live, unsigned &most) const {
  unsigned now = words(live);
  most = std::max(most, now);
  for (const Instruction &instruction : reverse(block)) {
    if (auto own = index_.find(&instruction); own != index_.end() && live.test(own->second)) {
      live.reset(own->second);
      now -= words_[own->second];
    }
    if (isa<PHINode>(instruction) || isa<DbgInfoIntrinsic>(instruction))
      continue;
    for (const Use &operand : instruction.operands())
      if (auto found = index_.find(operand.get());
          found != index_.end() && !live.test(found->second)) {
        live.set(found->second);
        now += words_[found->second];
      }
    most = std::max(most, now);
  }
}

unsigned PressureModel::peak(const BasicBlock &block) const {
  BitVector live = liveOut_.find(&block)->second;
  unsigned most = 0;
  walkBack(block, live, most);
  return most;
}

unsigned PressureModel::functionPeak() const {
  unsigned most = 0;
  for (const BasicBlock &block : function_)
    most = std::max(most, peak(block));
  return most;
}

unsigned PressureModel::peak(ArrayRef<MeldedItem> sequence, const BasicBlock *join) const {
  DenseMap<const Value *, const Value *> kept; // right value -> the left one it is melded into
  for (const MeldedItem &item : sequence)
    if (item.left && item.right)
      kept[item.right] = item.left;
  auto standsFor = [&](const Value *value) {
    auto found = kept.find(value);
    return found == kept.end() ? value : found->second;
  };
  BitVector live(unsigned(values_.size()));
  if (join) {
    for (unsigned i : liveIn_.find(join)->second.set_bits())
      use(standsFor(values_[i]), live);
    for (const PHINode &phi : join->phis())
      for (const Value *value : phi.incoming_values())
        use(standsFor(value), live);
  }
  unsigned most = words(live), now = most;
  for (const MeldedItem &item : reverse(sequence)) {
    const Instruction *result = item.left ? item.left : item.right;
    if (auto own = index_.find(result); own != index_.end() && live.test(own->second)) {
      live.reset(own->second);
      now -= words_[own->second];
    }
    for (const Instruction *side : {item.left, item.right}) {
      if (!side || isa<PHINode>(side))
        continue;
      for (const Use &operand : side->operands())
        if (auto found = index_.find(standsFor(operand.get()));
            found != index_.end() && !live.test(found->second)) {
          live.set(found->second);
          now += words_[found->second];
        }
    }
    most = std::max(most, now);
  }
  return most;
}

// One of the four partitions of a multiprocessor: 16,384 registers, dealt to warps by 256, that is
// 8 a thread (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
static unsigned warps(unsigned registers, StringRef processor) {
  const unsigned taken = std::max(1u, (registers + 7) / 8) * 8;
  const bool turing = processor == "sm_75";
  const bool consumer = processor == "sm_86" || processor == "sm_87" || processor == "sm_89";
  return std::max(1u, std::min(turing ? 8u : consumer ? 12u : 16u, 512 / taken));
}

unsigned PressureModel::waves(unsigned registers) const {
  if (kind_ == GpuKind::nvptx)
    return warps(registers, processor_);
  KernelResources resources;
  resources.vgprs = registers;
  resources.waveSize = waveSize_;
  if (findProcessor(processor_, waveSize_))
    return occupancy(resources, processor_);
  resources.waveSize = 64;
  return occupancy(resources, "gfx900"); // only steps are compared, and some there must be
}

int pressurePenalty(const PressureModel &pressure, ArrayRef<const BasicBlock *> arms,
                    ArrayRef<MeldedItem> sequence, const BasicBlock *join, int armsCost) {
  unsigned before = 0;
  for (const BasicBlock *block : arms)
    before = std::max(before, pressure.peak(*block));
  unsigned after = pressure.peak(sequence, join);
  // The rest of the function may need more than either.
  unsigned whole = pressure.functionPeak();
  unsigned wavesBefore = pressure.waves(std::max(before, whole));
  unsigned wavesAfter = pressure.waves(std::max(after, whole));
  if (wavesAfter >= wavesBefore)
    return 0;
  return int(int64_t(armsCost) * (wavesBefore - wavesAfter) / wavesBefore);
}

PreservedAnalyses CostPrinterPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &divergence = *analyses.getResult<DivergenceAnalysis>(function);
  CostModel cost(function, divergence.gpu());
  PressureModel pressure(function, divergence, cost);
  unsigned most = pressure.functionPeak();
  out_ << "meld-cost for function: " << function.getName() << ", peak " << most
       << " vector registers, " << pressure.waves(most) << " waves\n";
  for (const BasicBlock &block : function) {
    int cycles = 0;
    for (const Instruction &instruction : block)
      if (!isa<DbgInfoIntrinsic>(instruction))
        cycles += cost.instruction(instruction);
    out_ << "  block ";
    block.printAsOperand(out_, false);
    out_ << " cycles " << cycles << ", peak " << pressure.peak(block) << "\n";
  }
  return PreservedAnalyses::all();
}

} // namespace meld::passes
