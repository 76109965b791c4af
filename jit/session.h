// One ORC session per process; one JITDylib per attempt at a code object for an ISA, one symbol per
// kernel.
//
//   Session session;                        // or with a dispatcher of one's own
//   auto made = session.compile(job);       // looks every kernel up, returns the code object
//
// Thread rule: compile() may be called from any thread, one call at a time (the caller's lock).
#pragma once

#include "jit/embedded.h"
#include "jit/options.h"

#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace meld::jit {

class Comgr;

/// One attempt at compiling a code object.
struct CompileJob {
  const DeviceObject *object = nullptr;
  CompileOptions options;
  std::vector<std::string> kernels; ///< the symbols to define and look up
  bool optimizeInComgr = false;     ///< let comgr run the (unmelded) pipeline, for comparison
  /// Read in place of the object's units, where it is not empty: what the transform of another
  /// attempt had made of them.
  llvm::StringRef bitcode;
  /// The optimisation step; not called with optimizeInComgr. Runs under catchFatal.
  std::function<llvm::Error(llvm::Module &)> transform;
  llvm::ObjectCache *cache = nullptr;
};

struct CompiledObject {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::map<std::string, uint64_t> kernels; ///< name -> address of the descriptor
  double codegenMs = 0;                    ///< comgr's code generation; 0 when it was cached
};

class Session {
public:
  explicit Session(std::unique_ptr<llvm::orc::TaskDispatcher> dispatcher = nullptr);
  ~Session();

  llvm::Expected<CompiledObject> compile(const CompileJob &job);

private:
  std::unique_ptr<llvm::orc::ExecutionSession> session_;
  llvm::Error errors_ = llvm::Error::success();
  std::mutex errorsMutex_;
  unsigned attempts_ = 0;
};

/// Parses the units; several (-fgpu-rdc) are linked into one module, as the original device link
/// did. Only one relocatable may carry kernels: the runtime reads one metadata note.
llvm::Expected<std::unique_ptr<llvm::Module>> parseUnits(llvm::ArrayRef<llvm::StringRef> units,
                                                         llvm::LLVMContext &context);

/// parseUnits() of a whole object, with the device libraries where the bitcode came without them.
llvm::Expected<std::unique_ptr<llvm::Module>> readUnits(const DeviceObject &object,
                                                        llvm::LLVMContext &context);

} // namespace meld::jit
