// meld-own-lanes: what some lanes have a value for, and others none, is no scalar.
//
//     A:  v = load p                B:  ...
//              \                       /
//          j:  x = phi [v, A], [poison, B]
//              y = bitreverse(x)                      read in the lanes of A alone:
//              z = select c, y, w                     c is true there
//
// LLVM takes such a phi for uniform where v is (DivergenceAnalysis, and GenericUniformityInfo after
// it, up to LLVM 22 at least: what is undefined may be the same value). That holds in a scalar
// register. A uniform value may be in a vector register, however, as what the vector unit loads or
// computes is, and there the lanes of B have what was in theirs. What is made of it counts as
// uniform, too, so that code generation reads it from the first lane that is on, which may be one
// of B's (v_readfirstlane; SIFixSGPRCopies).
//
// Melding makes such phis of values that one side alone has, and lets all lanes compute with them.
// This pass leaves none:
//
//     v is known at j, or a constant:      x is v
//     else, in B:                          f = freeze poison          j:  x = phi [v, A], [f, B]
//
// With values that differ the phi is as divergent as the branch that leads to it. The freeze is no
// instruction: code generation leaves the register as it is. In the original nobody computes with
// it, or LLVM has made that so itself.
//
// Conditions are masks of the wave in scalar registers, and an undefined one is undefined for all
// lanes. Code generation takes it for false where it merges the lanes', but where the others' is
// false, too, it copies one of both, which is the undefined one in LLVM 15 to 21. So f is false
// there, and what only code generation may find to be undefined (below) is hidden from it: that
// others bring false it may find alone as well. Members of structures are registers of their own,
// so each condition among them is made so. A condition that others have frozen is its lane's own,
// but no better as a mask, so it is hidden if what is frozen may be undefined.
//
// LLVM 15 and 16 go wrong with what needs several registers, too. For f they copy registers that
// nobody has written, of which nothing is left in the end. But where one of these registers is not
// read behind j another value may be given it, and its copy counts as done (MachineCopyPropagation;
// 17 knows that nothing was copied). So it is made where it is needed, by an assembly statement,
// which is no instruction and costs no copy. What others have frozen and all lanes have alike is
// made so only if it goes to phis of lanes alone: another user may want a scalar register.
//
// A phi of several values and poison is no better: StructurizeCFG takes it apart into one of the
// values, and one of that and undef. Nor is a vector without some of its elements, as code
// generation takes phis of long vectors apart: it is frozen as a whole. What is computed of
// undefined values alone is undefined, too, and code generation would see that; so it is made so
// here.
//
// Phis at the head of a loop with one entry and one way round are left alone: of a wave all lanes
// have the value there, or none has.
//
// Code generation may find more to be undefined than is seen here: by what a branch says of its
// condition, in bits of vectors, by what has been stored where it is loaded, or of a loop's head
// where it finds that nobody goes round. So a value that is made of undefined ones, or of such a
// head's phi, is frozen where a phi takes it, too.
//
// Phis that LLVM makes behind this pass are read where their value is known. An exception are
// arrays in private memory whose loads it answers from stores, where lanes load what they have not
// stored (docs/melding-tests.md). Where one side alone reads such a phi its lanes have the value,
// and it could be a scalar: that is not looked for, and costs vector instructions.
//
// Terminates: an instruction is looked at anew only after one of its operands has gone. Cost:
// linear, but for that. Would be unsafe: a value that does not dominate the phi in its place, or
// one that may be poison in the place of undef.
#pragma once

#include "passes/options.h"
#include "llvm/IR/PassManager.h"

namespace meld::passes {

class OwnLanesPass : public llvm::PassInfoMixin<OwnLanesPass> {
public:
  explicit OwnLanesPass(MeldOptions options = {}) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  MeldOptions options_;
};

} // namespace meld::passes
