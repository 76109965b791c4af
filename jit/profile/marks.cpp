#include "jit/profile/marks.h"

#include "passes/melder/branch_profile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace meld::jit {

namespace {

using Numbers = DenseMap<const BasicBlock *, uint32_t>;

Numbers numbersOf(const Function &function) {
  Numbers numbers;
  for (const BasicBlock &block : function)
    numbers.insert({&block, uint32_t(numbers.size())});
  return numbers;
}

/// Each target once, in the terminator's order.
SmallSetVector<BasicBlock *, 8> targetsOf(const BasicBlock &block) {
  SmallSetVector<BasicBlock *, 8> targets;
  for (BasicBlock *successor : successors(const_cast<BasicBlock *>(&block)))
    targets.insert(successor);
  return targets;
}

void insertMarker(BasicBlock &block, unsigned mark) {
  auto at = block.getFirstInsertionPt();
  while (at != block.end() && isa<AllocaInst>(*at)) // the entry's are to stay static
    ++at;
  IRBuilder<> builder(&block, at);
  auto *type = FunctionType::get(builder.getVoidTy(), false);
  auto *call = builder.CreateCall(InlineAsm::get(type, "s_nop 0x" + utohexstr(mark, true), "",
                                                 /*hasSideEffects=*/true));
  call->setDoesNotThrow();
  call->setOnlyAccessesInaccessibleMemory(); // loads and stores may pass it
}

class Marker {
public:
  Marker(Function &function, Marks &marks)
      : function_(function), marks_(marks), numbers_(numbersOf(function)), dominators_(function),
        loops_(dominators_) {}

  void run() {
    MarkedFunction marked;
    marked.name = function_.getName().str();
    marked.cfg = controlFlowHash(function_);
    if (!fits())
      return;
    for (size_t i = 0; i < numbers_.size(); ++i)
      marked.blocks.push_back(marks_.next++);
    // Edges first: what is found here is the function as it was.
    struct Cut {
      BasicBlock *from, *to;
      unsigned mark;
    };
    std::vector<Cut> cuts;
    DenseMap<std::pair<const BasicBlock *, const BasicBlock *>, unsigned> edges;
    for (BasicBlock &block : function_) {
      const auto targets = targetsOf(block);
      for (BasicBlock *to : targets) {
        unsigned mark = marked.blocks[numbers_[&block]];
        if (targets.size() > 1) {
          mark = marked.blocks[numbers_[to]];
          if (to->getUniquePredecessor() != &block) {
            mark = marks_.next++;
            cuts.push_back({&block, to, mark});
          }
        }
        edges[{&block, to}] = mark;
      }
      if (targets.size() < 2)
        continue;
      MarkedFunction::Branch branch{numbers_[&block], {}, false};
      const Loop *loop = loops_.getLoopFor(&block);
      for (const BasicBlock *to : targets) {
        branch.edges.push_back({numbers_[to], edges[{&block, to}]});
        branch.exitsLoop |= loop && !loop->contains(to);
      }
      marked.branches.push_back(std::move(branch));
    }
    for (BasicBlock &block : function_) {
      const Loop *loop = loops_.getLoopFor(&block);
      if (!loop || loop->getHeader() != &block)
        continue;
      MarkedFunction::Loop one{numbers_[&block], loop->getLoopDepth(), {}};
      SmallSetVector<const BasicBlock *, 4> from(pred_begin(&block), pred_end(&block));
      for (const BasicBlock *predecessor : from)
        if (!loop->contains(predecessor))
          one.entries.push_back(edges[{predecessor, &block}]);
      marked.loops.push_back(std::move(one));
    }
    for (BasicBlock &block : function_)
      insertMarker(block, marked.blocks[numbers_[&block]]);
    for (const Cut &cut : cuts)
      insertMarker(*between(*cut.from, *cut.to), cut.mark);
    marks_.functions.push_back(std::move(marked));
  }

private:
  /// A new block for all edges between the two.
  static BasicBlock *between(BasicBlock &from, BasicBlock &to) {
    auto *block = BasicBlock::Create(to.getContext(), from.getName() + "." + to.getName(),
                                     to.getParent(), &to);
    BranchInst::Create(&to, block);
    Instruction *terminator = from.getTerminator();
    unsigned edges = 0;
    for (unsigned i = 0; i < terminator->getNumSuccessors(); ++i)
      if (terminator->getSuccessor(i) == &to) {
        terminator->setSuccessor(i, block);
        ++edges;
      }
    for (PHINode &phi : to.phis()) {
      // Of several edges from one block the values are equal.
      Value *value = phi.getIncomingValueForBlock(&from);
      for (unsigned i = 0; i < edges; ++i)
        phi.removeIncomingValue(&from, /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(value, block);
    }
    return block;
  }

  /// Are there marks enough, and does every edge have room for one?
  bool fits() {
    uint64_t most = marks_.next + uint64_t(numbers_.size());
    for (const BasicBlock &block : function_) {
      const Instruction *terminator = block.getTerminator();
      if (!isa<BranchInst, SwitchInst>(terminator) && terminator->getNumSuccessors())
        return false;
      most += terminator->getNumSuccessors();
    }
    marks_.tooMany |= most > lastMark;
    return most <= lastMark;
  }

  Function &function_;
  Marks &marks_;
  Numbers numbers_;
  DominatorTree dominators_;
  LoopInfo loops_;
};

} // namespace

std::string controlFlowHash(const Function &function) {
  // FNV-1a (Fowler, Noll, Vo): no secret, and the same in every process.
  constexpr uint64_t prime = 0x100000001b3;
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](uint64_t value) {
    for (unsigned i = 0; i < 8; ++i, value >>= 8)
      hash = (hash ^ (value & 0xff)) * prime;
  };
  const Numbers numbers = numbersOf(function);
  for (const BasicBlock &block : function) {
    mix(block.getTerminator()->getOpcode());
    for (const BasicBlock *successor : successors(&block))
      mix(numbers.lookup(successor));
    mix(~uint64_t(0));
  }
  std::string text = utohexstr(hash, true);
  return std::string(16 - text.size(), '0') + text;
}

