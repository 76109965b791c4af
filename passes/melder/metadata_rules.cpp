#include "passes/melder/metadata_rules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace meld::passes {

using namespace llvm;

namespace {

using Rule = MDNode *(*)(MDNode *, MDNode *);

MDNode *onlyIfSame(MDNode *left, MDNode *right) { return left == right ? left : nullptr; }

struct Kind {
  const char *name;
  Rule rule; ///< of two nodes, neither of which is null
};

// By name: some kinds are newer than the oldest LLVM that this builds with.
constexpr Kind keptKinds[] = {
    // The weaker of two promises.
    {"tbaa", MDNode::getMostGenericTBAA},
    {"alias.scope", MDNode::getMostGenericAliasScope},
    {"noalias", MDNode::intersect},
    {"range", MDNode::getMostGenericRange},
    {"fpmath", MDNode::getMostGenericFPMath},
    {"align", MDNode::getMostGenericAlignmentOrDereferenceable},
    {"dereferenceable", MDNode::getMostGenericAlignmentOrDereferenceable},
    {"dereferenceable_or_null", MDNode::getMostGenericAlignmentOrDereferenceable},
    // What holds of each side's own place or value holds of whichever a thread has.
    {"tbaa.struct", onlyIfSame},
    {"invariant.load", onlyIfSame},
    {"nontemporal", onlyIfSame},
    {"nonnull", onlyIfSame},
    {"noundef", onlyIfSame},
    {"noalias.addrspace", onlyIfSame},
    {"amdgpu.noclobber", onlyIfSame},
    {"amdgpu.no.fine.grained.memory", onlyIfSame},
    {"amdgpu.no.remote.memory", onlyIfSame},
    {"amdgpu.ignore.denormal.mode", onlyIfSame},
    {"mmra", onlyIfSame},
    // Of loops and branches.
    {"llvm.access.group", onlyIfSame},
    {"llvm.loop", onlyIfSame},
    {"prof", onlyIfSame},
    {"unpredictable", onlyIfSame},
    // Our own (meld_choice.cpp).
    {"meld.left.out", onlyIfSame},
};

Rule ruleOf(StringRef name) {
  for (const Kind &kind : keptKinds)
    if (name == kind.name)
      return kind.rule;
  return nullptr;
}

} // namespace

void shareMetadata(Instruction &merged, const Instruction &left, const Instruction &right) {
  SmallVector<std::pair<unsigned, MDNode *>, 8> promised;
  left.getAllMetadataOtherThanDebugLoc(promised);
  SmallVector<StringRef, 64> names;
  if (!promised.empty())
    left.getContext().getMDKindNames(names);
  for (auto &[kind, node] : promised) {
    MDNode *other = right.getMetadata(kind);
    const Rule rule = other ? ruleOf(names[kind]) : nullptr;
    node = rule ? rule(node, other) : nullptr;
  }
  SmallVector<std::pair<unsigned, MDNode *>, 8> present;
  merged.getAllMetadataOtherThanDebugLoc(present);
  for (const auto &[kind, node] : present)
    merged.setMetadata(kind, nullptr);
  for (const auto &[kind, node] : promised)
    merged.setMetadata(kind, node);
}

void forgetUniformNotes(Function &function) {
  LLVMContext &context = function.getContext();
  const unsigned kinds[] = {context.getMDKindID("amdgpu.uniform"),
                            context.getMDKindID("structurizecfg.uniform")};
  for (Instruction &instruction : instructions(function))
    if (instruction.hasMetadataOtherThanDebugLoc())
      for (const unsigned kind : kinds)
        instruction.setMetadata(kind, nullptr);
}

} // namespace meld::passes
