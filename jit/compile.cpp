#include "jit/compile.h"

#include "jit/cancel.h"
#include "jit/code_object.h"
#include "jit/comgr.h"
#include "jit/dumps.h"
#include "jit/embedded.h"
#include "jit/error.h"
#include "jit/estimate.h"
#include "jit/guard.h"
#include "jit/machine_code.h"
#include "jit/marker.h"
#include "jit/optimizer.h"
#include "jit/relocatable_cache.h"
#include "jit/session.h"
#include "passes/pipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

using namespace llvm;
using Json = nlohmann::ordered_json;

namespace meld::jit {

namespace {

constexpr unsigned maxRounds = 4;
constexpr size_t cacheBytes = 32 << 20;
constexpr int logInfo = 3, logDebug = 4, logWarning = 2;

struct Decided {
  std::string kernel;
  bool melded;
  Json json;
};

struct KernelState {
  const Kernel *before = nullptr;
  Estimate estimateBefore;
  KernelResources resourcesAfter;
  Estimate estimateAfter;
  Verdict verdict;
  bool changed = false;  ///< its machine code differs
  bool excluded = false; ///< tried and found worse
  std::string excludedWhy;
};

// A kernel unrolled into thousands of branches would drown its own record.
constexpr size_t mostRejections = 250;

double milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

std::string dumpJson(const Json &j, int indent = -1) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json toJson(const KernelResources &r, const Estimate &e) {
  return {{"vgprs", r.vgprs},
          {"agprs", r.agprs},
          {"sgprs", r.sgprs},
          {"vgprSpills", r.vgprSpills},
          {"sgprSpills", r.sgprSpills},
          {"lds", r.ldsBytes},
          {"scratch", r.scratchBytes},
          {"wavesPerSimd", e.wavesPerSimd},
          {"instructions", e.instructions},
          {"valu", e.valu},
          {"salu", e.salu},
          {"scalarMemory", e.scalarMemory},
          {"vectorMemory", e.vectorMemory},
          {"ldsInstructions", e.lds},
          {"branches", e.branches},
          {"estimatedCycles", std::round(e.cycles)}};
}

struct Shared {
  Session session;
  RelocatableCache cache{cacheBytes};
  static Shared &get() {
    static auto *shared = new Shared; // never destroyed: other threads may outlive exit handlers
    return *shared;
  }
};

/// One compile. Runs on the guarded thread.
class Compilation {
public:
  Compilation(const CompileRequest &request, CompileReply &reply)
      : request_(request), reply_(reply),
        dumps_(request.dumpDir, request.dump, request.codeObject,
               [this](const std::string &m) { log(logWarning, m); }) {}

  Error run();

private:
  void log(int level, const std::string &message) const {
    if (request_.log)
      request_.log(level, message);
  }
  Error unchanged(std::string reason) {
    reply_.status = CompileReply::Status::unchanged;
    reply_.permanent = true;
    reply_.reason = std::move(reason);
    reply_.json = dumpJson(metadata(true));
    return Error::success();
  }
  Error replaced(std::string reason);
  Error selectKernels();
  Error rounds();
  Expected<bool> compileOnce(); ///< false: nothing was melded, no code was made
  void keepOnlyExports(Module &module) const;
  Error transform(Module &module);
  Error judgeKernels(Disassembler &disassembler);
  std::set<std::string> leftAlone(const Module &module) const;
  Json metadata(bool timings) const;
  void dumpBefore(const Disassembler &disassembler);
  void dumpAfter(const Disassembler &disassembler);
  MemoryBufferRef original() const { return MemoryBufferRef(request_.codeObject, "code object"); }
  bool recompileOnly() const { return request_.passes == "none"; }

