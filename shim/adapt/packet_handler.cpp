#include "shim/adapt/packet_handler.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <hsa/amd_hsa_signal.h>
#include <new>
#include <sched.h>
#include <unistd.h>

namespace meld::adapt {

namespace {

constexpr uint64_t kPatience = 2'000'000'000;       // nanoseconds
constexpr uint64_t kLongPatience = 120'000'000'000; // nanoseconds, for compiles

unsigned typeOf(const Packet &packet) { return packet.bytes[0]; }

bool hasBarrierBit(const Packet &packet) {
  uint16_t header;
  std::memcpy(&header, packet.bytes.data(), sizeof header);
  return header >> HSA_PACKET_HEADER_BARRIER & 1;
}

/// Dispatches and barriers have it at the same place.
hsa_signal_t completionOf(const Packet &packet) {
  hsa_signal_t signal;
  std::memcpy(&signal, packet.bytes.data() + 56, sizeof signal);
  return signal;
}
void setCompletion(Packet &packet, hsa_signal_t signal) {
  std::memcpy(packet.bytes.data() + 56, &signal, sizeof signal);
}

bool isBarrier(const Packet &packet) {
  return typeOf(packet) == HSA_PACKET_TYPE_BARRIER_AND ||
         typeOf(packet) == HSA_PACKET_TYPE_BARRIER_OR;
}
bool mayCarryFence(const Packet &packet) {
  return (typeOf(packet) == HSA_PACKET_TYPE_KERNEL_DISPATCH || isBarrier(packet)) &&
         !completionOf(packet).handle;
}

/// So many places as packets may take with their fences.
uint64_t fenced(uint64_t count) { return count + count / 8 + 4; }

uint64_t now() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}

} // namespace

LaunchShape shapeOf(const hsa_kernel_dispatch_packet_t &packet) noexcept {
  return {{packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z},
          {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z},
          0};
}

void PacketHandler::begin(const Queue &queue) noexcept {
  queue_ = queue;
  sent_ = done_ = lastFence_ = lastAll_ = 0;
  lastVariant_ = choosing_ = complete_ = 0;
  kernargs_.begin(queue.askForMemory);
  firstFence_ = nextFence_ = 0;
  firstTimer_ = nextTimer_ = 0;
  patient_ = true;
  patience_ = kPatience;
  if (const uint64_t most = fenced(queue.ring); most > most_) {
    many_.reset(new (std::nothrow) Packet[most]);
    most_ = many_ ? most : 0;
  }
}

void PacketHandler::end() noexcept {
  for (; firstTimer_ != nextTimer_; ++firstTimer_)
    queue_.table->untimed(timings_[firstTimer_ % kTimers]);
}

void PacketHandler::handle(const void *packets, uint64_t count, Writer write) noexcept {
  makeRoom(fenced(count));
  harvest();
  std::array<Packet, 3 * kBatch> few;
  Batch batch{few.data(), few.size()};
  if (count > kBatch)
    batch = {many_.get(), most_};
  if (count > batch.most) { // no memory, or more than a ring holds
    sent_ += count;
    write(packets, count);
    return;
  }
  copy(static_cast<const uint8_t *>(packets), count, batch);
  sent_ += batch.count;
  write(batch.packets, batch.count);
}

/// With fences, and with what is chosen.
void PacketHandler::copy(const uint8_t *from, uint64_t count, Batch &batch) {
  const bool rewrites = count <= kBatch;
  for (uint64_t i = 0; i < count; ++i, from += sizeof(Packet)) {
    Packet packet;
    std::memcpy(&packet, from, sizeof packet);
    const uint64_t others = count - i; // they have their places
    if (isBarrier(packet) && lastVariant_.load(std::memory_order_relaxed) > lastAll_ &&
        batch.count + others < batch.most)
      fence(batch, nullptr);
    Packet &out = batch.packets[batch.count++];
    out = packet;
    if (typeOf(out) == HSA_PACKET_TYPE_KERNEL_DISPATCH && rewrites && !queue_.table->empty())
      rewrite(out, after(batch));
    if (fenceIsDue(batch) && (mayCarryFence(out) || batch.count + others <= batch.most))
      fence(batch, mayCarryFence(out) ? &out : nullptr);
  }
}

