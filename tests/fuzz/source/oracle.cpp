#include "tests/fuzz/source/oracle.h"
#include "runtime/softgpu/isa/decoder.h"

#include <ctime>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace meld::fuzz::source {

void Tally::add(const Tally &other) {
  auto sum = [](Count &to, const Count &from) {
    to.kernels += from.kernels, to.melded += from.melded, to.findings += from.findings;
  };
  sum(all, other.all);
  meldings += other.meldings;
  flat += other.flat;
  nestedWork.add(other.nestedWork), flatWork.add(other.flatWork);
  for (const auto &[what, time] : other.seconds)
    seconds[what] += time;
  ambiguous.insert(other.ambiguous.begin(), other.ambiguous.end());
  findings.insert(findings.end(), other.findings.begin(), other.findings.end());
  for (size_t i = 0; i < featureCount; ++i)
    sum(features[i], other.features[i]);
}

namespace {

/// What a run left, or why there is nothing.
struct Outcome {
  std::vector<uint8_t> memory;
  std::string problem;
  uint64_t instructions = 0;
  Work work;
};

class Examination {
public:
  Examination(const Program &program, const Settings &settings)
      : program_(program), settings_(settings) {
    for (const SourceKernel &kernel : program.kernels)
      byName_[kernel.name] = &kernel;
  }

  Tally run() {
    for (const std::string &cpu : settings_.cpus)
      examine(cpu);
    count();
    account();
    return std::move(tally_);
  }

private:
  void stage(const std::string &what, const std::string &cpu) {
    account();
    stage_ = what;
    settings_.stage(what + " " + cpu);
  }
  void account() {
    const double now = double(clock()) / CLOCKS_PER_SEC;
    tally_.seconds[stage_] += now - since_;
    since_ = now;
  }
  using Outcomes = std::map<std::string, Outcome>; ///< by kernel

  void examine(const std::string &cpu);
  Outcomes runAll(const std::string &cpu, MemoryBuffer *object, const Unit::Kernels &kernels,
                  const Outcomes *plain);
  Outcome runOne(softgpu::Gpu &gpu, const LoadedCode &code, const SourceKernel &kernel,
                 uint64_t limit);
  std::string difference(const SourceKernel &kernel, const Outcome &a, const Outcome &b) const;
  void compare(const std::string &cpu, const Mode &mode, const Outcomes &plain,
               const Outcomes *unoptimised, const Outcomes &melded, const Changes &changes);
  void finding(const SourceKernel &kernel, const std::string &cpu, const std::string &mode,
               const std::string &what);
  void count();
  bool wantsMode(const std::string &name) const {
    return settings_.modes.empty() ? name != "flattened" && name != "delayed"
                                   : is_contained(settings_.modes, name);
  }

