#include "runtime/softgpu/verify/verification.h"

#include "runtime/softgpu/verify/compare.h"
#include "runtime/softgpu/verify/mappers.h"
#include "runtime/softgpu/verify/results.h"
#include "runtime/softgpu/verify/save.h"
#include "runtime/softgpu/verify/turns.h"

#include <cstring>
#include <memory>
#include <set>
#include <unistd.h>

namespace meld::softgpu::verify {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char *kWaits = "it waits for the host or for another dispatch";
constexpr uint64_t kMostPages = (1ull << 30) / kPage;

/// The copies that one verified dispatch needs. Kept: address space is cheap, making it is not.
struct Copies {
  PageStore before, other;
  bool open() { return before.open() && other.open(); }
};

/// What outlives a dispatch.
class State {
public:
  std::unique_ptr<Copies> take() {
    std::lock_guard lock(mutex_);
    if (spare_.empty())
      return std::make_unique<Copies>();
    auto copies = std::move(spare_.back());
    spare_.pop_back();
    return copies;
  }
  void giveBack(std::unique_ptr<Copies> copies) {
    copies->before.clear();
    copies->other.clear();
    std::lock_guard lock(mutex_);
    spare_.push_back(std::move(copies));
  }
  /// Kernels that wait for something outside of their dispatch. By name: addresses are used again.
  void waits(const std::string &kernel) {
    std::lock_guard lock(mutex_);
    waiting_.insert(kernel);
  }
  bool isWaiting(const std::string &kernel) {
    std::lock_guard lock(mutex_);
    return waiting_.contains(kernel);
  }

private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Copies>> spare_;
  std::set<std::string> waiting_;
};

State &state() {
  static auto *s = new State; // queues may outlive static objects
  return *s;
}

enum class Ending : uint8_t { normal, failed, tooLong, calledHost, incomplete, cancelled };

struct BesideRun {
  Ending ending = Ending::normal;
  std::string message;
};

/// One kernel's dispatch under verification.
class Verification {
public:
  Verification(const Subject &subject, const KernelPair &pair, const Run &inPlace,
               const Run &beside)
      : s_(subject), pair_(pair), inPlace_(inPlace), beside_(beside),
        number_(results().dispatched(subject.launch.kernel)) {}

  DispatchResult run(Turns::Turn &turn);
  DispatchResult runAlone(const std::string &why) {
    skip(why);
    return inPlace_(s_.request, s_.mapper);
  }

private:
  DispatchResult runOriginal(Copies &copies, std::string &problem);
  BesideRun runBeside(Copies &copies, uint64_t descriptor, const ObjectPair *object, bool reversed);
  void judge(Copies &copies, const DispatchResult &original, const Turns::Turn &turn);
  enum class Repeat : uint8_t { same, different, endless, cancelled };
  Repeat repeat(Copies &copies);
  void tell(Copies &copies, const DispatchResult &original, const BesideRun &run,
            const Comparison &comparison);
  ReportedWord describe(const DifferentWord &word) const;
  void skip(const std::string &why) { results().notVerified(s_.launch.kernel, why); }

