#include "runtime/softgpu/watch/trace_log.h"

#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/softgpu/execute/code_cache.h"
#include "runtime/softgpu/execute/workgroup.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/watch/check/check.h"

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdlib>

namespace meld::softgpu {

namespace {

using isa::RegisterRange;

void appendValue(std::string &text, const ExecInst *i, const RegisterRange &r, const Wave &w,
                 unsigned lane) {
  char buffer[48];
  const unsigned first = r.index + check::relativeIndex(i, w, r);
  for (unsigned k = 0; k < r.dwords && k < 4; ++k) {
    text += ' ' + check::registerName(r.file, first + k);
    if (r.file == RegisterRange::File::sgpr)
      std::snprintf(buffer, sizeof(buffer), "=0x%" PRIx32,
                    w.s[std::min<unsigned>(first + k, isa::Sgpr::slots - 1)]);
    else
      std::snprintf(
          buffer, sizeof(buffer), "[%u]=0x%" PRIx32, lane,
          w.v[first + k + (r.file == RegisterRange::File::agpr ? w.accOffset : 0)].u[lane]);
    text += buffer;
  }
}

/// "kernel,insts,trace.txt" in parts.
struct Request {
  bool kernels = false, instructions = false;
  std::string file;

  explicit Request(std::string_view text) {
    bool words = false;
    while (!text.empty()) {
      const std::string_view part = text.substr(0, text.find(','));
      if (part == "kernel" || part == "kernels")
        kernels = words = true;
      else if (part == "insts" || part == "instructions")
        instructions = words = true;
      else
        break;
      text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    file = text.empty() ? "-" : std::string(text); // a file's name may have commas
    instructions |= !words;
  }
};

} // namespace

std::unique_ptr<TraceLog> TraceLog::open(const DeviceConfig &config) {
  if (config.trace.empty())
    return nullptr;
  const Request request(config.trace);
  auto file = TraceFile::open(request.file);
  if (!file) {
    writeToStderr("meld: cannot write the trace to " + shown(request.file, 200) + "\n");
    return nullptr;
  }
  return std::unique_ptr<TraceLog>(
      new TraceLog(std::move(file), config.traceKernel, request.kernels, request.instructions));
}

namespace {

class TraceWatcher final : public Watcher {
public:
  TraceWatcher(TraceFile &file, const Launch &launch) : file_(file), launch_(launch) {}

  void before(const ExecInst *i, Wave &w) override {
    exec_ = w.exec();
    scc_ = w.scc;
    lane_ = exec_ ? unsigned(std::countr_zero(exec_)) : 0;
    values_.clear();
    for (const RegisterRange &r : uses_.of(i).reads())
      appendValue(values_, i, r, w, lane_);
  }

  void after(const ExecInst *i, Wave &w) override {
    const uint64_t offset = pcOf(i) - launch_.entry;
    std::string text = isa::disassemble(*i->inst, w.code->target(), offset);
    std::ranges::replace_if(
        text, [](char x) { return x == '\t' || x == '\n'; }, ' ');
    std::string results;
    for (const RegisterRange &r : uses_.of(i).writes())
      appendValue(results, i, r, w, lane_);
    if (!results.empty())
      values_ += " ->" + results;
    char place[128];
    std::snprintf(place, sizeof(place),
                  " g%" PRIu64 " w%u +0x%" PRIx64 " exec=%016" PRIx64 " scc=%u  ",
                  w.group ? w.group->flatId : 0, w.waveInGroup, offset, exec_, scc_);
    file_.add(launch_.kernel + (launch_.device.empty() ? "" : " ") + launch_.device + place + text +
              (values_.empty() ? "" : "  ;") + values_ + "\n");
    if (w.status != WaveStatus::ready)
      file_.flush();
  }

private:
  TraceFile &file_;
  const Launch &launch_;
  check::UseTable uses_;
  std::string values_; ///< of the current instruction's sources
  uint64_t exec_ = 0;
  uint32_t scc_ = 0;
  unsigned lane_ = 0;
};

struct TraceFactory final : WatchFactory {
  TraceFactory(TraceFile &f, const Launch &l) : file(f), launch(l) {}
  std::unique_ptr<Watcher> make() override { return std::make_unique<TraceWatcher>(file, launch); }
  TraceFile &file;
  const Launch &launch;
};

} // namespace

std::unique_ptr<WatchFactory> TraceLog::watch(const Launch &l, isa::Target target) {
  if (kernels_) {
    const std::string device = l.device.empty() ? std::string(isa::targetName(target)) : l.device;
    char numbers[256];
    std::snprintf(numbers, sizeof(numbers),
                  " grid %ux%ux%u workgroup %ux%ux%u vgprs %u sgprs %u lds %u scratch %u\n",
                  l.grid[0], l.grid[1], l.grid[2], l.workgroup[0], l.workgroup[1], l.workgroup[2],
                  l.vgprs + l.agprs, l.sgprs, l.ldsBytes, l.scratchPerLane);
    file_->add("kernel " + l.kernel + " " + device + numbers);
    file_->flush();
  }
  return instructions_ ? std::make_unique<TraceFactory>(*file_, l) : nullptr;
}

} // namespace meld::softgpu
