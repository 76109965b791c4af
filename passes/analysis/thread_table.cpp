#include "passes/analysis/thread_table.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned largestWorkgroup = 1024; // of every GPU the triples name
static constexpr unsigned maxDepth = 24;

// What evaluate() knows; everything else has no table, and neither has what is made of it.
static bool isTabled(const Instruction &instruction) {
  return isa<BinaryOperator, ZExtInst, SExtInst, TruncInst, ICmpInst, SelectInst, IntrinsicInst>(
      instruction);
}

// Most have not, and one look at the operands says so.
static bool mayHaveTable(const Instruction &instruction) {
  if (!isTabled(instruction) || !instruction.getType()->isIntegerTy())
    return false;
  auto *call = dyn_cast<CallBase>(&instruction);
  return all_of(call ? call->args() : make_range(instruction.op_begin(), instruction.op_end()),
                [](const Use &use) {
                  auto *operand = dyn_cast<Instruction>(use);
                  return operand ? isTabled(*operand) : isa<ConstantInt>(use);
                });
}

void ThreadTables::deal() {
  dealt_ = true;
  if (auto shape = gpu_.workgroupShape()) {
    shape_ = {(*shape)[0], (*shape)[1], (*shape)[2]};
  } else {
    unsigned most =
        gpu_.maxWorkgroup() ? std::min(gpu_.maxWorkgroup(), largestWorkgroup) : largestWorkgroup;
    shape_ = {most, 1, 1};
  }
  const uint64_t count = uint64_t(shape_[0]) * shape_[1] * shape_[2];
  if (count > largestWorkgroup)
    return;
  all_.threads = count;
  few_.flat = samples_.data();
  const size_t wave = std::min<size_t>(gpu_.waveSize(), count);
  for (size_t i : {size_t(0), size_t(1), size_t(2), wave - 1})
    if (i < wave)
      samples_[few_.threads++] = uint32_t(i);
}

uint32_t ThreadTables::id(uint32_t flat, unsigned dimension) const {
  switch (dimension) {
  case 0:
    return flat % shape_[0];
  case 1:
    return flat / shape_[0] % shape_[1];
  default:
    return flat / (shape_[0] * shape_[1]);
  }
}

std::optional<Width> ThreadTables::width(const Instruction &instruction) {
  if (!mayHaveTable(instruction))
    return std::nullopt;
  auto [place, isNew] = known_.try_emplace(&instruction, std::nullopt);
  if (!isNew)
    return place->second;
  if (!dealt_)
    deal();
  if (few_.threads == 0)
    return std::nullopt;
  const Table few = compute(instruction, few_, 0);
  if (!few)
    return std::nullopt;
  for (size_t i = 1; i < few_.threads; ++i)
    if (few[i] != few[0])
      return std::nullopt;
  const Table whole = compute(instruction, all_, 0);
  if (!whole)
    return std::nullopt;
  const ArrayRef<uint64_t> table(whole, all_.threads);
  std::optional<Width> result;
  if (all_of(table, [&](uint64_t value) { return value == table.front(); }))
    result = Width::all;
  else if (oneValuePerWave(table))
    result = Width::wave;
  known_[&instruction] = result;
  return result;
}

bool ThreadTables::oneValuePerWave(ArrayRef<uint64_t> table) const {
  const size_t wave = gpu_.waveSize(), most = table.size();
  auto rowsAgree = [&](size_t row, size_t count) {
    for (size_t first = 0; first < count; first += wave)
      for (size_t flat = first; flat < std::min(first + wave, count); ++flat)
        if (table[flat % row] != table[first % row])
          return false;
    return true;
  };
  if (gpu_.workgroupShape() || oneRow_)
    return rowsAgree(most, most);
  // Rows that end before the value first changes see one value.
  size_t change = 1;
  while (change < most && table[change] == table[0])
    ++change;
  for (size_t row = change + 1; row <= most; ++row)
    if (!rowsAgree(row, most / row * row))
      return false;
  return true;
}

ThreadTables::Table ThreadTables::compute(const Value &value, Memo &memo, unsigned depth) {
  auto found = memo.tables.find(&value);
  if (found != memo.tables.end())
    return found->second;
  return memo.tables[&value] = evaluate(value, memo, depth);
}

