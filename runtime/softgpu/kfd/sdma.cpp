#include "runtime/softgpu/kfd/sdma.h"

#include "runtime/softgpu/kfd/activity.h"
#include "runtime/softgpu/kfd/settings.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#ifdef __SANITIZE_THREAD__
extern "C" void AnnotateIgnoreReadsBegin(const char *file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char *file, int line);
extern "C" void AnnotateIgnoreWritesBegin(const char *file, int line);
extern "C" void AnnotateIgnoreWritesEnd(const char *file, int line);
#endif

namespace meld::softgpu {

namespace {

/// While one lives, accesses are to the program's memory. ThreadSanitizer leaves them out: the
/// program waits for them with a signal of the runtime's, of which it knows nothing.
struct ProgramMemory {
#ifdef __SANITIZE_THREAD__
  ProgramMemory() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~ProgramMemory() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  ProgramMemory() {} // not trivial, so that nobody calls it unused
#endif
};

enum Op : uint32_t {
  nop = 0,
  copyOp = 1,
  fenceOp = 5,
  trapOp = 6,
  pollOp = 8,
  atomicOp = 10,
  fillOp = 11,
  timestampOp = 13,
  gcrOp = 17,
};
enum AtomicOp : uint32_t { swap64 = 39, cmpswap64 = 40, add64 = 47, sub64 = 48, add32 = 15 };

template <class T> std::atomic_ref<T> at(uint64_t address) {
  return std::atomic_ref<T>(*reinterpret_cast<T *>(address));
}

std::string hex(uint64_t x) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
  return text;
}

} // namespace

SdmaProcessor::SdmaProcessor(const Ring &ring, const Services &services)
    : ring_(ring), services_(services), clock_(services.time, ring.queue) {
  read_ = at<uint64_t>(ring_.readPointer).load(std::memory_order_acquire);
}

uint32_t SdmaProcessor::dword(unsigned index) const {
  return at<uint32_t>(ring_.base + (read_ + 4ull * index) % ring_.bytes)
      .load(std::memory_order_relaxed);
}

Step SdmaProcessor::consume(unsigned dwords) {
  read_ += 4ull * dwords;
  at<uint64_t>(ring_.readPointer).store(read_, std::memory_order_release);
  return Step::progress;
}

Step SdmaProcessor::step() {
  if (halted_)
    return Step::halted;
  const uint64_t write = at<uint64_t>(ring_.writePointer).load(std::memory_order_acquire);
  if (read_ >= write) {
    empty_ = true;
    return Step::idle;
  }
  if (empty_)
    clock_.arrived();
  empty_ = false;

  const uint32_t header = dword(0);
  const uint32_t op = header & 0xff, sub = header >> 8 & 0xff;
  unsigned dwords = 1;
  switch (op) {
  case nop:
    dwords = 1 + (header >> 16 & 0x3fff);
    break;
  case copyOp:
    dwords = sub == 4 ? 13 : 7;
    break;
  case fenceOp:
    dwords = 4;
    break;
  case trapOp:
    dwords = 2;
    break;
  case pollOp:
    dwords = 6;
    break;
  case atomicOp:
    dwords = 8;
    break;
  case fillOp:
    dwords = 5;
    break;
  case timestampOp:
    dwords = 3;
    break;
  case gcrOp:
    dwords = 5;
    break;
  default:
    return halt("unknown SDMA packet, header " + hex(header) + " at byte " + std::to_string(read_));
  }
  if (write - read_ < 4ull * dwords) {
    if (op == nop)
      return consume(static_cast<unsigned>((write - read_) / 4));
    return halt("SDMA packet " + hex(header) + " at byte " + std::to_string(read_) + " is cut off");
  }

  switch (op) {
  case copyOp:
    if (sub == 0)
      return copyLinear();
    if (sub == 4)
      return copyRect();
    return halt("SDMA copy of the unknown kind " + std::to_string(sub));
  case fenceOp: {
    const uint64_t to = address(1);
    if (!services_.accessible(to, 4))
      return fault(to);
    uint64_t rest;
    at<uint32_t>(services_.toHost(to, rest)).store(dword(3), std::memory_order_release);
    Activity::instance().announce();
    break;
  }
  case trapOp:
    services_.setEvent(dword(1) & 0xfffffff);
    break;
  case pollOp:
    return poll();
  case atomicOp:
    return atomic();
  case fillOp:
    return fill();
  case timestampOp: {
    const uint64_t to = address(1);
    if (!services_.accessible(to, 8))
      return fault(to);
    uint64_t rest;
    at<uint64_t>(services_.toHost(to, rest)).store(clock_.now(), std::memory_order_release);
    break;
  }
  default:
    break; // NOP, GCR: our caches are coherent
  }
  return consume(dwords);
}

Step SdmaProcessor::copyLinear() {
  const uint64_t bytes = (dword(1) & 0x3fffffff) + 1ull;
  if (!copy(address(5), address(3), bytes))
    return fault(faultAddress_);
  clock_.moved(bytes);
  return consume(7);
}