  const Program &program_;
  const Settings &settings_;
  std::map<std::string, const SourceKernel *> byName_;
  std::set<std::string> melded_; ///< somewhere
  Outcomes reference_;           ///< plain -O3 of the first target
  Tally tally_;
  std::string stage_ = "start";
  double since_ = double(clock()) / CLOCKS_PER_SEC;
};

Outcome Examination::runOne(softgpu::Gpu &gpu, const LoadedCode &code, const SourceKernel &kernel,
                            uint64_t limit) {
  const MemoryImage image(kernel.shape);
  DeviceMemory memory(image.bytes());
  const std::vector<uint8_t> before = image.initial(kernel.seed);
  std::memcpy(memory.data(), before.data(), before.size());
  Launch launch;
  launch.kernel = kernel.name;
  launch.blockSize = kernel.shape.block[0],
  launch.moreThreads = {kernel.shape.block[1], kernel.shape.block[2]};
  launch.blocks = kernel.shape.grid[0],
  launch.moreBlocks = {kernel.shape.grid[1], kernel.shape.grid[2]};
  launch.dynamicLds = kernel.shape.dynamicLds;
  launch.instructionLimit = limit;
  launch.arguments = image.arguments(memory.address());
  Outcome outcome;
  auto result = code.run(gpu, launch);
  if (!result) {
    outcome.problem = toString(result.takeError());
    return outcome;
  }
  outcome.instructions = result->counters.total();
  outcome.work = {outcome.instructions,
                  result->counters.insts[unsigned(softgpu::isa::Category::valu)],
                  result->counters.activeLanesValu};
  if (result->code != softgpu::DispatchCode::ok)
    outcome.problem =
        result->code == softgpu::DispatchCode::cancelled ? "does not end" : result->message;
  else
    outcome.memory.assign(memory.data(), memory.data() + image.bytes());
  return outcome;
}

Examination::Outcomes Examination::runAll(const std::string &cpu, MemoryBuffer *object,
                                          const Unit::Kernels &kernels, const Outcomes *plain) {
  Outcomes outcomes;
  if (!object)
    return outcomes;
  FuzzTarget target;
  target.cpu = cpu;
  auto gpu = makeGpu(target, "off");
  auto code = LoadedCode::load(object->getBuffer());
  for (const std::string &name : kernels) {
    if (!code) {
      outcomes[name].problem = "cannot be loaded";
      continue;
    }
    uint64_t limit = 20'000'000;
    if (plain)
      if (const auto found = plain->find(name);
          found != plain->end() && found->second.problem.empty())
        limit = 30 * found->second.instructions + 200'000;
    outcomes[name] = runOne(*gpu, *code, *byName_.at(name), limit);
  }
  consumeError(code.takeError());
  return outcomes;
}

std::string Examination::difference(const SourceKernel &kernel, const Outcome &a,
                                    const Outcome &b) const {
  if (!a.problem.empty() || !b.problem.empty())
    return a.problem == b.problem ? "" : b.problem.empty() ? "first " + a.problem : b.problem;
  return MemoryImage(kernel.shape).firstDifference(a.memory, b.memory);
}

void Examination::finding(const SourceKernel &kernel, const std::string &cpu,
                          const std::string &mode, const std::string &what) {
  tally_.findings.push_back({kernel.seed, cpu, mode, what});
}

void Examination::compare(const std::string &cpu, const Mode &mode, const Outcomes &plain,
                          const Outcomes *unoptimised, const Outcomes &melded,
                          const Changes &changes) {
  for (const auto &[name, got] : melded) {
    const SourceKernel &kernel = *byName_.at(name);
    const std::string what = difference(kernel, plain.at(name), got);
    const auto flat =
        llvm::count_if(changes.meldings, [&, &kernelName = name](const auto &melding) {
          return melding.first == kernelName && (melding.second == "meld-flatten-loops" ||
                                                 melding.second == "meld-delay-iterations");
        });
    if (flat && what.empty()) {
      tally_.flat += uint64_t(flat);
      tally_.nestedWork.add(plain.at(name).work), tally_.flatWork.add(got.work);
    }
    if (what.empty())
      continue;
    if (tally_.ambiguous.count(kernel.seed)) // the plain compilations disagree: nobody to believe
      continue;
    std::string text =
        what + " (plain code ran " + std::to_string(plain.at(name).instructions) + " instructions";
    if (unoptimised && unoptimised->count(name))
      text += difference(kernel, unoptimised->at(name), got).empty() ? "; -O0 agrees with melded"
                                                                     : "; -O0 agrees with plain";
    std::set<std::string> passes;
    const std::string number = std::to_string(kernel.seed);
    for (const auto &[function, pass] : changes.meldings)
      if (function.find(number) != std::string::npos)
        passes.insert(pass);
    text += "; melded by";
    for (const std::string &pass : passes)
      text += " " + pass;
    finding(kernel, cpu, mode.name, text + ")");
  }
}

void Examination::examine(const std::string &cpu) {
  FuzzTarget target;
  target.cpu = cpu;
  stage("front end", cpu);
  auto bitcode = frontEnd(program_.text(), cpu, settings_.folder);
  if (!bitcode) {
    finding(program_.kernels.front(), cpu, "front end", toString(bitcode.takeError()));
    return;
  }
  auto unit = Unit::parse(*bitcode, target);
  if (!unit) {
    finding(program_.kernels.front(), cpu, "front end", toString(unit.takeError()));
    return;
  }
  struct Variant {
    Mode mode;
    std::unique_ptr<MemoryBuffer> object;
    Changes changes;
  };
  std::vector<Variant> variants;
  Unit::Kernels changed;
  std::vector<Mode> all = modes().vec();
  all.push_back(flattened(program_.kernels.front().seed));
  all.push_back(delayed(program_.kernels.front().seed));
  for (const Mode &mode : all) {
    if (!wantsMode(mode.name))
      continue;
    stage("melded " + mode.name, cpu);
    Variant v{mode, nullptr, {}};
    auto object = (*unit)->melded(mode, v.changes, nullptr, settings_.meldings);
    if (!object) {
      finding(program_.kernels.front(), cpu, mode.name, "compile: " + toString(object.takeError()));
      continue;
    }
    v.object = std::move(*object);
    tally_.meldings += v.changes.meldings.size();
    changed.insert(v.changes.kernels.begin(), v.changes.kernels.end());
    variants.push_back(std::move(v));
  }
  melded_.insert(changed.begin(), changed.end());
  if (changed.empty())
    return;
  stage("plain", cpu);
  auto best = (*unit)->plain('3', changed);
  if (!best) {
    finding(program_.kernels.front(), cpu, "plain", "compile: " + toString(best.takeError()));
    return;
  }
  stage("plain run", cpu);
  const Outcomes plain = runAll(cpu, best->get(), changed, nullptr);
  Outcomes unoptimised;
  if (settings_.unoptimised && cpu == settings_.cpus.front()) {
    stage("plain -O0", cpu);
    auto simple = (*unit)->plain('0', changed);
    if (simple)
      unoptimised = runAll(cpu, simple->get(), changed, nullptr);
    else
      consumeError(simple.takeError());
  }
  // Do the plain ones agree?
  for (const auto &[name, outcome] : plain) {
    const SourceKernel &kernel = *byName_.at(name);
    std::string what = outcome.problem;
    if (what.empty()) {
      if (const auto o0 = unoptimised.find(name); o0 != unoptimised.end())
        if (const std::string d = difference(kernel, o0->second, outcome); !d.empty())
          what = "-O0 and -O3 on " + cpu + ": " + d;
      if (const auto other = reference_.find(name); what.empty() && other != reference_.end())
        if (const std::string d = difference(kernel, other->second, outcome); !d.empty())
          what = settings_.cpus.front() + " and " + cpu + ": " + d;
    }
    if (!what.empty())
      tally_.ambiguous.emplace(kernel.seed, what);
  }
  if (reference_.empty())
    reference_ = plain;
  for (const Variant &v : variants) {
    stage("melded run", cpu);
    const Outcomes outcomes = runAll(cpu, v.object.get(), v.changes.kernels, &plain);
    compare(cpu, v.mode, plain, unoptimised.empty() ? nullptr : &unoptimised, outcomes, v.changes);
  }
}

void Examination::count() {
  std::set<uint64_t> found;
  for (const Finding &f : tally_.findings)
    found.insert(f.seed);
  for (const SourceKernel &kernel : program_.kernels) {
    auto add = [&](Count &c) {
      ++c.kernels, c.melded += melded_.count(kernel.name), c.findings += found.count(kernel.seed);
    };
    add(tally_.all);
    for (size_t i = 0; i < featureCount; ++i)
      if (kernel.features.has(i))
        add(tally_.features[i]);
  }
}

} // namespace

Tally examine(const Program &program, const Settings &settings) {
  return Examination(program, settings).run();
}

} // namespace meld::fuzz::source
