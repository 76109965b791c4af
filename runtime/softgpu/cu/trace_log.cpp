#include "runtime/softgpu/cu/trace_log.h"

#include "runtime/softgpu/cu/code_cache.h"
#include "runtime/softgpu/cu/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

namespace meld::softgpu {

namespace {

using isa::Operand;

void appendValue(std::string &text, const Operand &o, const Wave &w, unsigned lane) {
  char buffer[80];
  for (unsigned k = 0; k < std::max<unsigned>(o.dwords, 1) && k < 4; ++k) {
    if (o.kind == Operand::Kind::sgpr) {
      std::snprintf(buffer, sizeof(buffer), " s%u=0x%" PRIx32, o.index + k, w.s[o.index + k]);
    } else if (o.kind == Operand::Kind::vgpr || o.kind == Operand::Kind::agpr) {
      const bool acc = o.kind == Operand::Kind::agpr;
      std::snprintf(buffer, sizeof(buffer), " %c%u[%u]=0x%" PRIx32, acc ? 'a' : 'v', o.index + k,
                    lane, w.v[o.index + k + (acc ? w.accOffset : 0)].u[lane]);
    } else {
      return;
    }
    text += buffer;
  }
}

} // namespace

std::unique_ptr<TraceLog> TraceLog::open(const DeviceConfig &config) {
  auto setting = [](const std::string &configured, const char *variable) {
    const char *env = configured.empty() ? std::getenv(variable) : nullptr;
    return env ? std::string(env) : configured;
  };
  const std::string name = setting(config.trace, "MELD_TRACE");
  if (name.empty())
    return nullptr;
  std::FILE *f = name == "-" ? stderr : std::fopen(name.c_str(), "w");
  if (!f) {
    std::fprintf(stderr, "meld: cannot write the trace to %s: %s\n", name.c_str(),
                 std::strerror(errno));
    return nullptr;
  }
  return std::unique_ptr<TraceLog>(
      new TraceLog(f, setting(config.traceKernel, "MELD_TRACE_KERNEL")));
}

TraceLog::~TraceLog() {
  if (file_ != stderr)
    std::fclose(file_);
}

namespace {

class TraceWatcher final : public Watcher {
public:
  TraceWatcher(std::FILE *file, const Launch &launch) : file_(file), launch_(launch) {}

  void before(const ExecInst *, Wave &w) override {
    exec_ = w.exec();
    scc_ = w.scc;
  }

  void after(const ExecInst *i, Wave &w) override {
    const unsigned lane = exec_ ? unsigned(std::countr_zero(exec_)) : 0;
    std::string text = isa::disassemble(*i->inst, w.code->target(), pcOf(i) - launch_.entry),
                values;
    std::ranges::replace_if(
        text, [](char x) { return x == '\t' || x == '\n'; }, ' ');
    appendValue(values, i->inst->dst, w, lane);
    appendValue(values, i->inst->sdst, w, lane);
    std::fprintf(file_, "%s g%" PRIu64 " w%u +0x%" PRIx64 " exec=%016" PRIx64 " scc=%u  %s%s%s\n",
                 launch_.kernel.c_str(), w.group ? w.group->flatId : 0, w.waveInGroup,
                 pcOf(i) - launch_.entry, exec_, scc_, text.c_str(), values.empty() ? "" : "  ;",
                 values.c_str());
    if (w.status != WaveStatus::ready)
      std::fflush(file_);
  }

private:
  std::FILE *file_;
  const Launch &launch_;
  uint64_t exec_ = 0;
  uint32_t scc_ = 0;
};

struct TraceFactory final : WatchFactory {
  TraceFactory(std::FILE *f, const Launch &l) : file(f), launch(l) {}
  std::unique_ptr<Watcher> make() override { return std::make_unique<TraceWatcher>(file, launch); }
  std::FILE *file;
  const Launch &launch;
};

} // namespace

std::unique_ptr<WatchFactory> TraceLog::watch(const Launch &launch) {
  return std::make_unique<TraceFactory>(file_, launch);
}

} // namespace meld::softgpu
