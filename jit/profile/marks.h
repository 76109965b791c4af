// Counting what runs, by blocks of the IR: a marker in every block, which the software GPU's profile
// counts as any other instruction (docs/profile.md).
//
//   B1:  br c, B2, B3            B1: s_nop 0x10; br c, B2, B1.B3
//   B2:  br B3             ->    B2: s_nop 0x11; br B3          executions and lanes of B1, B2, B3,
//   B3:  ret                     B1.B3: s_nop 0x13; br B3       and of the edge from B1 to B3
//                                B3: s_nop 0x12; ret
//
// A marker is assembly with a side effect: LLVM copies it where it copies the block (inlining,
// unrolling), and neither moves, merges nor speculates it, so that its executions, over all copies,
// are those of the block. The processor takes the low four bits of s_nop's number for a count of
// cycles and ignores the others; 15 and less is the compiler's own.
//
// The point is the first at which the pass pipeline calls the peephole extension for a function: in
// the clean-up before inlining, where nothing of ours has changed it yet. There the numbers of blocks
// mean the same in the compile that counts and in the one that reads the counts; a hash of the control
// flow says whether that is so.
//
// Line tables would do without markers, but what LLVM flattens, hoists and folds behind that point has
// no lines by which a block's executions could be told.
//
// Thread rule: as LLVM's.
#pragma once

#include "jit/profile/runs.h"
#include "runtime/profile/profile.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace meld::jit {

struct MarkedFunction {
  struct Edge {
    uint32_t to = 0;
    unsigned mark = 0;
  };
  struct Branch {
    uint32_t block = 0;
    std::vector<Edge> edges;
    bool exitsLoop = false; ///< the innermost of the block
  };
  struct Loop {
    uint32_t header = 0;
    unsigned depth = 1;
    std::vector<unsigned> entries; ///< marks of the edges that come in, or of their blocks
  };
  std::string name, cfg;
  std::vector<unsigned> blocks; ///< marks
  std::vector<Branch> branches;
  std::vector<Loop> loops;
};

struct Marks {
  std::vector<MarkedFunction> functions;
  std::vector<MarkedRun> runs; ///< of the kernel's machine code, once that is made
  unsigned next = firstMark;
  bool tooMany = false;
};

/// For the compile's metadata: {"functions": [{"name", "cfg", "blocks": [MARK],
/// "branches": [{"block", "exitsLoop", "edges": [[TO, MARK]]}], "loops": [{"header", "depth",
/// "entries": [MARK]}]}], "runs": [[BEGIN, END, ISSUED, [MARK]]]}.
nlohmann::ordered_json toJson(const Marks &marks);

/// Of blocks, in order: who follows whom. 16 hex digits.
std::string controlFlowHash(const llvm::Function &function);

class MarkPass : public llvm::PassInfoMixin<MarkPass> {
public:
  explicit MarkPass(std::shared_ptr<Marks> marks)
      : marks_(std::move(marks)), seen_(std::make_shared<std::set<std::string>>()) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  std::shared_ptr<Marks> marks_;
  std::shared_ptr<std::set<std::string>> seen_;
};

/// What is known of functions, by name.
using FunctionCounts = std::map<std::string, profile::Function>;

/// The counts of an object's functions, summed over the kernels, or of one kernel's alone. Left out is
/// what the kernels contradict each other in, and functions that a kernel without counts may call.
FunctionCounts functionCounts(const profile::Object &object, const std::string &kernel = "");

/// For the estimate on machine code: the kernel's launches, and the mean of its loops' trips by depth,
/// those of functions that it calls counted from their own beginning.
passes::RunFacts runFacts(const profile::Kernel &kernel);

/// How far the counts fit to the code.
struct CountsUse {
  unsigned branches = 0;       ///< that have counts
  std::set<std::string> stale; ///< functions with other control flow
};

/// Puts the counts at the branches, for the planner (passes/melder/branch_profile.h).
class AttachCountsPass : public llvm::PassInfoMixin<AttachCountsPass> {
public:
  AttachCountsPass(std::shared_ptr<const FunctionCounts> counts, std::shared_ptr<CountsUse> use)
      : counts_(std::move(counts)), use_(std::move(use)),
        seen_(std::make_shared<std::set<std::string>>()) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  std::shared_ptr<const FunctionCounts> counts_;
  std::shared_ptr<CountsUse> use_;
  std::shared_ptr<std::set<std::string>> seen_;
};

} // namespace meld::jit
