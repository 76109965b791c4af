// What differs between LLVM 15, 17 and 21, in one place.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>
#else
#include "llvm/ADT/None.h"
#include "llvm/ADT/Triple.h"
#include "llvm/Support/Host.h"
#endif
#if LLVM_VERSION_MAJOR >= 20
#include "llvm/IR/CmpPredicate.h"
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

/// A module takes its triple as text up to 20, as a Triple from 21 on.
inline void setTargetTriple(llvm::Module &module, llvm::StringRef triple) {
#if LLVM_VERSION_MAJOR >= 21
  module.setTargetTriple(llvm::Triple(triple));
#else
  module.setTargetTriple(triple);
#endif
}

/// The code-object version a module is for, times 100 (400, 500, ...), 0 where it does not say.
/// LLVM renamed the flag with 18.
inline uint64_t codeObjectVersion(const llvm::Module &module) {
  for (const char *flag : {"amdhsa_code_object_version", "amdgpu_code_object_version"})
    if (auto *version =
            llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(module.getModuleFlag(flag)))
      return version->getZExtValue();
  return 0;
}

inline llvm::StringMap<bool> hostFeatures() {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

/// What m_ICmp and m_FCmp bind; converts to CmpInst::Predicate.
#if LLVM_VERSION_MAJOR >= 20
using MatchedPredicate = llvm::CmpPredicate;
#else
using MatchedPredicate = llvm::CmpInst::Predicate;
#endif

/// The empty value of optional parameters of LLVM's own interfaces.
#if LLVM_VERSION_MAJOR >= 17
inline constexpr std::nullopt_t none = std::nullopt;
#else
inline constexpr llvm::NoneType none = llvm::None;
#endif

/// CodeGenLevel::None and so on.
#if LLVM_VERSION_MAJOR >= 18
using CodeGenLevel = llvm::CodeGenOptLevel;
inline constexpr auto objectFile = llvm::CodeGenFileType::ObjectFile;
inline constexpr auto assemblyFile = llvm::CodeGenFileType::AssemblyFile;
#else
using CodeGenLevel = llvm::CodeGenOpt::Level;
inline constexpr auto objectFile = llvm::CGFT_ObjectFile;
inline constexpr auto assemblyFile = llvm::CGFT_AssemblyFile;
#endif

/// The declaration of an intrinsic, with the types that it is overloaded on.
inline llvm::Function *declarationOf(llvm::Module &module, llvm::Intrinsic::ID intrinsic,
                                     llvm::ArrayRef<llvm::Type *> types) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&module, intrinsic, types);
#else
  return llvm::Intrinsic::getDeclaration(&module, intrinsic, types);
#endif
}

/// A pointer to bytes, where pointers have types at all.
inline llvm::PointerType *bytePointer(llvm::LLVMContext &context, unsigned addressSpace) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::get(context, addressSpace);
#else
  return llvm::Type::getInt8PtrTy(context, addressSpace);
#endif
}

/// "Insert in front of this one", as the constructors of instructions take it.
#if LLVM_VERSION_MAJOR >= 20
inline llvm::InsertPosition before(llvm::Instruction *place) {
  return place ? llvm::InsertPosition(place->getIterator()) : llvm::InsertPosition(nullptr);
}
#else
inline llvm::Instruction *before(llvm::Instruction *place) { return place; }
#endif

inline void moveBefore(llvm::Instruction *instruction, llvm::Instruction *place) {
#if LLVM_VERSION_MAJOR >= 20
  instruction->moveBefore(place->getIterator());
#else
  instruction->moveBefore(place);
#endif
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

/// Asks LLVM's own analysis: DivergenceInfo takes references, UniformityInfo (17 on) pointers, and
/// tells a branch from a value by the pointer's type.
template <typename View, typename What> bool isDivergent(View &view, const What &what) {
#if LLVM_VERSION_MAJOR >= 17
  if (auto *end = llvm::dyn_cast<llvm::Instruction>(&what); end && end->isTerminator())
    return view.isDivergent(end);
  return view.isDivergent(&what);
#else
  return view.isDivergent(what);
#endif
}

/// The registers an instruction of an MCInstrDesc uses and defines without naming them.
template <typename Description>
llvm::ArrayRef<uint16_t> implicitUses(const Description &description) {
#if LLVM_VERSION_MAJOR >= 16
  return description.implicit_uses();
#else
  return {description.getImplicitUses(), description.getNumImplicitUses()};
#endif
}

template <typename Description>
llvm::ArrayRef<uint16_t> implicitDefs(const Description &description) {
#if LLVM_VERSION_MAJOR >= 16
  return description.implicit_defs();
#else
  return {description.getImplicitDefs(), description.getNumImplicitDefs()};
#endif
}

} // namespace meld::passes::compat