Step SdmaProcessor::copyRect() {
  const unsigned element = dword(0) >> 29; // log2 of its bytes
  if (element > 4)
    return halt("SDMA sub-window copy with elements of 2^" + std::to_string(element) + " bytes");
  struct Side {
    uint64_t base, x, y, z, pitch, slice;
  };
  const bool gfx12 = services_.generation >= 12;
  const uint32_t xy = gfx12 ? 0xffff : 0x3fff, z = gfx12 ? 0x3fff : 0x7ff;
  const uint32_t slice = gfx12 ? 0xffffffff : 0xfffffff, pitchAt = gfx12 ? 16 : 13;
  auto side = [&](unsigned first) {
    return Side{address(first),
                dword(first + 2) & xy,
                dword(first + 2) >> 16 & xy,
                dword(first + 3) & z,
                (dword(first + 3) >> pitchAt) + 1ull,
                (dword(first + 4) & slice) + 1ull};
  };
  const Side from = side(1), to = side(6);
  const uint64_t width = (dword(11) & xy) + 1ull, height = (dword(11) >> 16 & xy) + 1ull;
  const uint64_t depth = (dword(12) & z) + 1ull;
  for (uint64_t k = 0; k < depth; ++k)
    for (uint64_t y = 0; y < height; ++y) {
      auto row = [&](const Side &s) {
        return s.base + ((s.x + (s.y + y) * s.pitch + (s.z + k) * s.slice) << element);
      };
      if (!copy(row(to), row(from), width << element))
        return fault(faultAddress_);
    }
  clock_.moved((width << element) * height * depth);
  return consume(13);
}

template <class F> bool SdmaProcessor::eachPiece(uint64_t address, uint64_t bytes, bool, F f) {
  while (bytes) {
    uint64_t rest = 0;
    const uint64_t host = services_.toHost(address, rest);
    const uint64_t n = std::min(bytes, rest);
    f(host, n);
    address += n;
    bytes -= n;
  }
  return true;
}

bool SdmaProcessor::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  for (uint64_t side : {from, to})
    if (!services_.accessible(side, bytes)) {
      faultAddress_ = side;
      return false;
    }
  ProgramMemory accessed;
  eachPiece(to, bytes, true, [&](uint64_t host, uint64_t n) {
    eachPiece(from, n, false, [&](uint64_t source, uint64_t m) {
      std::memmove(reinterpret_cast<void *>(host), reinterpret_cast<const void *>(source), m);
      host += m;
    });
    from += n;
  });
  return true;
}

Step SdmaProcessor::poll() {
  const uint32_t header = dword(0);
  const bool memory = header >> 31;
  if (!memory) // a register write such as the HDP flush: nothing of ours needs it
    return consume(6);
  const uint64_t where = address(1);
  if (!services_.accessible(where, 4))
    return fault(where);
  uint64_t rest;
  const uint32_t value =
      at<uint32_t>(services_.toHost(where, rest)).load(std::memory_order_acquire) & dword(4);
  const uint32_t reference = dword(3);
  bool met = true;
  switch (header >> 28 & 7) {
  case 0:
    break;
  case 1:
    met = value < reference;
    break;
  case 2:
    met = value <= reference;
    break;
  case 3:
    met = value == reference;
    break;
  case 4:
    met = value != reference;
    break;
  case 5:
    met = value >= reference;
    break;
  case 6:
    met = value > reference;
    break;
  default:
    return halt("SDMA poll with the unknown function 7");
  }
  if (!met)
    return Step::blocked;
  clock_.waitedForValue(where);
  return consume(6);
}

Step SdmaProcessor::atomic() {
  const uint32_t operation = dword(0) >> 25;
  const uint64_t where = address(1), operand = address(3), compare = address(5);
  if (!services_.accessible(where, 8))
    return fault(where);
  if (where % 8)
    return halt("SDMA atomic at the misaligned address " + hex(where));
  uint64_t rest;
  const uint64_t host = services_.toHost(where, rest);
  switch (operation) {
  case add64:
    at<uint64_t>(host).fetch_add(operand, std::memory_order_acq_rel);
    break;
  case sub64:
    at<uint64_t>(host).fetch_sub(operand, std::memory_order_acq_rel);
    break;
  case swap64:
    at<uint64_t>(host).exchange(operand, std::memory_order_acq_rel);
    break;
  case cmpswap64: {
    uint64_t expected = compare;
    at<uint64_t>(host).compare_exchange_strong(expected, operand, std::memory_order_acq_rel);
    break;
  }
  case add32:
    at<uint32_t>(host).fetch_add(static_cast<uint32_t>(operand), std::memory_order_acq_rel);
    break;
  default:
    return halt("SDMA atomic with the unsupported operation " + std::to_string(operation));
  }
  Activity::instance().announce();
  return consume(8);
}

Step SdmaProcessor::fill() {
  const unsigned size = dword(0) >> 30; // log2 of the pattern's bytes
  if (size > 2)
    return halt("SDMA fill with patterns of 2^" + std::to_string(size) + " bytes");
  const uint64_t to = address(1);
  const uint32_t pattern = dword(3);
  // The count is bytes - 1, or bytes - 4 for dwords: both round to the same whole number of
  // patterns.
  const uint64_t unit = 1ull << size;
  const uint64_t bytes = ((dword(4) & 0x3fffffff) & ~(unit - 1)) + unit;
  if (!services_.accessible(to, bytes))
    return fault(to);
  ProgramMemory accessed;
  uint64_t done = 0;
  eachPiece(to, bytes, true, [&](uint64_t host, uint64_t n) {
    auto *out = reinterpret_cast<uint8_t *>(host);
    if (size == 2 && host % 4 == 0 && done % 4 == 0 && n % 4 == 0) {
      std::fill_n(reinterpret_cast<uint32_t *>(out), n / 4, pattern);
      done += n;
      return;
    }
    for (uint64_t i = 0; i < n; ++i, ++done)
      out[i] = static_cast<uint8_t>(pattern >> 8 * (done % unit));
  });
  clock_.moved(bytes);
  return consume(5);
}

Step SdmaProcessor::halt(const std::string &message) {
  halted_ = true;
  say(message);
  return Step::halted;
}

Step SdmaProcessor::fault(uint64_t address) {
  services_.memoryFault(address, true, false);
  return halt("SDMA packet " + hex(dword(0)) + " touches the unmapped address " + hex(address));
}

} // namespace meld::softgpu
