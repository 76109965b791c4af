// One compile of one code object: the state that compile.cpp (what is asked and answered),
// compile_rounds.cpp (look, search, answer), compile_transform.cpp (one run of the pipeline),
// fp_survey.cpp (whose rounding is proven) and compile_report.cpp (what is told of it) share. Runs
// on the guarded thread.
#pragma once

#include "jit/code_object.h"
#include "jit/cpu_time.h"
#include "jit/dumps.h"
#include "jit/estimate.h"
#include "jit/make_code.h"
#include "jit/meld_search.h"
#include "jit/options.h"
#include "jit/profile/marks.h"
#include "jit/request.h"
#include "jit/search_budget.h"
#include "jit/variant/recipes.h"
#include "passes/pipeline.h"
#include "passes/specialize/specialization.h"
#include "passes/transform/fp_choices.h"
#include "runtime/profile/profile.h"

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
  double firstGain = 0;     ///< percent, at the first look
  bool outOfBudget = false; ///< its search ended before it was over
  unsigned generated = 0;   ///< how often code was made of it

  /// Something is to be had from it, as far as it is known.
  bool isHopeful() const {
    return !excluded && ((search && search->found()) || (changed && verdict.better));
  }
};

/// What one run of the pipeline over the whole object has given.
struct Made {
  std::shared_ptr<CompiledObject> object;
  std::vector<Kernel> kernels; ///< views of `object`
  std::vector<Decided> decisions;
  std::set<std::string> scalarized;
  std::map<std::string, uint64_t> variables;
  std::shared_ptr<passes::FpSettling> settling;
  std::shared_ptr<passes::MeldChoice> choice;
  std::string ir; ///< where it is to be dumped
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
  using Names = std::set<std::string>;
  llvm::Error rounds();
  llvm::Expected<bool> look(Disassembler &disassembler); ///< false: nothing can come of it
  llvm::Error search(Disassembler &disassembler, Names open);
  llvm::Error answer(Disassembler &disassembler);
  void tellWhoWaits(Names next) const; ///< what a plain compile takes, and the next round of these
  bool asksAgain(const std::string &name, KernelState &state);
  Names paidFor(std::vector<std::string> asking);
  void exclude(const std::string &name, std::string why);
  bool anyHope() const;
  uint64_t instructionsOf(const Names &kernels) const;
  bool coversMost(const Names &kernels) const;
  llvm::Expected<std::string> untrusted(); ///< why the bitcode is not the code's; "" when it is
  /// Of those that are still hopeful or to be searched, who may be melded, and who is left alone
  /// since its rounding cannot be repeated (fp_survey.cpp). The kernels of which the look's code
  /// says nothing, since they are settled elsewhere, come back.
  llvm::Expected<Names> proveFloatingPoint(const Disassembler &disassembler, const Names &asked);
  std::shared_ptr<passes::FpSettling> newSettling(passes::FpSettling::Points points,
                                                  bool everywhere = false);
  void noteCandidates(const passes::DecisionLog &decisions);
  Names settledOtherwise() const;
  /// Whether a kernel whose code is not the original's can be trusted all the same.
  bool mayDiffer(const Disassembler &disassembler, const Kernel &after) const;
  /// One run of the pipeline: over `only_`, or everything. False: it stopped early, and no code was
  /// made.
  llvm::Expected<bool> compileOnce();
  /// That, with the floating point settled as proven. A kernel that is not settled as it was is left
  /// alone from then on.
  llvm::Expected<bool> compileSettled();
  /// Code of these kernels from what the look has optimised.
  llvm::Error generate(const Names &kernels);
  llvm::Expected<bool> make(struct CompileJob job); ///< as compileOnce()
  Names allKernels() const;
  // Whole objects that were made on the way, by what was left out of them.
  std::string stateKey() const;
  bool lookHolds() const; ///< a compile would now give what the look has given
  Made kept() const;
  void take(const Made &made);
  // Of a request for a version (variant/version.cpp):
  llvm::Error selectVersion();
  bool isolateVersion(llvm::Module &module);
  bool bindVersion(llvm::Module &module);
  bool needsMet(const passes::DecisionLog &decisions);
  bool specialized(); ///< no fact has paid: refuses
  llvm::Error versionMade(const Disassembler &disassembler);
  llvm::Error markedVersion(Disassembler &disassembler);
  bool marking() const { return recipe_ && recipe_->marks && !changesNothing_; }
  /// False, and no version is made, unless `why` is "". The four above end so, too.
  bool refuse(std::string why);
  /// The request's, or the recipe's.
  llvm::Expected<passes::MeldOptions> passOptions() const;
  /// Of several modules what the original's device link made local.
  void linkUnits(llvm::Module &module) const;
  /// linkUnits(), and all of what the original exports; for any module before it is optimised.
  void keepExports(llvm::Module &module) const;
  /// What the gate holds the exported variables' addresses to (runtime/gate/alignment.h).
  void noteVariables(const llvm::Module &module);
  llvm::Expected<Next> transform(llvm::Module &module);
  Next looked(llvm::Module &module);
  void note(const passes::DecisionLog &decisions);
  /// With what the profile tells of its loops and launches.
  Estimate estimateOf(const Disassembler &disassembler, const Kernel &kernel) const;
  /// Of the kernels in the last compile those in `which`; null: all.
  llvm::Error judgeKernels(Disassembler &disassembler, const Names *which = nullptr);
  /// Of the last compile, judged: what LLVM may have got wrong in it; "": nothing (doubt.cpp).
  llvm::Expected<std::string> doubted() const;
  Json sidesOf(const passes::Decision &decision);
  Names leftAlone(const llvm::Module &module) const;
  /// The summary is what the object carries: small, since every load reads it from the cache, and
  /// without timings, since the same input gives the same bytes.
  enum class Detail { summary, full };
  Json metadata(Detail detail) const;
  Json profileUse() const; ///< for people: what the profile was good for
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

