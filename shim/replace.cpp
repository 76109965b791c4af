#include "shim/replace.h"

#include "runtime/codeobject/codeobject.h"
#include "runtime/log/log.h"

namespace meld {
namespace {

bool hasUndefinedSymbols(ByteView bytes) {
  auto object = CodeObject::parse(bytes);
  if (!object)
    return true;
  for (const ElfSymbol &symbol : object->symbols)
    if (!symbol.defined())
      return true;
  return false;
}

/// Loads a replacement that ROCr has not seen yet into an executable of its own, freezes that as
/// the application would (which applies relocations and gives the kernels their places), and throws
/// it away: what ROCr refuses must be known before the application's executable is touched. Objects
/// that need symbols from the application's executable are not tried.
hsa_status_t trialLoad(const RocrEntries &rocr, hsa_agent_t agent, hsa_code_object_reader_t reader,
                       ByteView bytes) {
  if (hasUndefinedSymbols(bytes))
    return HSA_STATUS_SUCCESS;
  hsa_executable_t executable{};
  const hsa_status_t status = loadAlone(rocr, agent, reader, executable);
  if (executable.handle)
    rocr.destroyExecutable(executable);
  return status;
}

std::string statusText(const CoreApiTable &table, hsa_status_t status) {
  const char *text = nullptr;
  if (table.hsa_status_string_fn(status, &text) != HSA_STATUS_SUCCESS || !text)
    return "HSA status " + std::to_string(status);
  return text;
}

/// A reader of ours, destroyed on every way out but the one on which ROCr has loaded from it.
class OwnReader {
public:
  explicit OwnReader(const RocrEntries &rocr) : rocr_(rocr) {}
  ~OwnReader() {
    if (made_)
      rocr_.destroyReader(reader_);
  }
  hsa_status_t make(const Bytes &bytes) {
    hsa_status_t status = rocr_.createFromMemory(bytes.data(), bytes.size(), &reader_);
    made_ = status == HSA_STATUS_SUCCESS;
    return status;
  }
  hsa_code_object_reader_t get() const { return reader_; }
  void keep() { made_ = false; }

private:
  const RocrEntries &rocr_;
  hsa_code_object_reader_t reader_{};
  bool made_ = false;
};

} // namespace

hsa_status_t tryReplacement(const RocrEntries &rocr, Process &process, hsa_executable_t executable,
                            hsa_agent_t agent, Decision &decision, const char *options,
                            hsa_loaded_code_object_t *loaded) {
  Engine &engine = *process.engine;
  auto failed = [&](const char *what, hsa_status_t status) {
    decision.outcome = Outcome::failed;
    decision.reason = what + statusText(*rocr.table, status);
    log::warning(decision.reason);
    if (status != HSA_STATUS_ERROR_OUT_OF_RESOURCES) // not the replacement's fault
      engine.reject(decision.key, decision.reason);
    return status;
  };
  OwnReader reader(rocr);
  hsa_status_t status = reader.make(*decision.replacement);
  if (status == HSA_STATUS_SUCCESS && !decision.tried) {
    status = trialLoad(rocr, agent, reader.get(), *decision.replacement);
    if (status == HSA_STATUS_SUCCESS)
      engine.accept(decision.key);
  }
  if (status != HSA_STATUS_SUCCESS)
    return failed("ROCr refused the replacement: ", status);
  Objects &objects = process.objects;
  objects.addReplacement(executable, {decision.replacement, reader.get(), decision.kernels});
  status = rocr.load(executable, agent, reader.get(), options, loaded);
  if (status != HSA_STATUS_SUCCESS) {
    objects.dropReplacement(executable, reader.get());
    return failed("loading the replacement failed: ", status);
  }
  reader.keep();
  return status;
}

} // namespace meld
