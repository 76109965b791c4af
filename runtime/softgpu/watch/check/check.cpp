#include "runtime/softgpu/watch/check/check.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/valu/slow.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace meld::softgpu {

namespace {

struct Named {
  std::string_view name;
  unsigned bit;
  std::unique_ptr<Watcher> (*make)(const Launch &);
};
constexpr Named kChecks[] = {
    {"hazard", Check::hazard, check::makeHazardChecker},
    {"undefined", Check::undefined, check::makeUndefinedChecker},
    {"race", Check::race, check::makeRaceChecker},
    {"barrier", Check::barrier, check::makeBarrierChecker},
};

/// All checkers of a worker behind one interface.
class Checkers final : public Watcher {
public:
  Watch watch;
  void groupStarted(Workgroup &g) override { watch.groupStarted(g); }
  void before(const ExecInst *i, Wave &w) override { watch.before(i, w); }
  void after(const ExecInst *i, Wave &w) override { watch.after(i, w); }
  void barrierOpened(Workgroup &g) override { watch.barrierOpened(g); }
  void finish() override { watch.finish(); }
};

class CheckerFactory final : public WatchFactory {
public:
  CheckerFactory(const Launch &launch, unsigned checks) : launch_(launch), checks_(checks) {}
  std::unique_ptr<Watcher> make() override {
    auto all = std::make_unique<Checkers>();
    for (const Named &n : kChecks)
      if (checks_ & n.bit)
        all->watch.add(n.make(launch_));
    return all;
  }

private:
  const Launch &launch_;
  unsigned checks_;
};

} // namespace

std::vector<std::string> checkNames(unsigned checks) {
  std::vector<std::string> names;
  for (const Named &n : kChecks)
    if (checks & n.bit)
      names.emplace_back(n.name);
  return names;
}

std::unique_ptr<WatchFactory> makeCheckers(const Launch &launch, unsigned checks) {
  return checks ? std::make_unique<CheckerFactory>(launch, checks) : nullptr;
}

namespace check {

std::string Reporter::offset(uint64_t pc) const {
  char text[32];
  const int64_t off = int64_t(pc - launch_.entry);
  std::snprintf(text, sizeof(text), "%s0x%" PRIx64, off < 0 ? "-" : "+",
                uint64_t(off < 0 ? -off : off));
  return text;
}

void Reporter::describe(const ExecInst *i, const Wave &w, int lane, std::string detail) const {
  Finding f;
  f.check = check_;
  f.kernel = launch_.kernel;
  f.device = launch_.device;
  f.offset = int64_t(pcOf(i) - launch_.entry);
  f.text = isa::disassemble(*i->inst, w.code->target(), uint64_t(f.offset));
  std::ranges::replace(f.text, '\t', ' ');
  f.detail = std::move(detail);
  char text[96];
  if (w.group) {
    std::snprintf(text, sizeof(text), ", workgroup (%u,%u,%u) wave %u", w.group->id[0],
                  w.group->id[1], w.group->id[2], w.waveInGroup);
    f.detail += text;
  }
  if (lane >= 0)
    f.detail += " lane " + std::to_string(lane);
  CheckSink::instance().describe(f);
}

std::string registerName(isa::RegisterRange::File file, unsigned index) {
  using File = isa::RegisterRange::File;
  if (file == File::sgpr)
    switch (index) {
    case isa::Sgpr::flatScratch:
      return "flat_scratch_lo";
    case isa::Sgpr::flatScratch + 1:
      return "flat_scratch_hi";
    case isa::Sgpr::vcc:
      return "vcc_lo";
    case isa::Sgpr::vcc + 1:
      return "vcc_hi";
    case isa::Sgpr::m0:
      return "m0";
    case isa::Sgpr::exec:
      return "exec_lo";
    case isa::Sgpr::exec + 1:
      return "exec_hi";
    case isa::Sgpr::sink:
      return "null";
    default:
      break;
    }
  return (file == File::sgpr ? "s" : file == File::vgpr ? "v" : "a") + std::to_string(index);
}

unsigned relativeIndex(const ExecInst *i, const Wave &w, const isa::RegisterRange &r) {
  using Role = isa::RegisterRange::Role;
  if (i->category != uint8_t(isa::Category::valu) || r.file != isa::RegisterRange::File::vgpr)
    return 0;
  const valu::RelativeIndex relative(w, *i->inst);
  if (r.role == Role::destination)
    return unsigned(relative.dst());
  return r.role <= Role::source2 ? unsigned(relative.src(unsigned(r.role))) : 0;
}

} // namespace check
} // namespace meld::softgpu