  const Subject &s_;
  const KernelPair &pair_;
  const Run &inPlace_, &beside_;
  const uint64_t number_;
  uint64_t maxInstructions_ = 0;
  std::chrono::milliseconds maxTime_{0};
};

DispatchResult Verification::run(Turns::Turn &turn) {
  if (!pair_.object->refused.empty() || !pair_.replacement)
    return runAlone(pair_.object->refused.empty() ? "the replacement has no such kernel"
                                                  : pair_.object->refused);
  auto copies = state().take();
  if (!copies->open())
    return runAlone("the process may not have the address space");
  std::string problem;
  const DispatchResult original = runOriginal(*copies, problem);
  turn.originalEnded();
  if (original.code == DispatchCode::cancelled)
    return original;
  if (original.code != DispatchCode::ok)
    problem = "the original failed";
  if (problem.empty())
    judge(*copies, original, turn);
  else
    skip(problem);
  state().giveBack(std::move(copies));
  return original;
}

DispatchResult Verification::runOriginal(Copies &copies, std::string &problem) {
  std::atomic<bool> calledHost{false};
  DispatchRequest request = s_.request;
  if (s_.request.interrupt)
    request.interrupt = [&](uint32_t event) {
      calledHost.store(true, std::memory_order_relaxed);
      s_.request.interrupt(event);
    };
  Journal journal(s_.mapper, copies.before, kMostPages);
  const auto start = Clock::now();
  const DispatchResult result = inPlace_(request, &journal);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
  maxInstructions_ = 16 * result.counters.total() + 1'000'000;
  maxTime_ = std::chrono::seconds(5) + 30 * took;
  if (calledHost.load(std::memory_order_relaxed))
    problem = "it calls the host while it runs (printf, malloc or assert)";
  else if (!journal.complete())
    problem = "it writes too much";
  return result;
}

BesideRun Verification::runBeside(Copies &copies, uint64_t descriptor, const ObjectPair *object,
                                  bool reversed) {
  copies.other.clear();
  AqlPacket packet;
  std::memcpy(&packet, s_.request.packet, sizeof(packet));
  packet.kernelObject = descriptor;
  std::atomic<bool> calledHost{false}, incomplete{false}, giveUp{false};
  DispatchRequest request = s_.request;
  request.packet = &packet;
  request.interrupt = [&](uint32_t) {
    calledHost.store(true, std::memory_order_relaxed);
    giveUp.store(true, std::memory_order_relaxed);
  };
  request.giveUp = &giveUp;
  request.maxInstructions = maxInstructions_;
  request.maxTime = maxTime_;
  request.reversed = reversed;
  Overlay overlay(s_.mapper, copies.before, copies.other, object, kMostPages, incomplete);
  const DispatchResult result = beside_(request, &overlay);
  if (s_.request.cancel && s_.request.cancel->load(std::memory_order_relaxed))
    return {Ending::cancelled, {}};
  if (incomplete.load(std::memory_order_relaxed))
    return {Ending::incomplete, {}};
  if (calledHost.load(std::memory_order_relaxed))
    return {Ending::calledHost, "it calls the host (printf, malloc or assert)"};
  if (result.code == DispatchCode::cancelled)
    return {Ending::tooLong,
            "it has not ended after " + std::to_string(result.counters.total()) + " instructions"};
  if (result.code != DispatchCode::ok)
    return {Ending::failed, result.message};
  return {};
}

/// The original once more, twice, against its own first run.
Verification::Repeat Verification::repeat(Copies &copies) {
  for (const bool reversed : {false, true}) {
    const BesideRun again = runBeside(copies, pair_.original, nullptr, reversed);
    switch (again.ending) {
    case Ending::cancelled:
      return Repeat::cancelled;
    case Ending::normal:
      if (!compare(copies.before, copies.other, nullptr).equal())
        return Repeat::different;
      break;
    default:
      if (!reversed) // in reverse order even a right kernel may wait for one that has not begun
        return Repeat::endless;
    }
  }
  return Repeat::same;
}

void Verification::judge(Copies &copies, const DispatchResult &original, const Turns::Turn &turn) {
  const BesideRun run = runBeside(copies, pair_.replacement, pair_.object.get(), false);
  if (run.ending == Ending::cancelled)
    return;
  if (run.ending == Ending::incomplete)
    return skip("it writes too much");
  Comparison comparison;
  if (run.ending == Ending::normal) {
    comparison = compare(copies.before, copies.other, pair_.object.get());
    if (comparison.equal())
      return results().equal(s_.launch.kernel);
  }
  switch (repeat(copies)) {
  case Repeat::cancelled:
    return;
  case Repeat::endless:
    state().waits(s_.launch.kernel); // the next dispatch need not find out
    return skip(kWaits);
  case Repeat::different:
    return results().notRepeatable(s_.launch.kernel);
  case Repeat::same:
    break;
  }
  if (turn.overlapped())
    return skip("another dispatch ran at the same time");
  tell(copies, original, run, comparison);
}

ReportedWord Verification::describe(const DifferentWord &word) const {
  ReportedWord w;
  w.address = word.address;
  w.original = word.original;
  w.replacement = word.other;
  if (s_.mapper)
    for (const MemoryRange &r : s_.mapper->ranges())
      if (word.address - r.host < r.size) {
        w.address = r.address + (word.address - r.host);
        w.allocation = r.address;
        w.size = r.size;
        w.offset = w.address - r.address;
        break;
      }
  if (const auto own = allocationAt(w.address)) {
    w.allocation = own->address;
    w.size = own->size;
    w.offset = w.address - own->address;
  }
  if (const Symbol *variable = pair_.object->variableAt(w.address))
    w.variable = variable->name;
  return w;
}

void Verification::tell(Copies &copies, const DispatchResult &original, const BesideRun &run,
                        const Comparison &comparison) {
  Difference d;
  d.kernel = s_.launch.kernel;
  d.device = s_.launch.device;
  d.dispatch = number_;
  d.bytes = comparison.bytesDifferent;
  if (run.ending != Ending::normal)
    d.what = "the original ended (" + std::to_string(original.counters.total()) +
             " instructions), the replacement did not: " + run.message;
  else
    d.what = std::to_string(comparison.bytesDifferent) + " of " +
             std::to_string(comparison.bytesWritten) + " bytes written differ";
  for (const DifferentWord &word : comparison.first)
    d.words.push_back(describe(word));
  // They are large, and the first difference of a kernel is the one to look at.
  if (const std::string to = folder(); !to.empty() && !results().differences(d.kernel))
    d.captures = save({s_.request, s_.launch, s_.config, s_.mapper, original, copies.before, pair_},
                      to + "/" + kernelFileName(d.kernel) + "-" + std::to_string(number_) + "-" +
                          std::to_string(getpid()));
  results().different(std::move(d));
}

} // namespace

DispatchResult runVerified(const Subject &subject, const Run &inPlace, const Run &beside) {
  const std::optional<KernelPair> pair = find(subject.launch.descriptor);
  if (state().isWaiting(subject.launch.kernel)) {
    if (pair)
      return Verification(subject, *pair, inPlace, beside).runAlone(kWaits);
    return inPlace(subject.request, subject.mapper);
  }
  Turns::Turn turn(Turns::instance());
  DispatchResult result;
  if (pair) {
    result = Verification(subject, *pair, inPlace, beside).run(turn);
  } else {
    result = inPlace(subject.request, subject.mapper);
  }
  turn.originalEnded();
  if (turn.heldUp())
    state().waits(subject.launch.kernel);
  return result;
}

} // namespace meld::softgpu::verify
