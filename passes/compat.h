// What differs between LLVM 15, 17 and 21, in one place.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif

namespace meld::passes::compat {

inline bool startsWith(llvm::StringRef text, llvm::StringRef prefix) {
#if LLVM_VERSION_MAJOR >= 17
  return text.starts_with(prefix);
#else
  return text.startswith(prefix);
#endif
}

inline llvm::Triple targetTriple(const llvm::Module &module) {
  return llvm::Triple(module.getTargetTriple());
}

/// Moves every block of `from` to the end of `to`.
inline void spliceBlocks(llvm::Function &to, llvm::Function &from) {
#if LLVM_VERSION_MAJOR >= 17
  to.splice(to.end(), &from);
#else
  to.getBasicBlockList().splice(to.end(), from.getBasicBlockList());
#endif
}

/// Puts a new instruction at the end of a block.
inline void append(llvm::Instruction *instruction, llvm::BasicBlock *block) {
#if LLVM_VERSION_MAJOR >= 17
  instruction->insertInto(block, block->end());
#else
  block->getInstList().push_back(instruction);
#endif
}

/// Drops attributes and metadata whose violation would be undefined behaviour: for code that now
/// runs for more threads than before.
inline void dropPromises(llvm::Instruction &instruction) {
#if LLVM_VERSION_MAJOR >= 17
  instruction.dropUBImplyingAttrsAndUnknownMetadata();
#else
  instruction.dropUndefImplyingAttrsAndUnknownMetadata();
#endif
}

} // namespace meld::passes::compat
