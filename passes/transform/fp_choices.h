// What a compiler may decide in floating point, decided before anything is melded.
//
// Flags leave choices open: a product and a sum that allow contraction may round once or twice, and
// which it is hangs on what stands next to what when code is generated. Melding moves things, so
// that the same program would print other digits with it than without.
//
//   left:  m = fmul contract a, b          settled:  s = fma(a, b, c)
//          s = fadd contract m, c                    t = fadd c, d
//          t = fadd contract c, d
//
// So a function is settled first: each fusion that code generation would make is written out as
// llvm.fma, and all flags go. What is left means one result, and whatever melding and the passes behind
// it do with it, they have to keep that. LLVM excepts two things in plain code, too: the bits of a NaN
// that arithmetic makes (its sign, its payload, whether it is a quiet one), and, where a program has
// denormal numbers flushed, whether one is.
//
// Which fusions code generation makes is foretold after DAGCombiner (visitFADDForFMACombine,
// visitFSUBForFMACombine) with AMDGPU's answers: products of the same block, the one of fewer uses
// first, later sums before earlier ones; what is doubled is a sum, too; a vector sum of which one
// element alone is read is made scalar before, and one that is made anew for what a shuffle reads
// of it has lost its flags. What is negated for it stays in its loop and its block, by an
// annotation that goes when the proof is made; of a product with a constant the constant is
// negated. That is no proof. Before a settled function may be melded, it is compiled without any
// melding and has to give the machine code of the original (jit/fp_survey.cpp): then the
// foretelling was right, and everything else that the flags would have allowed was not made use of.
// Where it gives other code, the function is settled later, where fewer of the optimiser's own
// decisions are still to come, or left as it is. Nothing here can make a result wrong; a worse
// prophecy only melds less.
//
// Terminates: one look at each instruction. Linear but for the uses of products.
#pragma once

#include "passes/point.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace meld::passes {

/// Whether the compiler may still choose between results of the function's floating point.
/// `contractAll`: every operation allows contraction (-ffp-contract=fast), flag or not.
bool leavesFpChoices(const llvm::Function &function, bool contractAll = false);

/// Makes the choices. True when anything was changed; leavesFpChoices() is false afterwards.
bool settleFpChoices(llvm::Function &function, bool contractAll = false);

/// The functions that settleFpChoices() has been through and that have not been inlined since;
/// dropped with dropSettledMark().
bool isSettled(const llvm::Function &function);
void dropSettledMark(llvm::Function &function);

/// One compilation's: which kernels are settled, where, and what came of it. Functions that leave
/// choices and are not settled are not touched by any pass of ours. Any thread.
class FpSettling {
public:
  using Points = std::map<std::string, Point>;

  bool contractAll = false;
  /// Nothing but settling: the passes do nothing.
  bool only = false;
  /// Functions that belong to the module and have been taken out of it leave choices.
  bool choicesElsewhere = false;

  /// All kernels, as early as possible.
  static std::shared_ptr<FpSettling> everywhere();
  /// These kernels.
  static std::shared_ptr<FpSettling> at(Points points);

  /// Whether `function`, a kernel, is to be settled at this point or could have been before.
  bool isDue(const llvm::Function &function, Point now) const;
  /// `function` has been settled, or has come through the late point with choices left open.
  void settled(const llvm::Function &function);
  void leftOpen(const llvm::Function &function);

  /// What was settled, with a number for the function as it was right behind it. The same function
  /// gives the same number in every compile.
  std::map<std::string, uint64_t> settledFunctions() const;
  std::set<std::string> openFunctions() const;

  /// Whether a pass may change the function: it is settled or has nothing to settle, and is not
  /// going to be inlined into code that is yet to be settled.
  bool mayChange(const llvm::Function &function);

private:
  bool leavesChoicesAnywhere(const llvm::Module &module);

  bool everywhere_ = false;
  Points points_;
  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> settled_;
  std::set<std::string> open_;
  std::optional<bool> anywhere_;
};

/// Settles what is due at its point. By name, `meld-settle-fp`, all functions.
class SettleFpPass : public llvm::PassInfoMixin<SettleFpPass> {
public:
  /// Null: every function, by name.
  explicit SettleFpPass(std::shared_ptr<FpSettling> settling = nullptr, Point point = Point::late)
      : settling_(std::move(settling)), point_(point) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  std::shared_ptr<FpSettling> settling_;
  Point point_;
};

/// Whether calls in the function are about to be replaced by what they call.
bool awaitsInlining(const llvm::Function &function);

} // namespace meld::passes
