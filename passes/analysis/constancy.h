// Which loads read memory that the dispatch does not write (Timofeev 2016), so that a scalar load
// through a cache that vector stores do not update gives the right answer.
//
//   v = in[k]; out[t] = v         in is restrict:  constant  no thread of the dispatch writes `in`
//   v = a[k];  a[t] = v           untouched        written somewhere, but not before the load
//   a[t] = 1;  v = a[k]           written
//   v = lds[0] behind a barrier   written          what other threads stored before it arrives now
//
// Reasoning. Threads of a dispatch run in any order: another thread may have finished before this
// one starts. So a store anywhere in the kernel may come first in time, and only a location that no
// store of the kernel may touch is `constant`. Pointers of two threads are compared by the objects
// they lead into, never by offsets: a[t] and a[t + 1] are apart in one thread and meet in two.
// Stores through functions that the kernel calls count with the arguments of the call; anything
// without an exact definition may write everything but memory of the constant address space. A
// pointer that a phi or select chooses leads into all of the objects.
//
// Others write, too: the host, another kernel, another GPU. While the dispatch runs they may do so
// only as it and they agree, by a flag that one sets and the other waits for. So a kernel that can
// agree with others (by an atomic or volatile access of global memory, or by a fence of a wider scope
// than a workgroup's) has no `constant` load but what LLVM takes for constant anyhow: its alias
// analysis for this target does so of an argument that is noalias and only read. An update whose
// result nobody takes, without an order of its own, as of a histogram, agrees on nothing.
//
//   while (!flag.load(acquire)) {}  v = mail[0]     written    the host has, before it set the flag
//   v = mail[0];  taken.store(1, release)           untouched  the host will, when it sees `taken`
//
// `untouched` is weaker: no path from the kernel's entry to the load passes a store of this thread
// that may touch the location, nor anything that can order a store of another thread before it
// (barrier, fence, atomic, unknown call). A store that another thread makes all the same races with
// the load: without ordering the memory model gives the load any value, the old one among them.
// That is what LLVM's `noclobber` stands for; whoever wants programs with benign races kept as they
// are asks for `constant`.
//
// Volatile and atomic loads, and loads outside of kernels (whose caller may have written anything),
// are `written` unless their address space is constant or they are marked invariant. `noalias` on a
// kernel's argument is taken for the whole dispatch, as HIP and CUDA define __restrict__.
//
// Terminates: one walk over blocks per load, each block once. Costs O(blocks) per load plus one
// alias query per pair of objects (kept).
#pragma once

#include "passes/analysis/gpu_info.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"
#include <map>
#include <memory>
#include <vector>

namespace meld::passes {

enum class Constancy : uint8_t { written, untouched, constant };
const char *name(Constancy constancy);

class ConstancyInfo {
public:
  ConstancyInfo(llvm::Function &function, llvm::AAResults &aliases);

  Constancy of(const llvm::LoadInst &load) const { return judge(load).first; }
  /// What stands against a load that is `written`; empty for others.
  const char *whyWritten(const llvm::LoadInst &load) const { return judge(load).second; }
  void print(llvm::raw_ostream &out) const;

private:
  /// What one instruction may write: objects, or everything; whether it orders other threads; and
  /// whether it can agree with those outside of the dispatch on who writes when.
  struct Effect {
    llvm::SmallVector<const llvm::Value *, 2> objects;
    bool everything = false;
    bool orders = false;
    bool agrees = false;
    bool any() const { return everything || orders || !objects.empty(); }
  };
  std::pair<Constancy, const char *> judge(const llvm::LoadInst &load) const;
  Effect effectOf(const llvm::Instruction &instruction, unsigned depth) const;
  void addCallee(const llvm::CallBase &call, Effect &effect, unsigned depth) const;
  using Objects = llvm::SmallVector<const llvm::Value *, 4>;
  static Objects objectsOf(const llvm::Value *pointer);
  bool mayTouch(const Objects &loaded, const Effect &effect) const;
  bool mayMeet(const llvm::Value *loaded, const llvm::Value *written) const;

  llvm::Function &function_;
  llvm::AAResults &aliases_;
  GpuInfo gpu_;
  llvm::DenseMap<const llvm::Instruction *, Effect> effects_;
  llvm::DenseMap<const llvm::BasicBlock *, Effect> blockEffects_;
  Effect whole_;
  mutable llvm::DenseMap<std::pair<const llvm::Value *, const llvm::Value *>, bool> met_;
};

class ConstancyAnalysis : public llvm::AnalysisInfoMixin<ConstancyAnalysis> {
public:
  using Result = std::unique_ptr<ConstancyInfo>;
  Result run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  friend llvm::AnalysisInfoMixin<ConstancyAnalysis>;
  static llvm::AnalysisKey Key;
};

class ConstancyPrinterPass : public llvm::PassInfoMixin<ConstancyPrinterPass> {
public:
  explicit ConstancyPrinterPass(llvm::raw_ostream &out) : out_(out) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  llvm::raw_ostream &out_;
};

} // namespace meld::passes
