#include "passes/analysis/thread_table.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

namespace meld::passes {

using namespace llvm;

static constexpr unsigned largestWorkgroup = 1024; // of every GPU the triples name
static constexpr unsigned maxDepth = 24;

void ThreadTables::deal() {
  dealt_ = true;
  if (auto shape = gpu_.workgroupShape()) {
    auto [x, y, z] = *shape;
    if (uint64_t(x) * y * z <= largestWorkgroup)
      for (uint32_t k = 0; k < z; ++k)
        for (uint32_t j = 0; j < y; ++j)
          for (uint32_t i = 0; i < x; ++i)
            all_.push_back({{i, j, k}});
  } else {
    unsigned most =
        gpu_.maxWorkgroup() ? std::min(gpu_.maxWorkgroup(), largestWorkgroup) : largestWorkgroup;
    for (uint32_t i = 0; i < most; ++i)
      all_.push_back({{i, 0, 0}});
  }
  size_t wave = std::min<size_t>(gpu_.waveSize(), all_.size());
  for (size_t i : {size_t(0), size_t(1), size_t(2), wave - 1})
    if (i < wave)
      samples_.push_back(all_[i]);
}

std::optional<Width> ThreadTables::width(const Instruction &instruction) {
  if (!instruction.getType()->isIntegerTy())
    return std::nullopt;
  auto [place, isNew] = known_.try_emplace(&instruction, std::nullopt);
  if (!isNew)
    return place->second;
  if (!dealt_)
    deal();
  if (samples_.empty())
    return std::nullopt;
  const std::optional<Table> &few = compute(instruction, samples_, sampleMemo_, 0);
  if (!few)
    return std::nullopt;
  for (uint64_t value : *few)
    if (value != few->front())
      return std::nullopt;
  const std::optional<Table> &table = compute(instruction, all_, allMemo_, 0);
  std::optional<Width> result;
  if (table && all_of(*table, [&](uint64_t value) { return value == table->front(); }))
    result = Width::all;
  else if (table && oneValuePerWave(*table))
    result = Width::wave;
  known_[&instruction] = result;
  return result;
}

bool ThreadTables::oneValuePerWave(const Table &table) const {
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

const std::optional<ThreadTables::Table> &ThreadTables::compute(const Value &value,
                                                                const std::vector<Thread> &threads,
                                                                Memo &memo, unsigned depth) {
  auto found = memo.find(&value);
  if (found != memo.end())
    return found->second;
  std::optional<Table> table = evaluate(value, threads, memo, depth);
  return memo[&value] = std::move(table);
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

std::optional<ThreadTables::Table> ThreadTables::evaluate(const Value &value,
                                                          const std::vector<Thread> &threads,
                                                          Memo &memo, unsigned depth) {
  auto *type = dyn_cast<IntegerType>(value.getType());
  if (!type || type->getBitWidth() > 64 || depth > maxDepth)
    return std::nullopt;
  const unsigned bits = type->getBitWidth();
  if (auto *constant = dyn_cast<ConstantInt>(&value))
    return Table(threads.size(), constant->getZExtValue());
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return std::nullopt;
  Table result(threads.size());
  if (auto dimension = gpu_.workItemId(value)) {
    if (*dimension > 0 && !gpu_.workgroupShape())
      return std::nullopt;
    for (size_t i = 0; i < threads.size(); ++i)
      result[i] = threads[i].id[*dimension];
    return result;
  }
  auto operand = [&](unsigned number) {
    return compute(*instruction->getOperand(number), threads, memo, depth + 1);
  };
  // i1 has no 64-bit mask problem: maskTrailingOnes takes 1 to 64.
  const uint64_t mask = maskTrailingOnes<uint64_t>(bits);

  if (isa<BinaryOperator>(instruction)) {
    auto left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    for (size_t i = 0; i < result.size(); ++i) {
      auto one = apply(instruction->getOpcode(), bits, (*left)[i], (*right)[i]);
      if (!one)
        return std::nullopt;
      result[i] = *one & mask;
    }
    return result;
  }
  if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction) || isa<TruncInst>(instruction)) {
    auto from = operand(0);
    if (!from)
      return std::nullopt;
    unsigned narrow = instruction->getOperand(0)->getType()->getIntegerBitWidth();
    for (size_t i = 0; i < result.size(); ++i)
      result[i] =
          (isa<SExtInst>(instruction) ? uint64_t(SignExtend64((*from)[i], narrow)) : (*from)[i]) &
          mask;
    return result;
  }
  if (auto *compare = dyn_cast<ICmpInst>(instruction)) {
    if (!compare->getOperand(0)->getType()->isIntegerTy())
      return std::nullopt;
    unsigned compared = compare->getOperand(0)->getType()->getIntegerBitWidth();
    if (compared > 64)
      return std::nullopt;
    auto left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = ICmpInst::compare(APInt(compared, (*left)[i]), APInt(compared, (*right)[i]),
                                    compare->getPredicate());
    return result;
  }
  if (isa<SelectInst>(instruction)) {
    auto condition = operand(0), yes = operand(1), no = operand(2);
    if (!condition || !yes || !no)
      return std::nullopt;
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = (*condition)[i] ? (*yes)[i] : (*no)[i];
    return result;
  }
  if (auto *minMax = dyn_cast<MinMaxIntrinsic>(instruction)) {
    auto left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = ICmpInst::compare(APInt(bits, (*left)[i]), APInt(bits, (*right)[i]),
                                    minMax->getPredicate())
                      ? (*left)[i]
                      : (*right)[i];
    return result;
  }
  return std::nullopt;
}

} // namespace meld::passes
