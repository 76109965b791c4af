#include "passes/specialize/known_values.h"

#include "passes/analysis/address_spaces.h"
#include "passes/analysis/gpu_info.h"
#include "passes/compat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <array>
#include <map>
#include <optional>
#include <set>

namespace meld::passes {

using namespace llvm;

namespace {

/// The bytes of the kernarg segment that facts tell, and by which fact.
class KnownBytes {
public:
  explicit KnownBytes(const Facts &facts) {
    for (const Fact &fact : facts)
      if (fact.kind == Fact::Kind::argument)
        for (unsigned i = 0; i < fact.width; ++i)
          bytes_[fact.offset + i] = {static_cast<uint8_t>(fact.value >> (8 * i)), fact};
  }

  /// Little-endian; nothing where one of them is not known.
  std::optional<APInt> bits(uint64_t offset, unsigned count) const {
    APInt value(8 * count, 0);
    for (unsigned i = 0; i < count; ++i) {
      const auto byte = bytes_.find(offset + i);
      if (byte == bytes_.end())
        return std::nullopt;
      value.insertBits(byte->second.first, 8 * i, 8);
    }
    return value;
  }
  bool isNull(uint64_t offset, unsigned count) const {
    const auto known = bits(offset, count);
    return known && known->isZero();
  }
  Facts from(uint64_t offset, unsigned count) const {
    Facts facts;
    for (unsigned i = 0; i < count; ++i)
      if (const auto byte = bytes_.find(offset + i); byte != bytes_.end())
        if (facts.empty() || facts.back() != byte->second.second)
          facts.push_back(byte->second.second);
    return facts;
  }

private:
  std::map<uint64_t, std::pair<uint8_t, Fact>> bytes_;
};

class Finder {
public:
  Finder(Function &kernel, const Facts &facts)
      : kernel_(kernel), gpu_(kernel), layout_(kernel.getParent()->getDataLayout()), bytes_(facts),
        workgroup_(workgroupFact(facts)), fullGroups_(is_contained(facts, Fact::fullGroups())) {
    for (const Fact &fact : facts)
      if (fact.kind == Fact::Kind::grid)
        grid_[fact.offset] = &fact;
      else if (fact.kind == Fact::Kind::nonNull)
        nonNull_.insert(fact.offset);
  }

  std::vector<KnownValue> find() {
    uint64_t offset = 0;
    for (Argument &argument : kernel_.args()) {
      // In memory: of the caller's own, or (CUDA's structures) a copy that the kernel may write to.
      const bool nvptx = gpu_.kind() == GpuKind::nvptx;
      const bool byValue = nvptx && argument.hasByValAttr(),
                 inPlace = byValue || (!nvptx && argument.hasByRefAttr());
      Type *type = inPlace ? argument.getPointeeInMemoryValueType() : argument.getType();
      const Align natural = layout_.getABITypeAlign(type);
      const Align given = inPlace ? argument.getParamAlign().value_or(natural) : natural;
      offset = alignTo(offset, nvptx ? std::max(given, natural) : given);
      if (inPlace && (!byValue || isOnlyLoaded(argument)))
        inMemory(argument, offset);
      else if (!inPlace)
        piece(argument, type, offset);
      offset += layout_.getTypeAllocSize(type);
    }
    for (Instruction &instruction : instructions(kernel_))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        launch(*call);
    return std::move(found_);
  }

private:
  void piece(Value &value, Type *type, uint64_t offset) {
    if (type->isAggregateType() || isa<FixedVectorType>(type))
      if (!constant(type, offset))
        return parts(value, type, offset);
    if (Constant *known = constant(type, offset))
      found_.push_back({&value, known, bytes_.from(offset, sizeOf(type))});
    if (!type->isPointerTy() || !isOfHost(*type))
      return;
    if (bytes_.isNull(offset, sizeOf(type)))
      comparisons(value, true, bytes_.from(offset, sizeOf(type)));
    else if (nonNull_.count(offset))
      comparisons(value, false, Facts{Fact::nonNull(static_cast<uint16_t>(offset))});
  }

  // With null. Casts between global and flat memory keep null pointers and others apart; IR has the
  // null of one as a cast of the other's, too.
  void comparisons(Value &pointer, bool null, const Facts &from) {
    for (User *user : pointer.users()) {
      if (auto *compare = dyn_cast<ICmpInst>(user)) {
        if (compare->isEquality() &&
            (isNull(*compare->getOperand(0)) || isNull(*compare->getOperand(1))))
          found_.push_back(
              {compare,
               ConstantInt::getBool(compare->getContext(),
                                    null == (compare->getPredicate() == CmpInst::ICMP_EQ)),
               from});
      } else if (isa<BitCastOperator, AddrSpaceCastOperator>(user) && isOfHost(*user->getType())) {
        comparisons(*user, null, from);
      }
    }
  }
  static bool isNull(const Value &value) {
    if (auto *cast = dyn_cast<ConstantExpr>(&value))
      return (cast->getOpcode() == Instruction::AddrSpaceCast ||
              cast->getOpcode() == Instruction::BitCast) &&
             isOfHost(*cast->getOperand(0)->getType()) && isNull(*cast->getOperand(0));
    return isa<ConstantPointerNull>(value) && isOfHost(*value.getType());
  }
  /// A pointer in which null is 0, for the machine too.
  static bool isOfHost(const Type &type) {
    return type.isPointerTy() &&
           is_contained({flatSpace, globalSpace, constantSpace}, type.getPointerAddressSpace());
  }

