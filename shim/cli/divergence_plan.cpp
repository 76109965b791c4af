#include "shim/cli/divergence_plan.h"

#include "runtime/engine/gated_compile.h"
#include "runtime/engine/open_compiler.h"
#include "runtime/settings/pass_options.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace meld::cli {
namespace {

using softgpu::PartingPoint;
using softgpu::PlannedStep;
using softgpu::ReportedKernel;

/// Kinds of version that are made for lanes lost in loops, and the pass of each.
struct LoopVersion {
  const char *recipe, *pass;
};
constexpr LoopVersion kLoopVersions[] = {{"flattened", "meld-flatten-loops"},
                                         {"delayed", "meld-delay-iterations"}};
bool isOfLoopVersion(const std::string &pass) {
  return std::ranges::any_of(kLoopVersions, [&](const LoopVersion &v) { return pass == v.pass; });
}
constexpr size_t kMostReasons = 3;

/// "block 4 at bench/row_nest.hip:12" is at row_nest.hip, line 12. Files are compared without their
/// folders: line tables and bitcode name those in ways of their own.
bool isAt(const std::string &location, const softgpu::SourceLine &where) {
  const size_t at = location.rfind(" at "), colon = location.rfind(':');
  if (at == std::string::npos || colon == std::string::npos || colon < at)
    return false;
  uint32_t line = 0;
  std::from_chars(location.data() + colon + 1, location.data() + location.size(), line);
  return line == where.line && softgpu::fileName(location.substr(at + 4, colon - at - 4)) ==
                                   softgpu::fileName(where.file);
}

template <class Use> void eachDecision(const Json &kernel, const PartingPoint &point, Use use) {
  const auto list = kernel.is_object() ? kernel.find("decisions") : kernel.end();
  if (!kernel.is_object() || list == kernel.end() || !list->is_array())
    return;
  for (const Json &one : *list)
    if (one.is_object() && isAt(jsonText(one, "location"), point.where))
      use(one);
}

const Json *findKernel(const Json &metadata, const std::string &name) {
  const auto kernels = metadata.is_object() ? metadata.find("kernels") : metadata.end();
  if (!metadata.is_object() || kernels == metadata.end() || !kernels->is_array())
    return nullptr;
  for (const Json &kernel : *kernels)
    if (kernel.is_object() && jsonText(kernel, "name") == name)
      return &kernel;
  return nullptr;
}

/// One code object with bitcode, compiled once whatever number of its kernels is asked for.
class Planner {
public:
  Planner(const Compiler &compiler, const Settings &settings, const CodeObject &object)
      : compiler_(compiler), settings_(settings), object_(object) {}

  void plan(ReportedKernel &reported) {
    if (!compiled_) {
      compiled_ = true;
      made_ = compileAndGate(compiler_, object_, settings_);
      metadata_ = Json::parse(made_.compiled.metadata, nullptr, false);
    }
    const std::string &name = reported.divergence.kernel;
    const Json *kernel = findKernel(metadata_, name);
    if (made_.outcome == Outcome::failed || !kernel) {
      reported.plan = "the kernel stays as it is: " +
                      (made_.reason.empty() ? "nothing is known about it" : made_.reason);
      return;
    }
    const bool improved = jsonFlag(*kernel, "melded", false) && made_.outcome == Outcome::replaced;
    reported.plan = std::string(improved ? "replaces the kernel: " : "keeps the kernel: ") +
                    jsonText(*kernel, "verdict");
    const Json versions = loopVersions(reported);
    for (const PartingPoint &point : reported.divergence.points)
      reported.steps.push_back(stepsFor(point, *kernel, versions));
  }

private:
  /// The decisions about the kernel in its versions for loops.
  Json loopVersions(const ReportedKernel &reported) const {
    Json decisions = Json::array();
    for (const LoopVersion &version : kLoopVersions) {
      const GatedCompile made = compileAndGate(compiler_, object_, settings_,
                                               {reported.divergence.kernel, version.recipe});
      const Json metadata = Json::parse(made.compiled.metadata, nullptr, false);
      const Json *kernel = findKernel(metadata, reported.divergence.kernel);
      if (!kernel || !kernel->contains("decisions") || !kernel->at("decisions").is_array())
        continue;
      for (const Json &one : kernel->at("decisions"))
        if (one.is_object() && jsonText(one, "pass") == version.pass)
          decisions.push_back(one);
    }
    return {{"decisions", decisions}};
  }

