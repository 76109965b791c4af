// One compile of one code object: the state that compile.cpp (what is asked and answered),
// compile_rounds.cpp (transform, code, verdict, again) and compile_report.cpp (what is told of it)
// share. Runs on the guarded thread.
#pragma once

#include "jit/code_object.h"
#include "jit/dumps.h"
#include "jit/embedded.h"
#include "jit/estimate.h"
#include "jit/meld_search.h"
#include "jit/options.h"
#include "jit/request.h"
#include "jit/session.h"
#include "jit/variant/recipes.h"
#include "passes/pipeline.h"
#include "passes/transform/fp_choices.h"

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace meld::jit {

using Json = nlohmann::ordered_json;

constexpr int logWarning = 2, logInfo = 3, logDebug = 4;

/// Milliseconds since then.
double milliseconds(std::chrono::steady_clock::time_point since);
std::string dumpJson(const Json &j, int indent = -1);

struct Decided {
  std::string kernel;
  bool melded;
  Json json;
  Json sides; ///< of what was melded
};

struct KernelState {
  const Kernel *before = nullptr;
  Estimate estimateBefore;
  KernelResources resourcesAfter;
  Estimate estimateAfter;
  Verdict verdict;
  std::optional<MeldSearch> search; ///< which of its meldings are to blame
  bool changed = false;             ///< its machine code differs
  bool excluded = false;            ///< tried and found worse
  std::string excludedWhy;
};

class Compilation {
public:
  Compilation(const CompileRequest &request, CompileReply &reply)
      : request_(request), reply_(reply),
        dumps_(request.dumpDir, request.dump, request.codeObject,
               [this](const std::string &m) { log(logWarning, m); }) {}

  llvm::Error run();

private:
  void log(int level, const std::string &message) const {
    if (request_.log)
      request_.log(level, message);
  }
  llvm::Error unchanged(std::string reason) {
    if (!refused_.empty())
      reason = refused_;
    reply_.status = CompileReply::Status::unchanged;
    reply_.permanent = true;
    reply_.reason = std::move(reason);
    reply_.json = dumpJson(metadata(Detail::full));
    return llvm::Error::success();
  }
  llvm::Error replaced(std::string reason);
  llvm::Error selectKernels();
  llvm::Error rounds();
  enum class Next { done, again, hopeless };
  Next nextRound(std::string &reason); ///< `reason`: why nothing is replaced, should it come to it
  bool endSearches();
  llvm::Expected<std::string> untrusted(); ///< why the bitcode is not the code's; "" when it is
  /// Settles whose floating point is settled where, and who is left alone for it (fp_survey.cpp).
  /// True: nobody needs it, and the first round's compile is done.
  llvm::Expected<bool> surveyFloatingPoint(const Disassembler &disassembler);
  std::shared_ptr<passes::FpSettling> newSettling(passes::FpSettling::Points points,
                                                  bool everywhere = false);
  void noteCandidates(const passes::DecisionLog &decisions);
  llvm::Error checkSettled() const;
  /// Whether a kernel whose code is not the original's can be trusted all the same.
  bool mayDiffer(const Disassembler &disassembler, const Kernel &after) const;
  llvm::Expected<bool> compileOnce(); ///< false: nothing was melded, no code was made
  // Of a request for a version (variant/version.cpp):
  llvm::Error selectVersion();
  llvm::Error isolateVersion(llvm::Module &module);
  llvm::Error bindVersion(llvm::Module &module);
  llvm::Error versionMade(const Disassembler &disassembler);
  llvm::Error refuse(std::string why); ///< ends the compile unless `why` is ""
  /// The request's, or the recipe's.
  llvm::Expected<passes::MeldOptions> passOptions() const;
  /// Of several modules what the original's device link made local.
  void linkUnits(llvm::Module &module) const;
  /// linkUnits(), and all of what the original exports; for any module before it is optimised.
  void keepExports(llvm::Module &module) const;
  /// What the gate holds the exported variables' addresses to (runtime/gate/alignment.h).
  void noteVariables(const llvm::Module &module);
  llvm::Error transform(llvm::Module &module);
  llvm::Error judgeKernels(Disassembler &disassembler);
  Json sidesOf(const passes::Decision &decision);
  std::set<std::string> leftAlone(const llvm::Module &module) const;
  /// The summary is what the object carries: small, since every load reads it from the cache, and
  /// without timings, since the same input gives the same bytes.
  enum class Detail { summary, full };
  Json metadata(Detail detail) const;
  void dumpBefore(const Disassembler &disassembler);
  void dumpAfter(const Disassembler &disassembler);
  llvm::MemoryBufferRef original() const {
    return llvm::MemoryBufferRef(request_.codeObject, "code object");
  }
  bool changesNothing_ = false; ///< the transform of untrusted()
  /// By the user: such a kernel stays the original's code, or nothing is replaced.
  bool isLeftOut(const std::string &kernel) const {
    return !recompileOnly() && !selected_.count(kernel);
  }
  bool recompileOnly() const { return request_.meld.passes == "none"; }

  const Recipe *recipe_ = nullptr; ///< of the version that is asked for
  bool waits_ = true;              ///< the version's kernel may wait for another work-group
  DynamicSymbols symbols_;         ///< the original's, for it
  std::string refused_;            ///< why it is not made

  const CompileRequest &request_;
  CompileReply &reply_;
  Dumps dumps_;
  DeviceObject object_;
  CompileOptions options_;
  std::vector<Kernel> kernels_;
  std::set<std::string> exports_;             ///< the original's dynamic symbols
  std::map<std::string, uint64_t> variables_; ///< exported ones, with their declared alignment
  std::set<std::string> selected_;
  std::map<std::string, KernelState> states_;
  std::vector<Decided> decisions_;
  std::set<std::string> scalarized_; ///< the kernels in which scalarization found something to do
  enum class Survey : uint8_t { looking, proving, over };
  Survey survey_ = Survey::over;
  std::shared_ptr<passes::FpSettling> settling_;
  std::optional<std::set<std::string>> surveyed_; ///< settled and melded, in the first look
  std::map<std::string, uint64_t> settledAs_;     ///< proven; FpSettling::settledFunctions()
  std::shared_ptr<passes::MeldChoice> choice_;    ///< the last transform's
  CompiledObject made_;
  std::vector<Kernel> madeKernels_;
  size_t sideRows_ = 0;
  unsigned rounds_ = 0;
  double passesMs_ = 0, optimiseMs_ = 0, codegenMs_ = 0, compileMs_ = 0;
  bool stoppedEarly_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace meld::jit