  // Of a structure that is passed by value only elements are of use.
  void parts(Value &whole, Type *type, uint64_t offset) {
    for (User *user : whole.users()) {
      if (auto *extract = dyn_cast<ExtractValueInst>(user)) {
        SmallVector<Value *, 4> path{ConstantInt::get(Type::getInt32Ty(type->getContext()), 0)};
        for (unsigned index : extract->indices())
          path.push_back(ConstantInt::get(Type::getInt32Ty(type->getContext()), index));
        piece(*extract, extract->getType(),
              offset + uint64_t(layout_.getIndexedOffsetInType(type, path)));
      } else if (auto *element = dyn_cast<ExtractElementInst>(user)) {
        auto *vector = cast<FixedVectorType>(type);
        auto *index = dyn_cast<ConstantInt>(element->getIndexOperand());
        const uint64_t bits = layout_.getTypeSizeInBits(vector->getElementType()).getFixedValue();
        if (index && index->getValue().ult(vector->getNumElements()) && bits % 8 == 0)
          piece(*element, element->getType(), offset + index->getZExtValue() * (bits / 8));
      }
    }
  }

  /// What it points to is read and nothing else, by all that see the pointer.
  static bool isOnlyLoaded(const Value &pointer) {
    return all_of(pointer.users(), [](const User *user) {
      return isa<LoadInst>(user) ||
             (isa<BitCastOperator, AddrSpaceCastOperator, GEPOperator>(user) &&
              isOnlyLoaded(*user));
    });
  }

  // Through a pointer into the segment: loads at constant places.
  void inMemory(Value &pointer, uint64_t offset) {
    for (User *user : pointer.users()) {
      if (auto *load = dyn_cast<LoadInst>(user)) {
        if (load->isSimple())
          piece(*load, load->getType(), offset);
      } else if (isa<BitCastOperator, AddrSpaceCastOperator>(user)) {
        inMemory(*user, offset);
      } else if (auto *step = dyn_cast<GEPOperator>(user)) {
        APInt by(layout_.getIndexTypeSizeInBits(step->getType()), 0);
        if (step->getPointerOperand() == &pointer && step->accumulateConstantOffset(layout_, by))
          inMemory(*step, offset + by.getZExtValue());
      }
    }
  }

  void launch(IntrinsicInst &call) {
    switch (call.getIntrinsicID()) {
    case Intrinsic::amdgcn_kernarg_segment_ptr:
      inMemory(call, 0);
      break;
    case Intrinsic::amdgcn_dispatch_ptr:
      for (unsigned d = 0; d < 3; ++d) {
        if (workgroup_)
          packet(call, 0, {4 + 2 * d, 16, sizeIn(d), Facts{*workgroup_}});
        if (grid_[d])
          packet(call, 0, {12 + 4 * d, 32, grid_[d]->value, Facts{*grid_[d]}});
      }
      break;
    case Intrinsic::amdgcn_implicitarg_ptr: // of code objects from version 5 on
      if (compat::codeObjectVersion(*kernel_.getParent()) < 500)
        break;
      for (unsigned d = 0; workgroup_ && d < 3; ++d) {
        packet(call, 0, {12 + 2 * d, 16, sizeIn(d), Facts{*workgroup_}});
        if (grid_[d])
          packet(call, 0, {4 * d, 32, grid_[d]->value / sizeIn(d), Facts{*workgroup_, *grid_[d]}});
      }
      break;
    case Intrinsic::umin:
      for (unsigned d = 0; workgroup_ && fullGroups_ && d < 3; ++d)
        if (isGroupSize(*call.getOperand(0), *call.getOperand(1), d) ||
            isGroupSize(*call.getOperand(1), *call.getOperand(0), d))
          found_.push_back({&call, ConstantInt::get(call.getType(), sizeIn(d)),
                            Facts{*workgroup_, Fact::fullGroups()}});
      break;
    default:
      if (const auto item = gpu_.workItemId(call))
        id(call, *item);
      else if (const auto group = gpu_.workGroupId(call))
        groupId(call, *group);
      else if (const auto size = gpu_.groupSizeRegister(call))
        groupSize(call, *size);
      else if (const auto count = gpu_.groupCountRegister(call))
        groupCount(call, *count);
    }
  }

  uint64_t sizeIn(unsigned dimension) const {
    return workgroup_->value >> (16 * dimension) & 0xffff;
  }

  /// Bits of the launch at a place behind a pointer.
  struct Field {
    uint64_t offset;
    unsigned bits;
    uint64_t value;
    Facts from;
  };

