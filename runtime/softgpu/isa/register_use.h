// Which registers an instruction reads and writes, from its decoded operands and what its opcode
// implies (VCC, EXEC, M0, FLAT_SCRATCH).
//
// Explicit operands and implicit ones look alike here: a range of 32-bit registers of one file and
// the role it plays. SCC and MODE are not registers of a file and are left out. Relative indexing
// (s_set_gpr_idx) is not applied: it is known only when the instruction executes; the role says
// which ranges it moves. So is GFX10's v_movrel.
//
// Thread rule: pure functions. Source: "Vega", "MI200", "RDNA2" and "RDNA3" ISA, chapters "Instructions";
// tests compare with LLVM's MC layer.
#pragma once

#include "runtime/softgpu/isa/inst.h"

#include <cstdint>
#include <span>

namespace meld::softgpu::isa {

struct RegisterRange {
  enum class File : uint8_t { sgpr, vgpr, agpr };
  enum class Role : uint8_t {
    source0, ///< source0 + k is Inst::src[k]
    source1,
    source2,
    source3,
    destination,
    carry,    ///< Inst::sdst
    address,  ///< of a memory access, vector or scalar base, resource, offset
    data,     ///< what a store or atomic takes
    implicit, ///< not in the instruction's text or not as an operand
  };
  File file = File::sgpr;
  Role role = Role::implicit;
  uint16_t index = 0;
  uint8_t dwords = 1;
  bool dual = false;     ///< role and operand are those of Inst::dual
  bool laneMask = false; ///< SGPRs with one bit per lane (v_cndmask, v_cmp, carries)

  bool isVector() const { return file != File::sgpr; }
};

class RegisterUse {
public:
  explicit RegisterUse(const Inst &inst);
  std::span<const RegisterRange> reads() const { return {reads_, numReads_}; }
  std::span<const RegisterRange> writes() const { return {writes_, numWrites_}; }
  /// EXEC decides which lanes take part; not listed among reads() for vector instructions.
  bool underExec() const { return underExec_; }

private:
  void read(const Operand &o, RegisterRange::Role role, bool mask = false);
  void write(const Operand &o, RegisterRange::Role role, bool mask = false);
  void readImplicit(unsigned sgpr, unsigned dwords, bool mask = false);
  void writeImplicit(unsigned sgpr, unsigned dwords, bool mask = false);
  void add(RegisterRange *list, uint8_t &count, const Operand &o, RegisterRange::Role role,
           bool mask);
  unsigned maskDwords() const { return traitsOf(target_).maskDwords(); }
  void addScalar(const Inst &inst);
  void addVector(const Inst &inst);
  void addDual(const Inst &inst);
  void addMemory(const Inst &inst);

  RegisterRange reads_[12], writes_[4];
  uint8_t numReads_ = 0, numWrites_ = 0;
  Target target_;
  bool underExec_ = false;
};

/// The result of a lane depends on which lane it is, or on other lanes, even when every source is
/// the same in all of them: v_mbcnt, v_readlane, DPP, permutes, matrix products.
bool crossesLanes(const Inst &inst);

} // namespace meld::softgpu::isa