  /// Of the request, where there is one that can be read.
  std::optional<profile::Object> profile_;
  void readProfile();
  void tellStaleCounts() const;
  bool neverRan(const std::string &kernel) const {
    const profile::Kernel *known = profile_ ? profile_->find(kernel) : nullptr;
    return known && !known->ran();
  }

  std::shared_ptr<const FunctionCounts> counts_; ///< of profile_; null where it has none
  std::shared_ptr<CountsUse> countsUse_;         ///< of the last run of the pipeline
  std::shared_ptr<Marks> marks_;                 ///< where the recipe asks for them

  const Recipe *recipe_ = nullptr; ///< of the version that is asked for
  bool waits_ = true;              ///< the version's kernel may wait for another work-group
  std::optional<Facts> facts_;     ///< that it is to be specialised for
  std::shared_ptr<passes::Specialization> specialization_; ///< of the last run of the pipeline
  std::string refused_;                                    ///< why it is not made

  const CompileRequest &request_;
  CompileReply &reply_;
  Dumps dumps_;
  DeviceObject object_; ///< the original
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
  std::optional<Names> only_; ///< the kernels that the next compile is about; nothing: all
  // Of the look:
  Names touched_;      ///< kernels whose code may have changed
  std::string looked_; ///< bitcode behind the optimiser, where not all of it was made code of
  std::optional<Made> lookedAt_; ///< with the object only where looked_ is empty
  std::shared_ptr<passes::FpSettling> settling_;
  std::optional<Names> surveyed_;                 ///< settled and melded, in the look
  std::map<std::string, uint64_t> settledInLook_; ///< all that were, as they were
  passes::FpSettling::Points proven_;             ///< who may be settled where
  std::map<std::string, uint64_t> settledAs_;     ///< proven; FpSettling::settledFunctions()
  Names settledOtherwise_;                        ///< in the last compile
  std::shared_ptr<passes::MeldChoice> choice_;    ///< the last transform's
  std::optional<SearchBudget> budget_;
  std::map<std::string, Made> wholes_; ///< by stateKey()
  std::shared_ptr<CompiledObject> made_;
  std::vector<Kernel> madeKernels_;
  std::string ir_;     ///< of the last transform, where it is to be dumped
  std::string reason_; ///< why nothing is replaced, should it come to it
  size_t sideRows_ = 0;
  unsigned rounds_ = 0, wholeRounds_ = 0;
  double passesMs_ = 0, firstPassesMs_ = 0, optimiseMs_ = 0, codegenMs_ = 0, compileMs_ = 0;
  /// What a compile without our passes takes, and its code generation where the look left that out.
  double plainMs_ = 0, plainCodegenMs_ = 0;
  double startCpu_ = threadMilliseconds();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace meld::jit
