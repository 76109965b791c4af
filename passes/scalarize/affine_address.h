// meld-affine-address: an address that the wave has in common but for a small offset per lane is
// written as one scalar base and one 32-bit offset, the form that global loads and stores take
// directly (the warp-sequential accesses of Lee et al., CGO'13, 3.5, for a machine with scalar
// bases: "Vega" ISA document, 8.3, SADDR).
//
//   i = wg * 256 + tid                        b = a + 4 * sext(wg * 256)         scalar unit
//   p = a + 4 * sext(i)                =>     p = b + zext(4 * tid)
//   v_ashrrev, v_lshlrev_b64,                 s_lshl_b64, s_add_u32, s_addc_u32,
//   v_add_co, v_addc_co,                      v_lshlrev_b32 (once for all arrays),
//   global_load v, v[0:1], off                global_load v, v0, s[0:1]
//
// address_form.h finds the parts and proves that the lane's part fits; what needs an assumption
// about the launch (an unsigned index used as a signed one) gets it tested at the kernel's entry
// (version.h), when enough accesses profit. Where multiply_add.h follows, an access outside of
// loops gains nothing by the test, since that pass writes its address nearly as well.
// The extension must stand in the block of the access, since code generation sees one block at a
// time; later blocks write it as the extension of a narrower truncation, which costs nothing and
// which LLVM does not share between blocks.
//
// Only what LLVM sees as uniform is put into the base (else it would be vector work twice). Plain
// accesses of global and constant memory and read-modify-writes; LDS and scratch have no such form.
// A pointer that already is a scalar base and an extended offset stays, if it stands in the block
// of the access; what lifts extensions out of loops is kept from it by an annotation, which is no
// instruction.
//
// Terminates: one look at each access, nothing is looked at twice. Costs range queries per access.
// Unsafe would be an offset that wraps or is negative: every sum is exact, shown or tested.
#pragma once

#include "passes/logged_pass.h"

namespace meld::passes {

class AffineAddressPass : public LoggedPass<AffineAddressPass> {
public:
  AffineAddressPass(MeldOptions options, DecisionLog *log, Point point = Point::byName,
                    bool productsFollow = false)
      : LoggedPass(std::move(options), log, point), besides_(productsFollow ? 0 : 4) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  unsigned besides_; ///< vector instructions that a test saves per access outside of loops
};

} // namespace meld::passes