nlohmann::ordered_json toJson(const Marks &marks) {
  using Json = nlohmann::ordered_json;
  Json functions = Json::array();
  for (const MarkedFunction &function : marks.functions) {
    Json branches = Json::array(), loops = Json::array();
    for (const auto &branch : function.branches) {
      Json edges = Json::array();
      for (const auto &edge : branch.edges)
        edges.push_back({edge.to, edge.mark});
      branches.push_back(
          {{"block", branch.block}, {"exitsLoop", branch.exitsLoop}, {"edges", std::move(edges)}});
    }
    for (const auto &loop : function.loops)
      loops.push_back({{"header", loop.header}, {"depth", loop.depth}, {"entries", loop.entries}});
    functions.push_back({{"name", function.name},
                         {"cfg", function.cfg},
                         {"blocks", function.blocks},
                         {"branches", std::move(branches)},
                         {"loops", std::move(loops)}});
  }
  Json runs = Json::array();
  for (const MarkedRun &run : marks.runs)
    runs.push_back({run.begin, run.end, run.issued, run.marks});
  return {{"functions", std::move(functions)}, {"runs", std::move(runs)}};
}

PreservedAnalyses MarkPass::run(Function &function, FunctionAnalysisManager &) {
  if (function.isDeclaration() || !seen_->insert(function.getName().str()).second)
    return PreservedAnalyses::all();
  Marker(function, *marks_).run();
  return PreservedAnalyses::none();
}

namespace {

/// The branches of a sampled function: of each no more than its bound.
profile::Function boundsOf(const profile::SampledFunction &sampled) {
  profile::Function bounds{sampled.name, sampled.cfg, {}, {}, {}};
  bounds.blocks.resize(sampled.blocks.size());
  for (const profile::SampledBranch &one : sampled.branches) {
    profile::Branch branch{one.block,
                           {},
                           one.exitsLoop,
                           sampled.blocks[one.block].all.samples,
                           bothAtMost(sampled, one).value_or(1)};
    for (const profile::SampledEdge &edge : one.edges)
      branch.edges.push_back({edge.to, {}});
    bounds.branches.push_back(std::move(branch));
  }
  return bounds;
}

/// False where the two are not the same function.
bool add(profile::Function &sum, const profile::Function &other) {
  if (sum.cfg != other.cfg || sum.blocks.size() != other.blocks.size() ||
      sum.branches.size() != other.branches.size())
    return false;
  for (size_t i = 0; i < sum.branches.size(); ++i) {
    profile::Branch &to = sum.branches[i];
    const profile::Branch &from = other.branches[i];
    if (to.block != from.block || to.edges.size() != from.edges.size())
      return false;
    to.executions += from.executions;
    // Samples are by time: what they bound in one kernel and in the other has no common measure.
    if (to.bothAtMost || from.bothAtMost)
      to.bothAtMost = std::max(to.bothAtMost.value_or(1), from.bothAtMost.value_or(1));
    for (size_t e = 0; e < to.edges.size(); ++e)
      to.edges[e].count.add(from.edges[e].count);
  }
  return true;
}

} // namespace

