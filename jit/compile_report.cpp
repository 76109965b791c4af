#include "jit/compilation.h"

#include "jit/compile.h"

#include "jit/machine_code.h"
#include "jit/marker.h"
#include "jit/optimizer.h"
#include "jit/units.h"
#include "jit/variant/relocations.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace llvm;

namespace meld::jit {

// A kernel unrolled into thousands of branches would drown its own record.
constexpr size_t mostRejections = 250;

std::string dumpJson(const Json &j, int indent) {
  return j.dump(indent, ' ', false, Json::error_handler_t::replace);
}

static Json toJson(const KernelResources &r, const Estimate &e) {
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
          {"estimatedCycles", std::round(e.cycles)},
          // where a launch has so many waves for each SIMD
          {"cyclesAt1", std::round(e.among(1))},
          {"cyclesAt2", std::round(e.among(2))},
          {"cyclesAt4", std::round(e.among(4))},
          {"cyclesAt8", std::round(e.among(8))}};
}

Json Compilation::profileUse() const {
  Json::number_unsigned_t cold = 0;
  for (const auto &k : kernels_)
    cold += neverRan(k.name);
  return {{"neverRan", cold},
          {"branches", countsUse_ ? countsUse_->branches : 0},
          {"stale", countsUse_ ? Json(countsUse_->stale) : Json::array()}};
}

Json Compilation::metadata(Detail detail) const {
  Json list = Json::array();
  for (const auto &k : kernels_) {
    auto it = states_.find(k.name);
    if (it == states_.end())
      continue;
    const auto &s = it->second;
    bool kept = reply_.status == CompileReply::Status::replaced;
    std::string verdict = s.excluded ? "kept the original: " + s.excludedWhy : s.verdict.reason;
    list.push_back({{"name", k.name},
                    {"selected", selected_.count(k.name) != 0},
                    {"neverRan", neverRan(k.name)},
                    {"melded", kept && s.changed && s.verdict.better},
                    {"verdict", verdict.empty() ? "unchanged" : verdict},
                    {"gainPercent", kept ? std::round(s.verdict.gain * 10) / 10 : 0.0},
                    {"before", toJson(k.resources, s.estimateBefore)},
                    {"after", kept ? toJson(s.resourcesAfter, s.estimateAfter)
                                   : toJson(k.resources, s.estimateBefore)}});
    if (detail == Detail::summary)
      continue;
    Json decisions = Json::array();
    size_t rejections = 0;
    for (const auto &d : decisions_)
      if (d.kernel == k.name && (d.melded || ++rejections <= mostRejections)) {
        decisions.push_back(d.json);
        if (!d.sides.is_null())
          decisions.back()["sides"] = d.sides;
      }
    list.back()["decisions"] = std::move(decisions);
    list.back()["rejectionsLeftOut"] =
        rejections > mostRejections ? rejections - mostRejections : 0;
    list.back()["generated"] = s.generated;
    if (s.search && budget_)
      list.back()["search"] = {{"spent", budget_->spentOn(k.name)},
                               {"allowance", SearchBudget::allowance(s.firstGain)},
                               {"perTry", s.estimateBefore.instructions},
                               {"cutShort", s.outOfBudget}};
  }
  Json whole{{"version", version()}, {"isa", object_.isaName}, {"kernels", std::move(list)}};
  whole["variables"] = variables_; // with their alignment, for the gate
  if (profile_)
    whole["profile"] = profileUse();
  if (recipe_) {
    whole["recipe"] = recipe_->name;
    if (specialization_)
      whole["facts"] = toText(specialization_->kept);
    if (marks_ && detail == Detail::full)
      whole["marks"] = toJson(*marks_);
    whole["waits"] = waits_; // for the gate: fewer work-groups at once may not do then
  }
  if (detail == Detail::summary)
    return whole;
  // What was melded in device functions that are not kernels themselves. They are mostly inlined,
  // so what was rejected there comes again in the kernel.
  Json others = Json::array();
  for (const auto &d : decisions_)
    if (d.melded && !states_.count(d.kernel)) {
      Json j = d.json;
      j["function"] = d.kernel;
      others.push_back(std::move(j));
    }
  whole["functions"] = std::move(others);
  whole["timings"] = {{"rounds", rounds_},
                      {"wholeRounds", wholeRounds_},
                      {"passesMs", passesMs_},
                      {"firstPassesMs", firstPassesMs_},
                      {"optimiseMs", optimiseMs_},
                      {"codegenMs", codegenMs_},
                      {"compileMs", compileMs_},
                      {"cpuMs", threadMilliseconds() - startCpu_},
                      {"totalMs", milliseconds(start_)}};
  return whole;
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
  keepExports(**module);
  if (auto e = optimize(**module, options_, object_.processor, false, nullptr, nullptr,
                        request_.options)) {
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

void Compilation::tellStaleCounts() const {
  if (countsUse_ && !countsUse_->stale.empty())
    log(logWarning, "the profile has counts of " + std::to_string(countsUse_->stale.size()) +
                        " functions that have other branches now, as " +
                        *countsUse_->stale.begin() + ": they are compiled as without");
}

Error Compilation::replaced(std::string reason) {
  auto doubt = doubted();
  if (!doubt)
    return doubt.takeError();
  if (!doubt->empty())
    return unchanged((recipe_ ? "no version: " : "not replaced: ") + *doubt);
  if (recipe_)
    if (auto e = checkRelocations(*made_->bytes))
      return e;
  reply_.status = CompileReply::Status::replaced;
  reply_.reason = std::move(reason);
  auto marked = appendMarker(*made_->bytes, dumpJson(metadata(Detail::summary)));
  if (!marked) {
    reply_.status = CompileReply::Status::failed;
    return marked.takeError();
  }
  reply_.bytes = std::move(*marked);
  reply_.json = dumpJson(metadata(Detail::full));
  return Error::success();
}

} // namespace meld::jit