void PacketHandler::rewrite(Packet &packet, uint64_t number) {
  hsa_kernel_dispatch_packet_t p;
  std::memcpy(&p, packet.bytes.data(), sizeof p);
  KernelState *state = queue_.table->find(p.kernel_object);
  if (!state)
    return;
  if (queue_.waitForTimes)
    awaitTimes();
  Dispatch dispatch;
  dispatch.object = p.kernel_object;
  dispatch.shape = shapeOf(p);
  dispatch.privateSegment = p.private_segment_size;
  dispatch.groupSegment = p.group_segment_size;
  if (KernelTable::looksAtArguments(*state)) {
    dispatch.arguments = p.kernarg_address;
    dispatch.readable = kernargs_.readable(p.kernarg_address);
  }
  const auto free = static_cast<unsigned>(kTimers - (nextTimer_ - firstTimer_));
  // Versions that earlier runs have asked for are made since the kernel was loaded.
  if (queue_.waitForVersions)
    awaitVersions(p.kernel_object);
  // Before the choice: who takes a variant away afterwards knows of this packet.
  choosing_.store(number, std::memory_order_seq_cst);
  const Choice choice =
      queue_.table->choose(*state, dispatch, p.completion_signal.handle ? 0 : free);
  if (choice.variant)
    lastVariant_.store(number, std::memory_order_release);
  choosing_.store(0, std::memory_order_release);
  if (choice.wanted) {
    queue_.table->wake();
    if (queue_.waitForVersions)
      awaitVersions(p.kernel_object);
  }
  if (choice.timed) {
    const unsigned timer = nextTimer_++ % kTimers;
    timings_[timer] = choice.timing;
    // What an earlier launch has left there is not this one's, also where the queue's profiling was
    // switched off.
    auto *raw = reinterpret_cast<amd_signal_t *>(signals_.timers[timer].handle);
    raw->start_ts = raw->end_ts = 0;
    signals_.store(signals_.timers[timer], 1);
    p.completion_signal = signals_.timers[timer];
  }
  if (choice.variant) {
    p.kernel_object = dispatch.object;
    p.group_segment_size = dispatch.groupSegment;
    p.private_segment_size = dispatch.privateSegment;
  }
  std::memcpy(packet.bytes.data(), &p, sizeof p);
}

uint64_t PacketHandler::lastVariant() const {
  // In this order: the choice is over when its packet's number is the last variant's.
  const uint64_t choosing = choosing_.load(std::memory_order_seq_cst);
  return std::max(choosing, lastVariant_.load(std::memory_order_acquire));
}

// ---- fences

bool PacketHandler::fenceIsDue(const Batch &batch) const {
  return after(batch) - lastFence_ >= std::max(queue_.ring / 16, 1u);
}

/// Puts a fence into `carrier`, the batch's last packet, or into a barrier packet of its own.
void PacketHandler::fence(Batch &batch, Packet *carrier) {
  const uint64_t next = nextFence_.load(std::memory_order_relaxed);
  if (next - firstFence_.load(std::memory_order_relaxed) >= kFences ||
      (!carrier && batch.count == batch.most))
    return;
  if (!carrier) {
    hsa_barrier_and_packet_t barrier{};
    barrier.header = HSA_PACKET_TYPE_BARRIER_AND | 1u << HSA_PACKET_HEADER_BARRIER;
    carrier = &batch.packets[batch.count++];
    std::memcpy(carrier->bytes.data(), &barrier, sizeof barrier);
  }
  const hsa_signal_t signal = signals_.fences[next % kFences];
  signals_.store(signal, 1);
  setCompletion(*carrier, signal);
  Fence &fence = fences_[next % kFences];
  const bool all = hasBarrierBit(*carrier);
  fence.packet.store(after(batch), std::memory_order_relaxed);
  fence.all.store(all, std::memory_order_relaxed);
  nextFence_.store(next + 1, std::memory_order_release);
  lastFence_ = after(batch);
  if (all)
    lastAll_ = lastFence_;
}

