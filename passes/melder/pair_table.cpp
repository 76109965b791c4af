#include "passes/melder/pair_table.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned mostUses = 6; // looked at, per instruction

PairTable::PairTable(ArrayRef<Instruction *> left, ArrayRef<Instruction *> right,
                     const CostModel &cost, const PairBelief &belief)
    : cost_(cost), left_(sideOf(left, belief.leftBlocks, belief)),
      right_(sideOf(right, belief.rightBlocks, belief)) {}

PairTable::Side PairTable::sideOf(ArrayRef<Instruction *> body, const PairBelief::Blocks &blocks,
                                  const PairBelief &belief) const {
  Side side;
  side.entries.reserve(body.size());
  for (const Instruction *instruction : body) {
    Entry entry;
    entry.instruction = instruction;
    entry.cost = cost_.instruction(*instruction);
    entry.priceFollowsSecond =
        instruction->getOpcode() == Instruction::Mul || instruction->isIntDivRem();
    entry.operands = unsigned(side.operands.size());
    entry.operandCount = instruction->getNumOperands();
    for (const Value *value : instruction->operands()) {
      Operand operand;
      operand.value = value;
      operand.partner = belief.paired.lookup(value);
      operand.select = cost_.select(value->getType());
      auto *maker = dyn_cast<Instruction>(value);
      if (belief.hopeful && maker && !isa<PHINode>(maker) && blocks.count(maker->getParent()))
        operand.kind = {maker->getOpcode(), maker->getType()};
      side.operands.push_back(operand);
    }
    entry.places = unsigned(side.places.size());
    if (!instruction->getType()->isVoidTy()) {
      entry.select = cost_.select(instruction->getType());
      for (const Use &use : instruction->uses()) {
        if (entry.placeCount == mostUses)
          break;
        ++entry.placeCount;
        auto *user = cast<Instruction>(use.getUser());
        side.places.push_back({user, belief.paired.lookup(user), user->getOpcode(),
                               use.getOperandNo(), isa<PHINode>(user),
                               blocks.count(user->getParent()) != 0});
      }
    }
    side.entries.push_back(entry);
  }
  return side;
}

// The selects for operands that differ, and the instruction that is left.
int PairTable::price(const Entry &left, const Entry &right, bool swapped) const {
  const Operand *l = &left_.operands[left.operands], *r = &right_.operands[right.operands];
  int sum = 0;
  for (unsigned i = 0; i < left.operandCount; ++i) {
    const Operand &mine = l[i], &other = r[swapped && i < 2 ? 1 - i : i];
    const bool same = mine.value == other.value || mine.partner == other.value ||
                      (mine.kind.opcode != 0 && mine.kind.opcode == other.kind.opcode &&
                       mine.kind.type == other.kind.type);
    if (!same)
      sum += mine.select;
  }
  return sum + (left.priceFollowsSecond
                    ? cost_.merged(*left.instruction, *right.instruction, swapped)
                    : std::max(left.cost, right.cost));
}

// If the two are used in corresponding places, pairing them saves the select there.
int PairTable::bonus(const Entry &left, const Entry &right) const {
  for (unsigned i = 0; i < left.placeCount; ++i) {
    const Place &l = left_.places[left.places + i];
    for (unsigned k = 0; k < right.placeCount; ++k) {
      const Place &r = right_.places[right.places + k];
      if (l.isPhi ? l.user == r.user || l.partner == r.user
                  : l.opcode == r.opcode && l.operand == r.operand && l.inside && r.inside)
        return left.select;
    }
  }
  return 0;
}

PairScore PairTable::score(size_t left, size_t right, bool straight, bool swapped) const {
  const Entry &l = left_.entries[left], &r = right_.entries[right];
  constexpr int never = 1 << 20;
  const int asIs = straight ? price(l, r, false) : never;
  const int exchanged = swapped ? price(l, r, true) : never;
  return {true, l.cost + r.cost - std::min(asIs, exchanged) + bonus(l, r), exchanged < asIs};
}

} // namespace meld::passes
