#include "runtime/softgpu/verify/save.h"

#include "runtime/host/stderr.h"
#include "runtime/softgpu/execute/safe_read.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace meld::softgpu::verify {

namespace {

CapturedRange *rangeOf(Capture &c, uint64_t address) {
  for (CapturedRange &r : c.ranges)
    if (address - r.address < r.size)
      return &r;
  return nullptr;
}

/// The byte's page in `after` where it changed, else in `before`, else made of zeros.
uint8_t &byteAt(CapturedRange &r, std::map<uint64_t, CapturePage> &image, uint64_t address) {
  const uint64_t n = (address - r.address) / kCapturePage;
  auto it = image.find(n);
  if (it == image.end()) {
    const auto old = r.before.find(n);
    it = image.emplace(n, old == r.before.end() ? CapturePage{} : old->second).first;
  }
  return it->second[(address - r.address) % kCapturePage];
}

/// Memory before the dispatch, and the pages that the original changed.
void takeMemory(Capture &c, const PageStore &before) {
  takePicture(c);
  static_assert(kPage == kCapturePage);
  for (const uint64_t page : before.pages())
    for (CapturedRange &r : c.ranges) {
      if (page - r.host >= r.size)
        continue;
      const uint64_t n = (page - r.host) / kPage;
      CapturePage old, now;
      std::memcpy(old.data(), reinterpret_cast<const void *>(before.at(page)), kPage);
      if (safeRead(page, now.data(), kPage) == kPage && now != old)
        r.after.insert_or_assign(n, now);
      r.before.insert_or_assign(n, old);
    }
}

/// The variables of the replacement's code object become what the original's are.
void copyVariables(Capture &c, const ObjectPair &object) {
  for (const Symbol &s : object.symbols) {
    if (!s.variable)
      continue;
    for (uint64_t k = 0; k < s.size; ++k) {
      CapturedRange *from = rangeOf(c, s.original + k), *to = rangeOf(c, s.replacement + k);
      if (!from || !to)
        break;
      byteAt(*to, to->before, s.replacement + k) = byteAt(*from, from->before, s.original + k);
    }
  }
  for (const Symbol &s : object.symbols) {
    if (!s.variable)
      continue;
    for (uint64_t k = 0; k < s.size; ++k) {
      CapturedRange *from = rangeOf(c, s.original + k), *to = rangeOf(c, s.replacement + k);
      if (!from || !to)
        break;
      const auto changed = from->after.find((s.original + k - from->address) / kCapturePage);
      if (changed != from->after.end())
        byteAt(*to, to->after, s.replacement + k) =
            changed->second[(s.original + k - from->address) % kCapturePage];
    }
  }
}

} // namespace

std::vector<std::string> save(const SavedDispatch &d, const std::string &stem) noexcept {
  std::vector<std::string> files;
  try {
    const auto c = describeDispatch(d.request, d.launch, d.config, d.mapper);
    takeMemory(*c, d.before);
    c->code = d.result.code;
    c->instructions = d.result.counters.total();
    c->waves = d.result.counters.waves;
    auto write = [&](const std::string &file) {
      if (const auto written = c->write(file))
        files.push_back(file);
      else
        writeToStderr("meld-softgpu: " + written.error().message + "\n");
    };
    write(stem + "-original.mgc");
    copyVariables(*c, *d.pair.object);
    c->packet = d.packet;
    c->descriptor = d.pair.replacement;
    write(stem + "-replacement.mgc");
  } catch (...) {
    writeToStderr("meld-softgpu: cannot capture: out of memory\n");
  }
  return files;
}

} // namespace meld::softgpu::verify