void PacketHandler::retire() {
  const uint64_t next = nextFence_.load(std::memory_order_relaxed);
  for (uint64_t first = firstFence_.load(std::memory_order_relaxed); first != next; ++first) {
    const Fence &fence = fences_[first % kFences];
    if (signals_.load(signals_.fences[first % kFences]) > 0)
      return;
    done_ = fence.packet.load(std::memory_order_relaxed);
    if (fence.all.load(std::memory_order_relaxed))
      complete_.store(done_, std::memory_order_release);
    firstFence_.store(first + 1, std::memory_order_release);
  }
}

/// For who unloads code: from another thread than handle()'s, so it only reads. A signal that is
/// used again meanwhile says "not yet", never "complete" too early: its place moves on first.
uint64_t PacketHandler::complete() noexcept {
  uint64_t known = complete_.load(std::memory_order_acquire);
  const uint64_t next = nextFence_.load(std::memory_order_acquire);
  for (uint64_t at = firstFence_.load(std::memory_order_acquire); at < next; ++at) {
    const Fence &fence = fences_[at % kFences];
    const uint64_t packet = fence.packet.load(std::memory_order_relaxed);
    const bool all = fence.all.load(std::memory_order_relaxed);
    const bool reached = signals_.load(signals_.fences[at % kFences]) <= 0;
    if (!reached || firstFence_.load(std::memory_order_acquire) > at)
      break;
    if (all)
      known = std::max(known, packet);
  }
  return known;
}

void PacketHandler::makeRoom(uint64_t count) {
  const uint64_t most = queue_.ring - queue_.ring / 4;
  auto full = [&] { return sent_ - done_ + count > most; };
  if (sent_ - done_ + count > queue_.ring / 2)
    retire();
  while (full() && firstFence_.load(std::memory_order_relaxed) !=
                       nextFence_.load(std::memory_order_relaxed)) {
    ::sched_yield();
    retire();
  }
}

// ---- times

void PacketHandler::harvest() {
  for (; firstTimer_ != nextTimer_; ++firstTimer_) {
    const hsa_signal_t signal = signals_.timers[firstTimer_ % kTimers];
    // The device's ticks as they are: no lock, no other clock. What ROCr loads is loaded here once more:
    // this reads the times, so this is what they have to be written before.
    const auto *raw = reinterpret_cast<const amd_signal_t *>(signal.handle);
    if (signals_.load(signal) > 0 || __atomic_load_n(&raw->value, __ATOMIC_ACQUIRE) > 0)
      return;
    const double ticks =
        raw->end_ts > raw->start_ts && raw->start_ts ? double(raw->end_ts - raw->start_ts) : 0;
    if (!queue_.table->timed(timings_[firstTimer_ % kTimers], ticks * queue_.nanosecondsPerTick))
      return;
  }
}

void PacketHandler::awaitTimes() {
  harvest();
  if (firstTimer_ == nextTimer_) {
    patient_ = true;
    return;
  }
  // A stream may be blocked until this very thread goes on, and again and again: in all that is
  // waited for in vain for twice kPatience at most.
  if (!patient_)
    return;
  for (const uint64_t start = now(); patient_ && firstTimer_ != nextTimer_; harvest()) {
    patient_ = now() - start < patience_;
    ::sched_yield();
  }
  if (!patient_)
    patience_ /= 2;
}

/// The launches that follow have the same choice in every run.
void PacketHandler::awaitVersions(uint64_t object) {
  for (const uint64_t start = now(); !queue_.table->settled(object);) {
    if (now() - start > kLongPatience)
      return;
    ::usleep(200);
  }
}

} // namespace meld::adapt