  // Loads of it, by a pointer that is so far behind the first one.
  void packet(Value &pointer, uint64_t at, const Field &field) {
    for (User *user : pointer.users()) {
      if (auto *load = dyn_cast<LoadInst>(user)) {
        if (load->isSimple() && at == field.offset && load->getType()->isIntegerTy(field.bits))
          found_.push_back({load, ConstantInt::get(load->getType(), field.value), field.from});
      } else if (isa<BitCastOperator>(user)) {
        packet(*user, at, field);
      } else if (auto *step = dyn_cast<GEPOperator>(user)) {
        APInt by(layout_.getIndexTypeSizeInBits(step->getType()), 0);
        if (step->getPointerOperand() == &pointer && step->accumulateConstantOffset(layout_, by))
          packet(*step, at + by.getZExtValue(), field);
      }
    }
  }

  /// A load of so many bits at this place of the dispatch packet.
  bool isOfPacket(const Value &value, uint64_t wanted, unsigned bits) const {
    auto *load = dyn_cast<LoadInst>(&value);
    if (!load || !load->isSimple() || !load->getType()->isIntegerTy(bits))
      return false;
    APInt at(layout_.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    auto *base = dyn_cast<IntrinsicInst>(
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, at, true));
    return base && base->getIntrinsicID() == Intrinsic::amdgcn_dispatch_ptr && at == wanted;
  }

  // What is left of the grid for this group, and the size of one: the smaller of them is blockDim,
  // and the size itself where all groups are full ones.
  //   umin(grid - group * size, size)
  bool isGroupSize(const Value &rest, const Value &size, unsigned dimension) const {
    using namespace PatternMatch;
    Value *loaded = nullptr, *grid = nullptr, *group = nullptr;
    if (!match(&size, m_ZExt(m_Value(loaded))) || !isOfPacket(*loaded, 4 + 2 * dimension, 16) ||
        !match(&rest, m_Sub(m_Value(grid), m_c_Mul(m_Value(group), m_Specific(&size)))) ||
        !isOfPacket(*grid, 12 + 4 * dimension, 32))
      return false;
    return gpu_.workGroupId(*group) == dimension;
  }

  void id(IntrinsicInst &call, unsigned dimension) {
    if (workgroup_ && sizeIn(dimension) == 1)
      found_.push_back({&call, ConstantInt::get(call.getType(), 0), Facts{*workgroup_}});
  }

  void groupSize(IntrinsicInst &call, unsigned dimension) {
    if (workgroup_)
      found_.push_back(
          {&call, ConstantInt::get(call.getType(), sizeIn(dimension)), Facts{*workgroup_}});
  }

  void groupCount(IntrinsicInst &call, unsigned dimension) {
    const Fact *grid = grid_[dimension];
    if (workgroup_ && grid && sizeIn(dimension))
      found_.push_back(
          {&call, ConstantInt::get(call.getType(), divideCeil(grid->value, sizeIn(dimension))),
           Facts{*workgroup_, *grid}});
  }

  // Of the only group.
  void groupId(IntrinsicInst &call, unsigned dimension) {
    if (workgroup_ && grid_[dimension] && grid_[dimension]->value <= sizeIn(dimension))
      found_.push_back(
          {&call, ConstantInt::get(call.getType(), 0), Facts{*workgroup_, *grid_[dimension]}});
  }

  unsigned sizeOf(Type *type) const {
    return unsigned(layout_.getTypeStoreSize(type).getFixedValue());
  }

  // Of an integer whose size is no whole number of bytes the back end takes the lowest bits.
  Constant *constant(Type *type, uint64_t offset) const {
    if (!type->isSized() || type->isAggregateType() || type->isPtrOrPtrVectorTy() ||
        isa<ScalableVectorType>(type))
      return nullptr;
    const uint64_t bits = layout_.getTypeSizeInBits(type).getFixedValue();
    if (isa<FixedVectorType>(type) && bits % 8)
      return nullptr;
    const auto known = bytes_.bits(offset, sizeOf(type));
    if (!known || !bits)
      return nullptr;
    Constant *integer = ConstantInt::get(type->getContext(), known->trunc(unsigned(bits)));
    if (type->isIntegerTy())
      return integer;
    Constant *value = ConstantExpr::getBitCast(integer, type);
    if (auto *real = dyn_cast<ConstantFP>(value))
      return real->isNaN() ? nullptr : real;
    return nullptr; // a vector of numbers is known by its elements
  }

  Function &kernel_;
  const GpuInfo gpu_;
  const DataLayout &layout_;
  KnownBytes bytes_;
  const Fact *workgroup_;
  bool fullGroups_;
  std::array<const Fact *, 3> grid_{};
  std::set<uint64_t> nonNull_; ///< offsets
  std::vector<KnownValue> found_;
};

} // namespace

const Fact *workgroupFact(const Facts &facts) {
  for (const Fact &fact : facts)
    if (fact.kind == Fact::Kind::workgroup)
      return &fact;
  return nullptr;
}

std::vector<KnownValue> knownValues(Function &kernel, const Facts &facts) {
  return Finder(kernel, facts).find();
}

} // namespace meld::passes
