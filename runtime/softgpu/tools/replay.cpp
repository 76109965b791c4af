// The memory goes back to the addresses it had: code and pointers in memory hold them. A range
// whose place is taken in this process goes elsewhere, and an AddressMapper translates; the range
// with the code must be in its place, since jumps are not translated.
#include "runtime/softgpu/tools/replay.h"

#include "runtime/softgpu/counters/profile.h"
#include "runtime/softgpu/device/gpu.h"
#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/watch/capture.h"
#include "runtime/softgpu/watch/check/check.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

namespace meld::softgpu {

namespace {

/// The captured memory in this process.
class Restored final : public AddressMapper {
public:
  struct Piece {
    uint64_t address, size;
    uint8_t *host;
  };

  ~Restored() override {
    for (const Piece &p : pieces_)
      munmap(p.host, p.size);
  }

  /// Empty, or what went wrong. Ranges may overlap where allocations share pages: they are joined.
  std::string put(const Capture &capture) {
    std::vector<Piece> all;
    for (const CapturedRange &r : capture.ranges)
      if (r.size)
        all.push_back({r.address, r.size, nullptr});
    std::ranges::sort(all, {}, &Piece::address);
    for (const Piece &p : all)
      if (!pieces_.empty() && p.address <= pieces_.back().address + pieces_.back().size)
        pieces_.back().size =
            std::max(pieces_.back().size, p.address + p.size - pieces_.back().address);
      else
        pieces_.push_back(p);
    for (Piece &p : pieces_) {
      void *at = mmap(reinterpret_cast<void *>(p.address), p.size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      if (at == MAP_FAILED && errno == EEXIST) {
        at = mmap(nullptr, p.size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        moved_ = true;
      }
      if (at == MAP_FAILED)
        return std::string("no memory for a range of ") + std::to_string(p.size) +
               " bytes: " + std::strerror(errno);
      p.host = static_cast<uint8_t *>(at);
    }
    for (const CapturedRange &r : capture.ranges)
      for (const auto &[n, page] : r.before)
        std::memcpy(reinterpret_cast<void *>(toHost(r.address + n * kCapturePage)), page.data(),
                    page.size());
    return {};
  }

  bool inPlace(uint64_t address) const {
    const Piece *p = find(address);
    return p && reinterpret_cast<uint64_t>(p->host) == p->address;
  }

  bool empty() const override { return !moved_; }
  uint64_t toHost(uint64_t address) const override {
    const Piece *p = find(address);
    return p ? reinterpret_cast<uint64_t>(p->host) + (address - p->address) : address;
  }
  bool mapped(uint64_t address, uint64_t size) const override {
    const Piece *p = find(address);
    return p && size <= p->size - (address - p->address);
  }

private:
  const Piece *find(uint64_t address) const {
    auto it = std::ranges::upper_bound(pieces_, address, {}, &Piece::address);
    if (it == pieces_.begin() || address - std::prev(it)->address >= std::prev(it)->size)
      return nullptr;
    return &*std::prev(it);
  }
  std::vector<Piece> pieces_; ///< by address
  bool moved_ = false;
};

[[gnu::format(printf, 2, 3)]] void print(std::string &out, const char *format, ...) {
  char buffer[1024];
  va_list list;
  va_start(list, format);
  std::vsnprintf(buffer, sizeof(buffer), format, list);
  va_end(list);
  out += buffer;
}

/// Differences between memory and record: how many bytes, and the first few in words.
uint64_t compare(const Capture &capture, const Restored &memory, std::string &out) {
  static const CapturePage kZero{};
  uint64_t bytes = 0;
  unsigned shown = 0;
  for (const CapturedRange &r : capture.ranges)
    for (uint64_t n = 0; n < r.size / kCapturePage; ++n) {
      const auto after = r.after.find(n), before = r.before.find(n);
      const CapturePage &want = after != r.after.end()     ? after->second
                                : before != r.before.end() ? before->second
                                                           : kZero;
      const uint64_t address = r.address + n * kCapturePage;
      const auto *have = reinterpret_cast<const uint8_t *>(memory.toHost(address));
      if (std::memcmp(have, want.data(), kCapturePage) == 0)
        continue;
      for (uint64_t k = 0; k < kCapturePage; k += 4) {
        uint32_t a, b;
        std::memcpy(&a, want.data() + k, 4);
        std::memcpy(&b, have + k, 4);
        if (a == b)
          continue;
        for (unsigned byte = 0; byte < 4; ++byte)
          bytes += (a >> (8 * byte) & 0xff) != (b >> (8 * byte) & 0xff);
        if (shown++ < 8)
          print(out, "  0x%" PRIx64 ": recorded %08x, now %08x\n", address + k, a, b);
      }
    }
  return bytes;
}

} // namespace

Result<ReplayReport> replay(const ReplayOptions &options) {
  auto capture = MELD_TRY(Capture::read(options.file));
  const auto target = isa::targetFromName(capture.device);
  const auto checks = parseChecks(options.checks);
  if (!target)
    return fail(ErrorCode::badInput, options.file + ": no processor " + capture.device + " here");
  if (!checks)
    return fail(ErrorCode::badInput, "--checked=" + options.checks + ": " + checks.error().message);

  Restored memory;
  if (std::string problem = memory.put(capture); !problem.empty())
    return fail(ErrorCode::unsupported, options.file + ": " + problem);
  if (!memory.inPlace(capture.descriptor))
    return fail(ErrorCode::unsupported,
                options.file +
                    ": the place of the kernel's code is taken in this process; try again");

  DeviceConfig config;
  config.target = *target;
  config.computeUnits = capture.computeUnits;
  config.ldsBase = capture.ldsBase;
  config.scratchBase = capture.scratchBase;
  config.hostThreads = options.threads;
  config.timing = options.timing;
  config.checked = checks->memory;
  config.checks = checks->checks;
  config.trace = options.trace;
  config.translate = options.translate.empty() ? "off" : options.translate;
  std::string problem;
  const auto gpu = Gpu::create(config, &memory, &problem);
  if (!gpu)
    return fail(ErrorCode::unsupported, problem);

  nameKernel(capture.descriptor, capture.kernel, false);
  DispatchRequest request;
  request.packet = &capture.packet;
  request.queueAddress = capture.queueAddress;
  request.dispatchPacketAddress = capture.packetAddress;
  request.dispatchId = capture.dispatchId;
  const DispatchResult result = gpu->run(request);

  ReplayReport report;
  std::string differences;
  report.differences = compare(capture, memory, differences);
  report.same = report.differences == 0 && result.code == capture.code;
  const AqlPacket &p = capture.packet;
  print(report.text, "%s on %s: grid %ux%ux%u, workgroup %ux%ux%u\n", capture.kernel.c_str(),
        capture.device.c_str(), p.grid[0], p.grid[1], p.grid[2], p.workgroup[0], p.workgroup[1],
        p.workgroup[2]);
  print(report.text, "instructions: %" PRIu64 " (recorded %" PRIu64 "), waves: %" PRIu64 "\n",
        result.counters.total(), capture.instructions, result.counters.waves);
  if (options.timing)
    print(report.text, "cycles: %" PRIu64 "\n", result.cycles);
  if (result.code != DispatchCode::ok)
    report.text += "failed: " + result.message + "\n";
  if (result.code != capture.code)
    report.text += "recorded: " + (capture.message.empty() ? "success" : capture.message) + "\n";
  if (report.differences)
    print(report.text, "memory differs in %" PRIu64 " bytes:\n", report.differences);
  else
    report.text += "memory is as recorded, bit for bit\n";
  report.text += differences;
  return report;
}

} // namespace meld::softgpu
