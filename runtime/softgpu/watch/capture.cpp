#include "runtime/softgpu/watch/capture.h"

#include "runtime/host/pattern.h"
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"

#include "runtime/softgpu/execute/safe_read.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace meld::softgpu {

namespace {

/// Writable memory of the process, but for stacks: without a driver nobody knows what is meant for
/// the device. Tests are small.
std::vector<CapturedRange> writableMemory() {
  std::vector<CapturedRange> ranges;
  std::FILE *maps = std::fopen("/proc/self/maps", "r");
  char line[4352];
  while (maps && std::fgets(line, sizeof(line), maps)) {
    uint64_t from = 0, to = 0;
    char flags[8] = {};
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, flags) != 3)
      continue;
    if (std::strncmp(flags, "rw", 2) || std::strstr(line, "[stack") || std::strstr(line, ".so"))
      continue;
    CapturedRange r;
    r.address = r.host = from;
    r.size = to - from;
    ranges.push_back(std::move(r));
  }
  if (maps)
    std::fclose(maps);
  return ranges;
}

bool isZero(const CapturePage &page) {
  return page[0] == 0 && std::memcmp(page.data(), page.data() + 1, page.size() - 1) == 0;
}

/// Calls add(page number, bytes) for every readable page of a range.
template <class Add> void readPages(const CapturedRange &r, Add &&add) {
  std::vector<CapturePage> chunk(256);
  for (uint64_t at = 0; at < r.size; at += chunk.size() * kCapturePage) {
    const size_t want = std::min<uint64_t>(r.size - at, chunk.size() * kCapturePage);
    size_t have = safeRead(r.host + at, chunk.data(), want);
    if (have < want) // a hole: page by page
      for (size_t k = 0; k * kCapturePage < want; ++k) {
        if (safeRead(r.host + at + k * kCapturePage, chunk[k].data(), kCapturePage) == kCapturePage)
          add(at / kCapturePage + k, chunk[k]);
      }
    else
      for (size_t k = 0; k * kCapturePage < want; ++k)
        add(at / kCapturePage + k, chunk[k]);
  }
}

/// How often the picture is taken again while memory keeps changing.
constexpr int kPictures = 20;

std::string fileName(const std::string &kernel, unsigned n, const std::string &suffix) {
  return kernelFileName(kernel) + "-" + std::to_string(n) + suffix + ".mgc";
}

} // namespace

bool takePicture(Capture &c) {
  bool changed = false;
  for (CapturedRange &r : c.ranges)
    readPages(r, [&](uint64_t n, const CapturePage &page) {
      const auto it = r.before.find(n);
      if (it == r.before.end() ? isZero(page) : it->second == page)
        return;
      r.before.insert_or_assign(n, page);
      changed = true;
    });
  return changed;
}

/// Letters, digits and a few signs, not too long.
std::string kernelFileName(const std::string &kernel) {
  std::string name;
  for (char c : kernel)
    if (name.size() < 80)
      name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  return name;
}

std::unique_ptr<Capture> describeDispatch(const DispatchRequest &request, const Launch &launch,
                                          const DeviceConfig &config, const AddressMapper *mapper) {
  auto c = std::make_unique<Capture>();
  c->device = isa::targetName(config.target);
  c->kernel = launch.kernel;
  if (config.deviceCount > 1)
    c->fileSuffix = "-device" + std::to_string(config.deviceIndex);
  c->computeUnits = config.computeUnits;
  c->ldsBase = config.ldsBase;
  c->scratchBase = config.scratchBase;
  std::memcpy(&c->packet, request.packet, sizeof(c->packet));
  c->descriptor = launch.descriptor;
  c->queueAddress = request.queueAddress;
  c->packetAddress = request.dispatchPacketAddress;
  c->dispatchId = request.dispatchId;
  if (mapper)
    for (const MemoryRange &m : mapper->ranges()) {
      CapturedRange r;
      r.address = m.address / kCapturePage * kCapturePage;
      r.host = m.host - (m.address - r.address);
      r.size = (m.address + m.size - r.address + kCapturePage - 1) / kCapturePage * kCapturePage;
      c->ranges.push_back(std::move(r));
    }
  if (c->ranges.empty())
    c->ranges = writableMemory();
  return c;
}

