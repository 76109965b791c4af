// What the tests of isa::Inst's fields share.
#pragma once

#include "runtime/softgpu/isa/decoder.h"

#include <gtest/gtest.h>

namespace meld::softgpu::isa::test {

using Kind = Operand::Kind;

inline Inst get(Target target, std::initializer_list<uint32_t> words,
                DecodeStatus want = DecodeStatus::ok) {
  Inst inst;
  EXPECT_EQ(int(decode(words.begin(), words.size() * 4, target, inst)), int(want));
  return inst;
}
inline void expectOperand(const Operand &o, Kind kind, unsigned index, unsigned dwords) {
  EXPECT_EQ(int(o.kind), int(kind));
  EXPECT_EQ(o.index, index);
  EXPECT_EQ(o.dwords, dwords);
}
inline void expectImm(const Operand &o, uint64_t value) {
  EXPECT_EQ(int(o.kind), int(Kind::imm));
  EXPECT_EQ(o.value, value);
}

} // namespace meld::softgpu::isa::test