FunctionCounts functionCounts(const profile::Object &object, const std::string &kernel) {
  FunctionCounts sums;
  std::set<std::string> contradicted;
  bool all = true; // kernels that ran have counts
  const auto take = [&](profile::Function function) {
    const auto [known, fresh] = sums.try_emplace(function.name, function);
    if (!fresh && !add(known->second, function))
      contradicted.insert(function.name);
  };
  for (const profile::Kernel &one : object.kernels) {
    if (!kernel.empty() && one.name != kernel)
      continue;
    all &= !one.ran() || !one.functions.empty() || (one.sampled && !one.sampled->functions.empty());
    for (const profile::Function &function : one.functions)
      take(function);
    if (one.sampled)
      for (const profile::SampledFunction &function : one.sampled->functions)
        take(boundsOf(function));
  }
  for (const std::string &name : contradicted)
    sums.erase(name);
  // Without samples nothing is known, least of all that a branch never runs.
  for (auto &[name, sum] : sums)
    std::erase_if(sum.branches, [](const profile::Branch &branch) {
      return branch.bothAtMost && (!branch.executions || *branch.bothAtMost >= 1);
    });
  if (!all)
    std::erase_if(sums, [&](const auto &entry) { return !object.find(entry.first); });
  return sums;
}

/// Where a loop's test comes first, the header runs once more than the loop that LLVM makes of it.
template <class Branches> static bool testsFirst(const Branches &branches, uint32_t header) {
  return any_of(branches, [&](const auto &branch) {
    return branch.block == header && branch.exitsLoop &&
           none_of(branch.edges, [&](const auto &edge) { return edge.to == header; });
  });
}

passes::RunFacts runFacts(const profile::Kernel &kernel) {
  passes::RunFacts facts;
  facts.wavesPerSimd = kernel.wavesPerSimd;
  struct Sum {
    double entries = 0, trips = 0;
  };
  std::map<unsigned, Sum> byDepth;
  for (const profile::Function &function : kernel.functions)
    for (const profile::Loop &loop : function.loops) {
      const uint64_t tests =
          testsFirst(function.branches, loop.header) ? std::min(loop.rounds, loop.entries) : 0;
      byDepth[loop.depth].entries += double(loop.entries);
      byDepth[loop.depth].trips += double(loop.rounds - tests);
    }
  if (kernel.sampled)
    for (const profile::SampledFunction &function : kernel.sampled->functions)
      for (const profile::SampledLoop &loop : function.loops)
        if (const auto trips = tripsOf(function, loop)) {
          const double entries = *loop.entries.rate;
          byDepth[loop.depth].entries += entries;
          byDepth[loop.depth].trips +=
              entries * std::max(0.0, *trips - testsFirst(function.branches, loop.header));
        }
  for (const auto &[depth, sum] : byDepth) {
    if (depth != facts.trips.size() + 1 || sum.entries <= 0)
      break;
    facts.trips.push_back(std::max(1.0, sum.trips / sum.entries));
  }
  return facts;
}

PreservedAnalyses AttachCountsPass::run(Function &function, FunctionAnalysisManager &) {
  const std::string name = function.getName().str();
  if (function.isDeclaration() || !seen_->insert(name).second)
    return PreservedAnalyses::all();
  const auto known = counts_->find(name);
  if (known == counts_->end())
    return PreservedAnalyses::all();
  const profile::Function &counts = known->second;
  if (counts.cfg != controlFlowHash(function) || counts.blocks.size() != function.size()) {
    use_->stale.insert(name);
    return PreservedAnalyses::all();
  }
  std::vector<BasicBlock *> blocks;
  for (BasicBlock &block : function)
    blocks.push_back(&block);
  for (const profile::Branch &branch : counts.branches)
    if (branch.knowsBoth()) {
      passes::setBranchProfile(*blocks[branch.block]->getTerminator(),
                               {branch.executions, branch.both(), branch.bothAtMost.has_value()});
      ++use_->branches;
    }
  return PreservedAnalyses::all(); // no analysis knows it
}

} // namespace meld::jit