// One thread's result; nothing where the operation has none.
static std::optional<uint64_t> apply(unsigned opcode, unsigned bits, uint64_t a, uint64_t b) {
  const int64_t sa = SignExtend64(a, bits), sb = SignExtend64(b, bits);
  const bool shifts = b < bits, divides = b != 0;
  const bool divideSigned = divides && !(sb == -1 && sa == minIntN(bits));
  switch (opcode) {
  case Instruction::Add:
    return a + b;
  case Instruction::Sub:
    return a - b;
  case Instruction::Mul:
    return a * b;
  case Instruction::And:
    return a & b;
  case Instruction::Or:
    return a | b;
  case Instruction::Xor:
    return a ^ b;
  case Instruction::Shl:
    return shifts ? std::optional<uint64_t>(a << b) : std::nullopt;
  case Instruction::LShr:
    return shifts ? std::optional<uint64_t>(a >> b) : std::nullopt;
  case Instruction::AShr:
    return shifts ? std::optional<uint64_t>(uint64_t(sa >> b)) : std::nullopt;
  case Instruction::UDiv:
    return divides ? std::optional<uint64_t>(a / b) : std::nullopt;
  case Instruction::URem:
    return divides ? std::optional<uint64_t>(a % b) : std::nullopt;
  case Instruction::SDiv:
    return divideSigned ? std::optional<uint64_t>(uint64_t(sa / sb)) : std::nullopt;
  case Instruction::SRem:
    return divideSigned ? std::optional<uint64_t>(uint64_t(sa % sb)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

ThreadTables::Table ThreadTables::evaluate(const Value &value, Memo &memo, unsigned depth) {
  auto *type = dyn_cast<IntegerType>(value.getType());
  if (!type || type->getBitWidth() > 64 || depth > maxDepth)
    return nullptr;
  const unsigned bits = type->getBitWidth();
  const size_t count = memo.threads;
  auto tableOf = [&](auto &&valueOf) {
    auto *table = memory_.Allocate<uint64_t>(count);
    for (size_t i = 0; i < count; ++i)
      table[i] = valueOf(i);
    return table;
  };
  if (auto *constant = dyn_cast<ConstantInt>(&value))
    return tableOf([number = constant->getZExtValue()](size_t) { return number; });
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return nullptr;
  if (auto dimension = gpu_.workItemId(value)) {
    if (*dimension > 0 && !gpu_.workgroupShape())
      return nullptr;
    return tableOf(
        [&](size_t i) { return id(memo.flat ? memo.flat[i] : uint32_t(i), *dimension); });
  }
  auto operand = [&](unsigned number) {
    return compute(*instruction->getOperand(number), memo, depth + 1);
  };
  // i1 has no 64-bit mask problem: maskTrailingOnes takes 1 to 64.
  const uint64_t mask = maskTrailingOnes<uint64_t>(bits);

  if (isa<BinaryOperator>(instruction)) {
    const Table left = operand(0), right = operand(1);
    if (!left || !right)
      return nullptr;
    auto *table = memory_.Allocate<uint64_t>(count);
    for (size_t i = 0; i < count; ++i) {
      auto one = apply(instruction->getOpcode(), bits, left[i], right[i]);
      if (!one)
        return nullptr;
      table[i] = *one & mask;
    }
    return table;
  }
  if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction) || isa<TruncInst>(instruction)) {
    const Table from = operand(0);
    if (!from)
      return nullptr;
    const unsigned narrow = instruction->getOperand(0)->getType()->getIntegerBitWidth();
    const bool sign = isa<SExtInst>(instruction);
    return tableOf([&](size_t i) {
      return (sign ? uint64_t(SignExtend64(from[i], narrow)) : from[i]) & mask;
    });
  }
  if (auto *compare = dyn_cast<ICmpInst>(instruction)) {
    if (!compare->getOperand(0)->getType()->isIntegerTy())
      return nullptr;
    const unsigned compared = compare->getOperand(0)->getType()->getIntegerBitWidth();
    if (compared > 64)
      return nullptr;
    const Table left = operand(0), right = operand(1);
    if (!left || !right)
      return nullptr;
    return tableOf([&](size_t i) {
      return ICmpInst::compare(APInt(compared, left[i]), APInt(compared, right[i]),
                               compare->getPredicate());
    });
  }
  if (isa<SelectInst>(instruction)) {
    const Table condition = operand(0), yes = operand(1), no = operand(2);
    if (!condition || !yes || !no)
      return nullptr;
    return tableOf([&](size_t i) { return condition[i] ? yes[i] : no[i]; });
  }
  if (auto *minMax = dyn_cast<MinMaxIntrinsic>(instruction)) {
    const Table left = operand(0), right = operand(1);
    if (!left || !right)
      return nullptr;
    return tableOf([&](size_t i) {
      return ICmpInst::compare(APInt(bits, left[i]), APInt(bits, right[i]), minMax->getPredicate())
                 ? left[i]
                 : right[i];
    });
  }
  return nullptr;
}

} // namespace meld::passes