  const CompileRequest &request_;
  CompileReply &reply_;
  Dumps dumps_;
  DeviceObject object_;
  CompileOptions options_;
  std::vector<Kernel> kernels_;
  std::set<std::string> exports_; ///< the original's dynamic symbols
  std::set<std::string> selected_;
  std::map<std::string, KernelState> states_;
  std::vector<Decided> decisions_;
  CompiledObject made_;
  std::vector<Kernel> madeKernels_;
  unsigned rounds_ = 0;
  double passesMs_ = 0, optimiseMs_ = 0, codegenMs_ = 0, compileMs_ = 0;
  bool stoppedEarly_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Error Compilation::selectKernels() {
  auto make = [](const std::string &pattern, const char *what) -> Expected<std::optional<Regex>> {
    if (pattern.empty())
      return std::optional<Regex>();
    Regex r(pattern);
    std::string why;
    if (!r.isValid(why))
      return inputError(Twine(what) + ": bad regular expression '" + pattern + "': " + why);
    return std::optional<Regex>(std::move(r));
  };
  auto include = make(request_.kernelInclude, "kernel include");
  if (!include)
    return include.takeError();
  auto exclude = make(request_.kernelExclude, "kernel exclude");
  if (!exclude)
    return exclude.takeError();
  for (const auto &k : kernels_)
    if ((!*include || (*include)->match(k.name)) && !(*exclude && (*exclude)->match(k.name)))
      selected_.insert(k.name);
  return Error::success();
}

// Kernels that are not to change, and the functions they call: those are simplified, and would be
// melded, before they are inlined. A kernel that shares such a function can still be melded after
// inlining.
std::set<std::string> Compilation::leftAlone(const Module &module) const {
  std::set<std::string> names;
  std::vector<const Function *> work;
  auto add = [&](const Function *f) {
    if (f && !f->isDeclaration() && names.insert(f->getName().str()).second)
      work.push_back(f);
  };
  for (const auto &[name, state] : states_)
    if (state.excluded || !selected_.count(name))
      add(module.getFunction(name));
  while (!work.empty()) {
    const Function *f = work.back();
    work.pop_back();
    for (const auto &i : instructions(f))
      for (const Use &u : i.operands())
        add(dyn_cast<Function>(u->stripPointerCasts()));
  }
  return names;
}

// The original device link saw all units and made everything local that nobody outside can name.
// Its result says what that was.
void Compilation::keepOnlyExports(Module &module) const {
  internalizeModule(module, [this](const GlobalValue &value) {
    return exports_.count(value.getName().str()) != 0;
  });
}

Error Compilation::transform(Module &module) {
  auto begin = std::chrono::steady_clock::now();
  decisions_.clear();
  std::function<void(PassBuilder &)> extend;
  passes::DecisionLog decisionLog;
  passes::MeldOptions meld;
  meld.passes = request_.passes;
  meld.minProfit = request_.minProfit;
  meld.maxIterations = request_.maxIterations;
  meld.scalarize = request_.scalarize;
  meld.branchFusion = request_.branchFusion;
  meld.tailMerge = request_.tailMerge;
  meld.verify = request_.verify;
  meld.leaveAlone = std::make_shared<const std::set<std::string>>(
      leftAlone(module)); // includes what the request leaves out
  if (!recompileOnly())
    extend = [&](PassBuilder &builder) {
      passes::registerMeldCallbacks(builder, meld, &decisionLog);
    };
  if (options_.deviceLink || object_.modules.size() > 1)
    keepOnlyExports(module);
  if (auto e = optimize(module, options_, object_.processor, request_.verify, extend, &passesMs_))
    return e;
  for (const auto &d : decisionLog.entries())
    decisions_.push_back({d.kernel, d.melded,
                          Json{{"location", d.location},
                               {"pass", d.pass},
                               {"point", d.point},
                               {"melded", d.melded},
                               {"reason", d.reason},
                               {"profit", d.profit},
                               {"alignment", d.alignment}}});
  optimiseMs_ += milliseconds(begin);
  if (dumps_.wants("ir")) {
    std::string text;
    raw_string_ostream os(text);
    module.print(os, nullptr);
    dumps_.write("after", ".ll", os.str());
  }
  if (!recompileOnly() && decisionLog.meldedCount() == 0) {
    stoppedEarly_ = true; // no code needed: the original is what would come out
    return compilerError("nothing melded");
  }
  return Error::success();
}

Expected<bool> Compilation::compileOnce() {
  ++rounds_;
  stoppedEarly_ = false;
  CompileJob job;
  job.object = &object_;
  job.options = options_;
  for (const auto &k : kernels_)
    job.kernels.push_back(k.name);
  job.transform = [this](Module &m) { return transform(m); };
  auto &shared = Shared::get();
  job.cache = &shared.cache;
  auto begin = std::chrono::steady_clock::now();
  auto made = shared.session.compile(job);
  compileMs_ += milliseconds(begin);
  if (!made) {
    if (!stoppedEarly_)
      return made.takeError();
    consumeError(made.takeError());
    return false;
  }
  made_ = std::move(*made);
  codegenMs_ += made_.codegenMs;
  auto kernels = readKernels(*made_.bytes);
  if (!kernels)
    return kernels.takeError();
  madeKernels_ = std::move(*kernels);
  return true;
}

Error Compilation::judgeKernels(Disassembler &disassembler) {
  std::set<std::string> melded;
  for (const auto &d : decisions_)
    if (d.melded)
      melded.insert(d.kernel);
  for (const auto &after : madeKernels_) {
    auto it = states_.find(after.name);
    if (it == states_.end())
      return compilerError("the new code object has an extra kernel " + after.name);
    auto &s = it->second;
    s.changed = after.code != s.before->code;
    s.resourcesAfter = after.resources;
    if (!s.changed) {
      s.estimateAfter = s.estimateBefore;
      s.verdict = {false, 0, "unchanged"};
      continue;
    }
    s.estimateAfter = estimate(disassembler.decode(after), after.resources, object_.processor);
    s.verdict = judge(s.estimateBefore, s.before->resources, s.estimateAfter, after.resources,
                      melded.count(after.name) ? request_.minProfit : 0);
    // Addresses relative to the program counter move with the layout; such a kernel has not really
    // changed.
    if (!melded.count(after.name) && s.estimateAfter.cycles == s.estimateBefore.cycles &&
        s.estimateAfter.instructions == s.estimateBefore.instructions) {
      s.changed = false;
      s.verdict = {false, 0, "unchanged"};
    }
    log(logDebug, "kernel " + after.name + ": " + (s.verdict.better ? "better: " : "not better: ") +
                      s.verdict.reason);
  }
  return Error::success();
}

Json Compilation::metadata(bool timings) const {
  Json list = Json::array();
  for (const auto &k : kernels_) {
    auto it = states_.find(k.name);
    if (it == states_.end())
      continue;
    const auto &s = it->second;
    Json decisions = Json::array();
    size_t rejections = 0;
    for (const auto &d : decisions_)
      if (d.kernel == k.name && (d.melded || ++rejections <= mostRejections))
        decisions.push_back(d.json);
    bool kept = reply_.status == CompileReply::Status::replaced;
    std::string verdict = s.excluded ? "kept the original: " + s.excludedWhy : s.verdict.reason;
    list.push_back(
        {{"name", k.name},
         {"selected", selected_.count(k.name) != 0},
         {"melded", kept && s.changed && s.verdict.better},
         {"verdict", verdict.empty() ? "unchanged" : verdict},
         {"gainPercent", kept ? std::round(s.verdict.gain * 10) / 10 : 0.0},
         {"before", toJson(k.resources, s.estimateBefore)},
         {"after",
          kept ? toJson(s.resourcesAfter, s.estimateAfter) : toJson(k.resources, s.estimateBefore)},
         {"decisions", decisions},
         {"rejectionsLeftOut", rejections > mostRejections ? rejections - mostRejections : 0}});
  }
  // What was melded in device functions that are not kernels themselves. They are mostly inlined,
  // so what was rejected there comes again in the kernel.
  Json others = Json::array();
  for (const auto &d : decisions_)
    if (d.melded && !states_.count(d.kernel)) {
      Json j = d.json;
      j["function"] = d.kernel;
      others.push_back(std::move(j));
    }
  Json j{{"version", version()},
         {"isa", object_.isaName},
         {"kernels", std::move(list)},
         {"functions", std::move(others)}};
  if (timings)
    j["timings"] = {{"rounds", rounds_},
                    {"passesMs", passesMs_},
                    {"optimiseMs", optimiseMs_},
                    {"codegenMs", codegenMs_},
                    {"compileMs", compileMs_},
                    {"totalMs", milliseconds(start_)}};
  return j;
}

void Compilation::dumpBefore(const Disassembler &disassembler) {
  for (const auto &k : kernels_) {
    if (dumps_.wants("isa"))
      dumps_.write(k.name, ".before.s", disassembler.print(k));
    if (dumps_.wants("cfg"))
      dumps_.write(k.name, ".before.dot", toDot(disassembler.decode(k), k.name));
  }
  if (!dumps_.wants("ir"))
    return;
  LLVMContext context;
  auto module = readUnits(object_, context);
  if (!module) {
    log(logWarning, toString(module.takeError()));
    return;
  }
  if (options_.deviceLink || object_.modules.size() > 1)
    keepOnlyExports(**module);
  if (auto e = optimize(**module, options_, object_.processor, false, nullptr)) {
    log(logWarning, toString(std::move(e)));
    return;
  }
  std::string text;
  raw_string_ostream os(text);
  (*module)->print(os, nullptr);
  dumps_.write("before", ".ll", os.str());
}

void Compilation::dumpAfter(const Disassembler &disassembler) {
  for (const auto &k : madeKernels_) {
    if (dumps_.wants("isa"))
      dumps_.write(k.name, ".after.s", disassembler.print(k));
    if (dumps_.wants("cfg"))
      dumps_.write(k.name, ".after.dot", toDot(disassembler.decode(k), k.name));
  }
}

Error Compilation::replaced(std::string reason) {
  if (auto e = checkInterface(original(), *made_.bytes))
    return e;
  reply_.status = CompileReply::Status::replaced;
  reply_.reason = std::move(reason);
  // No timings inside the object: the same input gives the same bytes.
  auto marked = appendMarker(*made_.bytes, dumpJson(metadata(false)));
  if (!marked) {
    reply_.status = CompileReply::Status::failed;
    return marked.takeError();
  }
  reply_.bytes = std::move(*marked);
  reply_.json = dumpJson(metadata(true));
  return Error::success();
}

Error Compilation::rounds() {
  auto disassembler = Disassembler::create(object_.processor);
  if (!disassembler)
    return disassembler.takeError();
  for (const auto &k : kernels_) {
    auto &s = states_[k.name];
    s.before = &k;
    s.estimateBefore = estimate(disassembler->decode(k), k.resources, object_.processor);
  }
  dumpBefore(*disassembler);

  std::string reason = "nothing profitable";
  for (;;) {
    if (compilesCancelled())
      return compilerError("stopped: the process ends");
    auto made = compileOnce();
    if (!made)
      return made.takeError();
    if (!*made)
      return unchanged(reason);
    if (auto e = judgeKernels(*disassembler))
      return e;
    dumpAfter(*disassembler);
    if (recompileOnly())
      return replaced("recompiled");

    unsigned better = 0;
    bool worse = false, news = false;
    for (auto &[name, s] : states_) {
      better += s.changed && s.verdict.better;
      if (!s.changed || s.verdict.better)
        continue;
      worse = true;
      news |= !s.excluded;
      s.excluded = true;
      s.excludedWhy = s.verdict.reason;
      reason = "nothing profitable: " + name + ": " + s.verdict.reason;
    }
    if (!worse)
      return better ? replaced(std::to_string(better) + " kernel(s) melded") : unchanged(reason);
    if (!better || !news || rounds_ >= maxRounds)
      return unchanged(reason);
    log(logDebug, "compiling again without the kernels that got no better");
  }
}

Error Compilation::run() {
  auto object = readDeviceObject(original());
  if (!object)
    return object.takeError();
  object_ = std::move(*object);
  if (object_.modules.empty())
    return unchanged("no bitcode");
  if (!request_.isa.empty()) {
    StringRef wanted = StringRef(request_.isa).rsplit("--").second.split(':').first;
    if (wanted != object_.processor)
      return inputError("the code object is for " + object_.processor + ", the agent is " +
                        request_.isa);
  }
  initializeTargets(); // registers the options that recoverOptions looks up
  auto options = recoverOptions(ArrayRef<std::vector<std::string>>(object_.commands));
  if (!options)
    return options.takeError();
  options_ = std::move(*options);
  auto kernels = readKernels(original());
  if (!kernels)
    return kernels.takeError();
  kernels_ = std::move(*kernels);
  auto exports = exportedNames(original());
  if (!exports)
    return exports.takeError();
  exports_ = std::move(*exports);
  if (kernels_.empty())
    return unchanged("no kernels");
  if (auto e = selectKernels())
    return e;
  if (!recompileOnly()) {
    if (selected_.empty())
      return unchanged("no kernel selected");
    if (options_.level == '0')
      return unchanged("compiled with -O0");
  }
  auto e = rounds();
  if (dumps_.wants("decision"))
    dumps_.write("decisions", ".json", dumpJson(metadata(true), 2));
  return e;
}

} // namespace

const std::string &version() {
  static const auto *text = [] {
    std::string comgrVersion = "no comgr";
    if (auto comgr = Comgr::get())
      comgrVersion = (*comgr)->version();
    else
      consumeError(comgr.takeError());
    return new std::string("libmeld-jit " MELD_VERSION "; LLVM " LLVM_VERSION_STRING "; " +
                           comgrVersion);
  }();
  return *text;
}

CompileReply compile(const CompileRequest &request) {
  CompileReply reply;
  Error failed = runGuarded([&] {
    Compilation compilation(request, reply);
    return compilation.run();
  });
  if (!failed)
    return reply;
  reply = CompileReply();
  // What was wrong with the input stays wrong; what broke in the compiler may not.
  bool allInput = true;
  handleAllErrors(std::move(failed), [&](const ErrorInfoBase &e) {
    auto *own = e.isA<CompileError>() ? static_cast<const CompileError *>(&e) : nullptr;
    allInput &= own && own->kind() == Failure::input;
    reply.reason += (reply.reason.empty() ? "" : "; ") + e.message();
  });
  reply.permanent = allInput;
  std::replace(reply.reason.begin(), reply.reason.end(), '\n', ' ');
  reply.json = dumpJson(Json{{"version", version()}, {"error", reply.reason}});
  if (request.log)
    request.log(logInfo, "not recompiled: " + reply.reason);
  return reply;
}

} // namespace meld::jit
