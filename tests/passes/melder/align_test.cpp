// The aligner against a plain exhaustive search over small sequences.
#include "passes/melder/align.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace meld::passes;

namespace {

constexpr int guardCost = 7;

// Even letters may be speculated (arithmetic), odd ones not (volatile loads).
bool speculatable(char letter) { return letter % 2 == 0; }

std::unique_ptr<Module> makeModule(LLVMContext &context, const std::string &left,
                                   const std::string &right) {
  std::string text = "define void @f(ptr %p, i32 %x) {\n";
  int number = 0;
  for (char letter : left + right) {
    std::string name = "  %v" + std::to_string(number++);
    // One opcode per letter class, the letter itself as a constant or an offset.
    text += speculatable(letter) ? name + " = add i32 %x, " + std::to_string(int(letter)) + "\n"
                                 : name + " = load volatile i32, ptr %p, align " +
                                       std::to_string(1 << ((letter / 2) % 4)) + "\n";
  }
  text += "  ret void\n}\n";
  SMDiagnostic error;
  return parseAssemblyString(text, error, context);
}

int pairGain(char l, char r) {
  return l == r ? 10 : speculatable(l) == speculatable(r) ? 3 : -1000;
}

// Best score by trying everything: pair, run for all, or put behind a guard, state by state.
int bestScore(const std::string &left, const std::string &right, size_t i, size_t j, int state) {
  if (i == left.size() && j == right.size())
    return 0;
  int best = -100000;
  if (i < left.size() && j < right.size() && speculatable(left[i]) == speculatable(right[j]))
    best = std::max(best, pairGain(left[i], right[j]) + bestScore(left, right, i + 1, j + 1, 0));
  auto gap = [&](char letter, int own, size_t ni, size_t nj) {
    if (speculatable(letter))
      best = std::max(best, bestScore(left, right, ni, nj, 0) - 1);
    int open = state == own ? 0 : state == 0 ? guardCost : guardCost / 2;
    best = std::max(best, bestScore(left, right, ni, nj, own) - open);
  };
  if (i < left.size())
    gap(left[i], 1, i + 1, j);
  if (j < right.size())
    gap(right[j], 2, i, j + 1);
  return best;
}

int scoreOf(const std::vector<AlignedItem> &items, const std::vector<char> &letters,
            const std::vector<Instruction *> &all) {
  auto letter = [&](Instruction *instruction) {
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i] == instruction)
        return letters[i];
    return '?';
  };
  int score = 0, state = 0;
  for (const AlignedItem &item : items) {
    int own = item.kind == AlignedItem::guardLeft    ? 1
              : item.kind == AlignedItem::guardRight ? 2
                                                     : 0;
    if (item.kind == AlignedItem::pair)
      score += pairGain(letter(item.left), letter(item.right));
    else if (own == 0)
      score -= 1;
    else if (own != state)
      score -= state == 0 ? guardCost : guardCost / 2;
    state = own;
  }
  return score;
}

TEST(Align, IsOptimalOnSmallSequences) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string left, right;
    for (unsigned i = 0; i < 1 + random() % 5; ++i)
      left += char('a' + random() % 4);
    for (unsigned i = 0; i < 1 + random() % 5; ++i)
      right += char('a' + random() % 4);
    LLVMContext context;
    auto module = makeModule(context, left, right);
    ASSERT_TRUE(module);
    std::vector<Instruction *> all;
    std::vector<char> letters;
    for (Instruction &instruction : module->getFunction("f")->front())
      if (!instruction.isTerminator()) {
        letters.push_back((left + right)[all.size()]);
        all.push_back(&instruction);
      }
    ArrayRef<Instruction *> view(all);
    auto letter = [&](Instruction &instruction) {
      for (size_t i = 0; i < all.size(); ++i)
        if (all[i] == &instruction)
          return letters[i];
      return '?';
    };
    auto items = align(
        view.take_front(left.size()), view.drop_front(left.size()), guardCost,
        [](Instruction &) { return 1; },
        [&](Instruction &l, Instruction &r) {
          return PairScore{true, pairGain(letter(l), letter(r)), false};
        });
    EXPECT_EQ(scoreOf(items, letters, all), bestScore(left, right, 0, 0, 0))
        << left << " / " << right;
    // Every instruction once, each side in its own order.
    std::vector<Instruction *> seenLeft, seenRight;
    for (const AlignedItem &item : items) {
      if (item.left)
        seenLeft.push_back(item.left);
      if (item.right)
        seenRight.push_back(item.right);
    }
    seenLeft.insert(seenLeft.end(), seenRight.begin(), seenRight.end());
    EXPECT_EQ(seenLeft, all);
  }
}

} // namespace
