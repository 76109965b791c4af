// What differs between LLVM 15, 17 and 21 in ORC, object files and code generation; the part that
// concerns IR is in passes/compat.h.
#pragma once

#include "passes/compat.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutorProcessControl.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Passes/StandardInstrumentations.h"

namespace meld::jit::compat {

using namespace passes::compat;

/// A resolved symbol of ORC: an address with flags.
#if LLVM_VERSION_MAJOR >= 17
inline llvm::orc::ExecutorSymbolDef symbolAt(uint64_t address, llvm::JITSymbolFlags flags) {
  return {llvm::orc::ExecutorAddr(address), flags};
}
inline uint64_t addressOf(const llvm::orc::ExecutorSymbolDef &symbol) {
  return symbol.getAddress().getValue();
}
#else
inline llvm::JITEvaluatedSymbol symbolAt(uint64_t address, llvm::JITSymbolFlags flags) {
  return {address, flags};
}
inline uint64_t addressOf(const llvm::JITEvaluatedSymbol &symbol) { return symbol.getAddress(); }
#endif

/// Sends the session's tasks to its process control's dispatcher, as 16 and later do by themselves.
inline void useDispatcher(llvm::orc::ExecutionSession &session) {
#if LLVM_VERSION_MAJOR < 16
  session.setDispatchTask([&session](std::unique_ptr<llvm::orc::Task> task) {
    session.getExecutorProcessControl().getDispatcher().dispatch(std::move(task));
  });
#endif
}

/// The bytes of an ELF note; `alignment` is its section's, which 15 takes to be 4.
template <typename Note>
llvm::ArrayRef<uint8_t> noteBytes(const Note &note, [[maybe_unused]] uint64_t alignment) {
#if LLVM_VERSION_MAJOR >= 17
  return note.getDesc(alignment);
#else
  return note.getDesc();
#endif
}

/// Quiet instrumentation: what keeps passes away from optnone functions.
class Instrumentation {
public:
  Instrumentation([[maybe_unused]] llvm::LLVMContext &context,
                  llvm::PassInstrumentationCallbacks &callbacks)
#if LLVM_VERSION_MAJOR >= 16
      : standard_(context, /*DebugLogging=*/false)
#else
      : standard_(/*DebugLogging=*/false)
#endif
  {
    standard_.registerCallbacks(callbacks);
  }

private:
  llvm::StandardInstrumentations standard_;
};

} // namespace meld::jit::compat