  const Compiler &compiler_;
  const Settings &settings_;
  const CodeObject &object_;
  bool compiled_ = false;
  GatedCompile made_;
  Json metadata_;
};

/// The first object of the file that holds the kernel for its processor.
const CodeObject *objectOf(const softgpu::ObjectFile &file,
                           const softgpu::KernelDivergence &kernel) {
  const auto places = file.find(kernel.kernel, kernel.device);
  return places.empty() ? nullptr : places.front().object;
}

} // namespace

std::vector<PlannedStep> stepsFor(const PartingPoint &point, const Json &kernel,
                                  const Json &versions) {
  std::vector<PlannedStep> steps;
  if (!point.where.line)
    return steps;
  struct Refusal {
    std::string reason;
    size_t count = 0;
    std::vector<std::string> passes;
  };
  std::vector<Refusal> refused;
  const auto refuse = [&](const Json &decision) {
    const std::string reason = jsonText(decision, "reason"), pass = jsonText(decision, "pass");
    auto known = std::ranges::find(refused, reason, &Refusal::reason);
    if (known == refused.end())
      known = refused.insert(refused.end(), {reason, 0, {}});
    ++known->count;
    if (std::ranges::find(known->passes, pass) == known->passes.end())
      known->passes.push_back(pass);
  };
  const auto add = [&](PlannedStep step) {
    if (std::ranges::find(steps, step.text, &PlannedStep::text) == steps.end())
      steps.push_back(std::move(step));
  };
  eachDecision(versions, point, [&](const Json &decision) {
    const std::string pass = jsonText(decision, "pass"), reason = jsonText(decision, "reason");
    if (!isOfLoopVersion(pass))
      return;
    if (jsonFlag(decision, "melded", false))
      add({PlannedStep::Kind::version, pass,
           "makes a version (" + pass + "): " + reason +
               "; launches choose it by measurement (MELD_ADAPT=on)"});
    else
      refuse(decision);
  });
  eachDecision(kernel, point, [&](const Json &decision) {
    const std::string pass = jsonText(decision, "pass"), reason = jsonText(decision, "reason");
    if (!joinsLanes(pass))
      return;
    if (!jsonFlag(decision, "melded", false))
      refuse(decision);
    else if (jsonFlag(kernel, "melded", false))
      add({PlannedStep::Kind::changes, pass, "changes it (" + pass + "): " + reason});
    else
      add({PlannedStep::Kind::keeps, pass,
           "could change it (" + pass + ": " + reason + "), but keeps the kernel"});
  });
  if (!steps.empty() || refused.empty())
    return steps;
  std::ranges::stable_sort(refused, std::ranges::greater(), &Refusal::count);
  refused.resize(std::min(refused.size(), kMostReasons));
  std::string all;
  for (const Refusal &one : refused) {
    std::string who;
    for (const std::string &pass : one.passes)
      who += (who.empty() ? "" : ", ") + pass;
    all += (all.empty() ? "" : "; ") + one.reason + " (" + who + ")";
  }
  steps.push_back({PlannedStep::Kind::keeps, refused.front().passes.front(), "leaves it: " + all});
  return steps;
}

void planReport(softgpu::DivergenceReport &report, const std::vector<std::string> &files) {
  Settings s = settings().settings;
  s.cache = false; // what it would do now
  const auto engine = makeEngine(s);
  const auto compiler = openCompiler(s, engine->options().jitPath);
  if (!compiler) {
    report.notes.push_back("what libmeld does about it is not known: " + compiler.error().message);
    return;
  }
  std::vector<softgpu::ObjectFile> opened;
  for (const std::string &file : files)
    if (auto one = softgpu::ObjectFile::open(file))
      opened.push_back(std::move(*one));
  std::map<const CodeObject *, Planner> planners;
  for (ReportedKernel &kernel : report.kernels) {
    if (!kernel.divergence.all.lost || kernel.divergence.replaced)
      continue;
    const CodeObject *object = nullptr;
    for (const auto &file : opened)
      if (!object)
        object = objectOf(file, kernel.divergence);
    if (!object)
      kernel.plan = "not known: the kernel's code object is in none of the files (--object FILE)";
    else if (object->bitcode().empty())
      kernel.plan = "can do nothing: the code object carries no bitcode; compile it with "
                    "-Xclang -fembed-bitcode=all";
    else
      planners.try_emplace(object, **compiler, s, *object).first->second.plan(kernel);
  }
}

} // namespace meld::cli
