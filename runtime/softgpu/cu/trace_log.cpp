#include "runtime/softgpu/cu/trace_log.h"

#include "runtime/softgpu/cu/code_cache.h"
#include "runtime/softgpu/cu/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"

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

void TraceLog::run(Wave &w, WaveCounters &c, const Launch &launch) {
  while (true) {
    const ExecInst *i = w.next;
    const uint64_t exec = w.exec();
    const uint32_t scc = w.scc;
    const bool more = stepWave(w, c);
    if (i->category != kCoreEntry) {
      const unsigned lane = exec ? unsigned(std::countr_zero(exec)) : 0;
      std::string text = isa::disassemble(*i->inst, w.code->target(), pcOf(i) - launch.entry),
                  values;
      for (char &x : text)
        if (x == '\t' || x == '\n')
          x = ' ';
      appendValue(values, i->inst->dst, w, lane);
      appendValue(values, i->inst->sdst, w, lane);
      std::fprintf(file_, "%s g%" PRIu64 " w%u +0x%" PRIx64 " exec=%016" PRIx64 " scc=%u  %s%s%s\n",
                   launch.kernel.c_str(), w.group ? w.group->flatId : 0, w.waveInGroup,
                   pcOf(i) - launch.entry, exec, scc, text.c_str(), values.empty() ? "" : "  ;",
                   values.c_str());
    }
    if (!more)
      break;
  }
  std::fflush(file_);
}

} // namespace meld::softgpu