struct CaptureControl::State {
  std::string folder;
  std::optional<Pattern> kernels; ///< of all when there is none
  unsigned wanted = 1;
  std::mutex mutex;
  std::map<std::string, unsigned> seen; ///< dispatches by kernel
};

CaptureControl::CaptureControl() : state_(std::make_unique<State>()) {}
CaptureControl::~CaptureControl() = default;

std::unique_ptr<CaptureControl> CaptureControl::open(const std::string &text) {
  if (text.empty())
    return nullptr;
  std::unique_ptr<CaptureControl> control(new CaptureControl);
  State &s = *control->state_;
  const size_t first = text.find(','), last = text.rfind(',');
  s.folder = text.substr(0, first);
  auto nothing = [](const std::string &why) {
    writeToStderr("meld-softgpu: MELD_GPU_CAPTURE: " + why + "; nothing is captured\n");
    return nullptr;
  };
  if (first != text.npos) {
    std::string pattern = text.substr(first + 1);
    // A number behind the last comma is the count; commas may be part of the expression.
    if (last != first) {
      const std::string tail = text.substr(last + 1);
      if (!tail.empty() && tail.find_first_not_of("0123456789") == tail.npos) {
        s.wanted = unsigned(std::strtoul(tail.c_str(), nullptr, 10));
        pattern = text.substr(first + 1, last - first - 1);
      }
    }
    if (!pattern.empty()) {
      auto compiled = Pattern::compile(pattern);
      if (!compiled)
        return nothing("'" + shown(pattern) + "' is " + compiled.error().message);
      s.kernels = std::move(*compiled);
    }
  }
  if (mkdir(s.folder.c_str(), 0777) != 0 && errno != EEXIST)
    return nothing("cannot make " + shown(s.folder, 200) + ": " + std::strerror(errno));
  return control;
}

std::unique_ptr<Capture> CaptureControl::begin(const DispatchRequest &request, const Launch &launch,
                                               const DeviceConfig &config,
                                               const AddressMapper *mapper) {
  {
    std::lock_guard lock(state_->mutex);
    if ((state_->kernels && !state_->kernels->matches(launch.kernel)) ||
        ++state_->seen[launch.kernel] != state_->wanted)
      return nullptr;
  }
  auto c = describeDispatch(request, launch, config, mapper);
  takePicture(*c);
  // Others may still be finishing what came before the dispatch: a copy's signal, a queue's index.
  // What they write later would count as the dispatch's, so the picture has to hold for a moment.
  for (int again = 0; again < kPictures; ++again) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (!takePicture(*c))
      break;
  }
  return c;
}

void CaptureControl::finish(std::unique_ptr<Capture> c, const DispatchResult &result) noexcept {
  try {
    c->code = result.code;
    c->message = result.message;
    c->instructions = result.counters.total();
    c->waves = result.counters.waves;
    for (CapturedRange &r : c->ranges)
      readPages(r, [&](uint64_t n, const CapturePage &page) {
        const auto it = r.before.find(n);
        if (it == r.before.end() ? !isZero(page) : it->second != page)
          r.after.emplace(n, page);
      });
    const std::string file =
        state_->folder + "/" + fileName(c->kernel, state_->wanted, c->fileSuffix);
    const auto written = c->write(file);
    writeToStderr("meld-softgpu: " +
                  (written ? "captured " + c->kernel + " in " + shown(file, 300) + " (" +
                                 std::to_string(*written / 1024) + " KiB)"
                           : shown(written.error().message, 300)) +
                  "\n");
  } catch (...) {
    writeToStderr("meld-softgpu: cannot capture: out of memory\n");
  }
}

} // namespace meld::softgpu
