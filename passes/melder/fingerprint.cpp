#include "passes/melder/fingerprint.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <algorithm>

namespace meld::passes {

using namespace llvm;

namespace {

class Fingerprint {
public:
  uint64_t of(const Function &function) {
    add(function.getFunctionType(), function.getCallingConv());
    for (const Argument &argument : function.args())
      number(&argument);
    for (const BasicBlock &block : function)
      numberAll(block);
    for (const BasicBlock &block : function) {
      add(block.size());
      for (const Instruction &instruction : block)
        take(instruction);
    }
    return hash_;
  }

  uint64_t of(const BasicBlock &head, ArrayRef<BasicBlock *> region,
              function_ref<uint64_t(const Value &)> about) {
    about_ = about;
    for (const BasicBlock *block : region)
      numberAll(*block);
    const size_t inside = numbers_.size();
    take(*head.getTerminator());
    for (const BasicBlock *block : region) {
      add(block->size());
      for (const Instruction &instruction : *block) {
        take(instruction);
        add(any_of(instruction.users(), [&](const User *user) {
          auto known = numbers_.find(user);
          return known == numbers_.end() || known->second >= inside;
        }));
      }
    }
    return hash_;
  }

private:
  template <class... Parts> void add(const Parts &...parts) {
    hash_ = hash_combine(hash_, parts...);
  }

  void number(const Value *value) { numbers_.try_emplace(value, numbers_.size()); }

  void numberAll(const BasicBlock &block) {
    number(&block);
    for (const Instruction &instruction : block)
      number(&instruction);
  }

  uint64_t nameOf(const Value &operand) {
    if (auto known = numbers_.find(&operand); known != numbers_.end())
      return known->second;
    if (about_ &&
        (isa<Instruction>(operand) || isa<Argument>(operand) || isa<BasicBlock>(operand))) {
      add(operand.getType(), about_(operand));
      number(&operand);
      return numbers_.size() - 1;
    }
    return reinterpret_cast<uintptr_t>(&operand); // constants, functions, assembly, metadata
  }

  void take(const Instruction &instruction) {
    add(instruction.getOpcode(), instruction.getType(), instruction.getNumOperands(),
        instruction.getRawSubclassOptionalData());
    if (isa<BinaryOperator>(instruction) && instruction.isCommutative()) {
      const auto [first, second] =
          std::minmax({nameOf(*instruction.getOperand(0)), nameOf(*instruction.getOperand(1))});
      add(first, second);
    } else {
      for (const Value *operand : instruction.operands())
        add(nameOf(*operand));
    }
    takeState(instruction);
    if (!instruction.hasMetadataOtherThanDebugLoc())
      return;
    SmallVector<std::pair<unsigned, MDNode *>, 4> nodes;
    instruction.getAllMetadataOtherThanDebugLoc(nodes);
    for (const auto &[kind, node] : nodes)
      add(kind, node);
  }

  // What an instruction has besides operands and flags.
  void takeState(const Instruction &instruction) {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      add(load->isVolatile(), load->getAlign().value(), load->getOrdering(),
          load->getSyncScopeID());
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      add(store->isVolatile(), store->getAlign().value(), store->getOrdering(),
          store->getSyncScopeID());
    else if (auto *fence = dyn_cast<FenceInst>(&instruction))
      add(fence->getOrdering(), fence->getSyncScopeID());
    else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      add(update->getOperation(), update->isVolatile(), update->getAlign().value(),
          update->getOrdering(), update->getSyncScopeID());
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      add(exchange->isVolatile(), exchange->isWeak(), exchange->getAlign().value(),
          exchange->getSuccessOrdering(), exchange->getFailureOrdering(),
          exchange->getSyncScopeID());
    else if (auto *compare = dyn_cast<CmpInst>(&instruction))
      add(compare->getPredicate());
    else if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      add(alloca->getAllocatedType(), alloca->getAlign().value());
    else if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      add(address->getSourceElementType());
    else if (auto *call = dyn_cast<CallBase>(&instruction))
      add(call->getAttributes().getRawPointer(), call->getCallingConv(), call->getFunctionType());
    else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
      for (int lane : shuffle->getShuffleMask())
        add(lane);
    else if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
      for (unsigned index : extract->indices())
        add(index);
    else if (auto *insert = dyn_cast<InsertValueInst>(&instruction))
      for (unsigned index : insert->indices())
        add(index);
    else if (auto *phi = dyn_cast<PHINode>(&instruction))
      for (const BasicBlock *block : phi->blocks())
        add(nameOf(*block));
  }

  function_ref<uint64_t(const Value &)>
      about_;                                 ///< of values from elsewhere; null: a whole function
  DenseMap<const Value *, unsigned> numbers_; ///< arguments, blocks and instructions, by place
  uint64_t hash_ = 0;
};

} // namespace

uint64_t fingerprintOf(const Function &function) { return Fingerprint().of(function); }

uint64_t fingerprintOf(const BasicBlock &head, ArrayRef<BasicBlock *> region,
                       function_ref<uint64_t(const Value &)> about) {
  return Fingerprint().of(head, region, about);
}

} // namespace meld::passes
