// What the back end makes of several words, of fewer bits than a value's type has, or of a float:
// products, divisions, `or` with words of ones. Operands are of the kinds that it looks at:
// extended, cut, chosen constants, halves put together.
#include "tests/fuzz/kernel_wide.h"

namespace meld::fuzz {

using namespace llvm;

namespace {

/// Of both signs, with words of ones, of zeros, and of neither.
constexpr int64_t constants[] = {-1, -5,  -128,       -8388608,
                                 7,  255, 0x7fffffff, 3ll << 32 | 0xffffffff};

class Wide {
public:
  Wide(IRBuilder<> &builder, bool isNarrow)
      : b_(builder), type_(builder.getIntNTy(isNarrow ? 32 : 64)) {}

  /// `shape`: three bits of what it is made of, two of a constant.
  Value *operand(uint32_t shape, Value *x, Value *y, Value *choice) {
    const int64_t constant = constants[shape >> 3 & 3], other = constants[4 + (shape >> 3 & 3)];
    switch (shape & 7) {
    case 0:
      return extended(x, 32, /*isSigned=*/false);
    case 1:
      return extended(x, 32, /*isSigned=*/true);
    case 2:
      return extended(x, 8, /*isSigned=*/true);
    case 3:
      return extended(x, 16, /*isSigned=*/shape >> 3 & 1);
    case 4: {
      Value *high = b_.CreateShl(extended(y, 32, false), type_->getIntegerBitWidth() / 2);
      return b_.CreateOr(high, extended(x, 32, false));
    }
    case 5:
      return number(constant);
    case 6:
      return b_.CreateSelect(condition(choice), number(constant),
                             number(constants[shape >> 4 & 1]));
    default:
      return b_.CreateSelect(condition(choice), number(other), extended(x, 8, true));
    }
  }

  /// Divisors are odd, and the least number of all, which -1 cannot divide, is never divided.
  Value *operation(uint32_t op, Value *x, Value *y) {
    Value *divisor = b_.CreateOr(y, number(1));
    const APInt least = APInt::getSignedMinValue(type_->getBitWidth());
    Value *divided =
        b_.CreateSelect(b_.CreateICmpEQ(x, ConstantInt::get(type_, least)), number(7), x);
    switch (op) {
    case 0:
      return b_.CreateAdd(x, y);
    case 1:
      return b_.CreateSub(x, y);
    case 2:
    case 3:
      return b_.CreateMul(x, y);
    case 4:
      return b_.CreateAnd(x, y);
    case 5:
    case 6:
      return b_.CreateOr(x, y);
    case 7:
      return b_.CreateXor(x, y);
    case 8:
      return b_.CreateUDiv(x, divisor);
    case 9:
      return b_.CreateURem(x, divisor);
    case 10:
    case 11:
      return b_.CreateSDiv(divided, divisor);
    case 12:
      return b_.CreateSRem(divided, divisor);
    default:
      return b_.CreateAShr(x, b_.CreateAnd(y, number(type_->getIntegerBitWidth() - 1)));
    }
  }

private:
  Value *number(int64_t value) { return ConstantInt::get(type_, uint64_t(value), true); }
  Value *condition(Value *choice) { return b_.CreateICmpSLT(choice, b_.getInt32(64)); }
  Value *extended(Value *x, unsigned bits, bool isSigned) {
    x = b_.CreateTrunc(x, b_.getIntNTy(bits));
    return isSigned ? b_.CreateSExt(x, type_) : b_.CreateZExt(x, type_);
  }

  IRBuilder<> &b_;
  IntegerType *type_;
};

} // namespace

Value *wideValue(IRBuilder<> &builder, const Expr &expression, Value *const (&kids)[3]) {
  const bool isNarrow = expression.value >> 9 & 1;
  Wide wide(builder, isNarrow);
  Value *x = wide.operand(expression.value & 31, kids[0], kids[1], kids[2]);
  Value *y = wide.operand(expression.value >> 4 & 31, kids[1], kids[2], kids[0]);
  Value *result = wide.operation(expression.op, x, y);
  if (isNarrow)
    return result;
  // Whose words alone are asked for is computed word by word: a sum asks for both.
  result = builder.CreateAdd(result, wide.operand(4, kids[2], kids[0], kids[1]));
  Value *high = builder.CreateTrunc(builder.CreateLShr(result, 32), builder.getInt32Ty());
  Value *low = builder.CreateTrunc(result, builder.getInt32Ty());
  return builder.CreateXor(low, builder.CreateMul(high, builder.getInt32(0x9e3779b1)));
}

} // namespace meld::fuzz
