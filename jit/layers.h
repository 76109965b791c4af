// The ORC layers of a code object, bottom up:
//
//   lookup(kernel) -> CodeObjectUnit      parses and merges the bitcode, only now
//                  -> IRTransformLayer    ORC's own; runs the optimisation pipeline (optimizer.h)
//                  -> IRCompileLayer      ORC's own; its compiler is ComgrCompiler (ObjectCache)
//                  -> CodeObjectLayer     links through comgr, completes every kernel's symbol
//
// A symbol's "address" is the virtual address of the kernel's descriptor inside the code object, as
// nothing is loaded here.
//
// Thread rule: as ORC's; materialisation happens on whatever thread the session's dispatcher picks.
#pragma once

#include "jit/comgr.h"
#include "jit/options.h"

#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/IRTransformLayer.h"
#include "llvm/ExecutionEngine/Orc/Layer.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace meld::jit {

/// IR to relocatable. The module's identifier is set to a hash of its bitcode and of everything
/// else that determines the result, and is the key under which the cache is asked.
class ComgrCompiler : public llvm::orc::IRCompileLayer::IRCompiler {
public:
  ComgrCompiler(const Comgr &comgr, std::string isaName, std::vector<std::string> arguments,
                llvm::ObjectCache *cache, double &milliseconds);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module &module) override;

private:
  const Comgr &comgr_;
  std::string isaName_;
  std::vector<std::string> arguments_;
  llvm::ObjectCache *cache_;
  double &milliseconds_; ///< grows by what comgr's code generation takes
};

/// Relocatable to code object.
class CodeObjectLayer : public llvm::orc::ObjectLayer {
public:
  using Finished = std::function<void(std::unique_ptr<llvm::MemoryBuffer> codeObject)>;
  CodeObjectLayer(llvm::orc::ExecutionSession &session, const Comgr &comgr, std::string isaName,
                  Finished finished);
  void emit(std::unique_ptr<llvm::orc::MaterializationResponsibility> responsibility,
            std::unique_ptr<llvm::MemoryBuffer> relocatable) override;

private:
  llvm::Error linkAndResolve(llvm::orc::MaterializationResponsibility &responsibility,
                             llvm::MemoryBuffer &relocatable);
  const Comgr &comgr_;
  std::string isaName_;
  Finished finished_;
};

/// All kernels of one code object; parsed when the first of them is looked up.
class CodeObjectUnit : public llvm::orc::MaterializationUnit {
public:
  using Parse = std::function<llvm::Expected<llvm::orc::ThreadSafeModule>()>;
  CodeObjectUnit(Interface symbols, std::string name, llvm::orc::IRLayer &layer, Parse parse);
  llvm::StringRef getName() const override { return name_; }

private:
  void
  materialize(std::unique_ptr<llvm::orc::MaterializationResponsibility> responsibility) override;
  void discard(const llvm::orc::JITDylib &, const llvm::orc::SymbolStringPtr &) override {}
  std::string name_;
  llvm::orc::IRLayer &layer_;
  Parse parse_;
};

} // namespace meld::jit
