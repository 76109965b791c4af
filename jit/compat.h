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

/// Sends the session's tasks to its process control's dispatcher, as sessions do by themselves
/// where there is no such function any more.
template <class Session> void useDispatcher(Session &session) {
  auto dispatch = [&session](std::unique_ptr<llvm::orc::Task> task) {
    session.getExecutorProcessControl().getDispatcher().dispatch(std::move(task));
  };
  if constexpr (requires { session.setDispatchTask(std::move(dispatch)); })
    session.setDispatchTask(std::move(dispatch));
}

/// A process control for code that this process never runs.
#if LLVM_VERSION_MAJOR >= 20
class NoExecutor : public llvm::orc::ExecutorProcessControl {
public:
  NoExecutor(std::unique_ptr<llvm::orc::TaskDispatcher> dispatcher, llvm::StringRef triple,
             unsigned pageSize)
      : ExecutorProcessControl(std::make_shared<llvm::orc::SymbolStringPool>(),
                               dispatcher ? std::move(dispatcher)
                                          : std::make_unique<llvm::orc::InPlaceTaskDispatcher>()) {
    TargetTriple = llvm::Triple(triple);
    PageSize = pageSize;
  }
  llvm::Expected<int32_t> runAsMain(llvm::orc::ExecutorAddr, llvm::ArrayRef<std::string>) override {
    return refuse();
  }
  llvm::Expected<int32_t> runAsVoidFunction(llvm::orc::ExecutorAddr) override { return refuse(); }
  llvm::Expected<int32_t> runAsIntFunction(llvm::orc::ExecutorAddr, int) override {
    return refuse();
  }
  void callWrapperAsync(llvm::orc::ExecutorAddr, IncomingWFRHandler done,
                        llvm::ArrayRef<char>) override {
    done(llvm::orc::shared::WrapperFunctionResult::createOutOfBandError("nothing runs here"));
  }
  llvm::Error disconnect() override {
    getDispatcher().shutdown();
    return llvm::Error::success();
  }

private:
  static llvm::Error refuse() {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "nothing runs here");
  }
};

inline std::unique_ptr<llvm::orc::ExecutorProcessControl>
noExecutor(std::unique_ptr<llvm::orc::TaskDispatcher> dispatcher, llvm::StringRef triple,
           unsigned pageSize) {
  return std::make_unique<NoExecutor>(std::move(dispatcher), triple, pageSize);
}
#else
inline std::unique_ptr<llvm::orc::ExecutorProcessControl>
noExecutor(std::unique_ptr<llvm::orc::TaskDispatcher> dispatcher, llvm::StringRef triple,
           unsigned pageSize) {
  return std::make_unique<llvm::orc::UnsupportedExecutorProcessControl>(
      nullptr, std::move(dispatcher), triple.str(), pageSize);
}
#endif

/// All symbols of a unit are emitted; from 18 on the call takes what they depend on: nothing.
inline llvm::Error notifyEmitted(llvm::orc::MaterializationResponsibility &responsibility) {
#if LLVM_VERSION_MAJOR >= 18
  return responsibility.notifyEmitted({});
#else
  return responsibility.notifyEmitted();
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

/// What createTargetMachine takes: a Triple from 21 on.
#if LLVM_VERSION_MAJOR >= 21
inline llvm::Triple machineTriple(llvm::StringRef name) { return llvm::Triple(name); }
#else
inline llvm::StringRef machineTriple(llvm::StringRef name) { return name; }
#endif

} // namespace meld::jit::compat
