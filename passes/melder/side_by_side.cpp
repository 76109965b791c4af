#include "passes/melder/side_by_side.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace meld::passes {

using namespace llvm;

namespace {

constexpr size_t maxText = 72;

// LLVM AMDGPU usage, "Address Spaces".
StringRef memoryName(unsigned addressSpace) {
  switch (addressSpace) {
  case 0:
    return "flat";
  case 1:
    return "global";
  case 2:
    return "region";
  case 3:
    return "lds";
  case 4:
    return "constant";
  case 5:
    return "scratch";
  default:
    return "memory";
  }
}

std::string textOf(const Instruction *instruction) {
  if (!instruction)
    return {};
  std::string text;
  raw_string_ostream out(text);
  if (instruction->hasName())
    out << '%' << instruction->getName().take_front(24) << " = ";
  out << instruction->getOpcodeName();
  if (const auto *compare = dyn_cast<CmpInst>(instruction)) {
    out << ' ' << CmpInst::getPredicateName(compare->getPredicate()) << ' '
        << *compare->getOperand(0)->getType();
  } else if (const auto *call = dyn_cast<CallBase>(instruction)) {
    if (const Function *callee = call->getCalledFunction())
      out << ' ' << callee->getName().take_front(40);
  } else if (const auto *store = dyn_cast<StoreInst>(instruction)) {
    out << ' ' << *store->getValueOperand()->getType() << ' '
        << memoryName(store->getPointerAddressSpace());
  } else if (!isa<GetElementPtrInst>(instruction)) {
    out << ' ' << *instruction->getType();
    if (const auto *load = dyn_cast<LoadInst>(instruction))
      out << ' ' << memoryName(load->getPointerAddressSpace());
  }
  out.flush();
  if (text.size() > maxText) // a type of a struct can be as long as the program
    text.resize(maxText);
  if (const DebugLoc &where = instruction->getDebugLoc())
    text += "  " + sys::path::filename(cast<DIScope>(where.getScope())->getFilename()).str() + ":" +
            std::to_string(where.getLine());
  return text;
}

StringRef whose(AlignedItem::Kind kind) {
  switch (kind) {
  case AlignedItem::pair:
    return "both";
  case AlignedItem::guardLeft:
    return "left";
  case AlignedItem::guardRight:
    return "right";
  case AlignedItem::speculateLeft:
    return "left, run by all";
  case AlignedItem::speculateRight:
    return "right, run by all";
  }
  return "";
}

std::string nameOf(const BasicBlock *block) {
  return block && block->hasName() ? ("%" + block->getName().take_front(40)).str() : "";
}

} // namespace

void recordSides(const Plan &plan, Decision &decision) {
  auto add = [&](auto row) {
    if (decision.sides.size() < maxRows)
      decision.sides.push_back(row());
    else
      ++decision.sidesLeftOut;
  };
  for (const NodePlan &node : plan.nodes)
    for (const BlockPlan &block : node.blocks) {
      add([&] { return AlignedRow{"blocks", nameOf(block.left), nameOf(block.right)}; });
      for (const AlignedItem &item : block.items)
        add([&] {
          return AlignedRow{whose(item.kind).str(), textOf(item.left), textOf(item.right)};
        });
    }
}

} // namespace meld::passes
