#include "runtime/softgpu/verify/verification.h"

#include "runtime/softgpu/verify/compare.h"
#include "runtime/softgpu/verify/mappers.h"
#include "runtime/softgpu/verify/results.h"
#include "runtime/softgpu/verify/save.h"
#include "runtime/softgpu/verify/turns.h"

#include <algorithm>
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

/// What is compared with the original in one dispatch.
struct Version {
  KernelPair pair;
  Judged judged;
  uint64_t number = 0;  ///< the dispatch's
  AqlPacket packet{};   ///< with which it is launched
  std::string why = {}; ///< it is not compared
};

enum class Repeat : uint8_t { same, different, endless, cancelled };

/// One kernel's dispatch under verification.
class Verification {
public:
  Verification(const Subject &subject, const std::vector<KernelPair> &pairs, const Run &inPlace,
               const Run &beside)
      : s_(subject), inPlace_(inPlace), beside_(beside) {
    for (const KernelPair &pair : pairs) {
      const Judged judged{subject.launch.kernel, pair.object->facts};
      versions_.push_back({pair, judged, results().dispatched(judged)});
      prepare(versions_.back());
    }
  }

  DispatchResult run(Turns::Turn &turn);
  DispatchResult runAlone(const std::string &why) {
    skip(why);
    return inPlace_(s_.request, s_.mapper);
  }

private:
  AqlPacket packet() const;
  void prepare(Version &version) const;
  DispatchResult runOriginal(Copies &copies, std::string &problem);
  BesideRun runBeside(Copies &copies, const AqlPacket &packet, const ObjectPair *object,
                      bool reversed);
  bool judge(const Version &version, Copies &copies, const DispatchResult &original,
             const Turns::Turn &turn);
  Repeat repeat(Copies &copies);
  void tell(const Version &version, Copies &copies, const DispatchResult &original,
            const BesideRun &run, const Comparison &comparison);
  ReportedWord describe(const DifferentWord &word, const ObjectPair &object) const;
  /// Those that could be compared have `why`.
  void skip(const std::string &why) const {
    for (const Version &version : versions_)
      results().notVerified(version.judged, version.why.empty() ? why : version.why);
  }

  const Subject &s_;
  const Run &inPlace_, &beside_;
  std::vector<Version> versions_;
  uint64_t maxInstructions_ = 0;
  std::chrono::milliseconds maxTime_{0};
};

/// The application's.
AqlPacket Verification::packet() const {
  AqlPacket packet;
  std::memcpy(&packet, s_.request.packet, sizeof(packet));
  return packet;
}

void Verification::prepare(Version &version) const {
  const KernelPair &pair = version.pair;
  version.packet = packet();
  version.why = pair.object->refused;
  if (version.why.empty() && !pair.replacement)
    version.why = "the replacement has no such kernel";
  if (version.why.empty())
    version.why = pair.object->prepare(version.packet, s_.mapper);
  version.packet.kernelObject = pair.replacement;
}

DispatchResult Verification::run(Turns::Turn &turn) {
  if (std::ranges::none_of(versions_, [](const Version &v) { return v.why.empty(); }))
    return runAlone({});
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
  if (!problem.empty())
    skip(problem);
  for (const Version &version : versions_) {
    if (!problem.empty())
      break;
    if (!version.why.empty())
      results().notVerified(version.judged, version.why);
    else if (!judge(version, *copies, original, turn))
      break;
  }
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

BesideRun Verification::runBeside(Copies &copies, const AqlPacket &packet, const ObjectPair *object,
                                  bool reversed) {
  copies.other.clear();
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
Repeat Verification::repeat(Copies &copies) {
  for (const bool reversed : {false, true}) {
    const BesideRun again = runBeside(copies, packet(), nullptr, reversed);
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

/// False: the dispatch was cancelled.
bool Verification::judge(const Version &version, Copies &copies, const DispatchResult &original,
                         const Turns::Turn &turn) {
  const ObjectPair &object = *version.pair.object;
  const auto skipThis = [&](const char *why) {
    results().notVerified(version.judged, why);
    return true;
  };
  const BesideRun run = runBeside(copies, version.packet, &object, false);
  if (run.ending == Ending::cancelled)
    return false;
  if (run.ending == Ending::incomplete)
    return skipThis("it writes too much");
  Comparison comparison;
  if (run.ending == Ending::normal) {
    comparison = compare(copies.before, copies.other, &object);
    if (comparison.equal()) {
      results().equal(version.judged);
      return true;
    }
  }
  switch (repeat(copies)) {
  case Repeat::cancelled:
    return false;
  case Repeat::endless:
    state().waits(s_.launch.kernel); // the next dispatch need not find out
    return skipThis(kWaits);
  case Repeat::different:
    results().notRepeatable(version.judged);
    return true;
  case Repeat::same:
    break;
  }
  if (turn.overlapped())
    return skipThis("another dispatch ran at the same time");
  tell(version, copies, original, run, comparison);
  return true;
}

ReportedWord Verification::describe(const DifferentWord &word, const ObjectPair &object) const {
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
  if (const Symbol *variable = object.variableAt(w.address))
    w.variable = variable->name;
  return w;
}

void Verification::tell(const Version &version, Copies &copies, const DispatchResult &original,
                        const BesideRun &run, const Comparison &comparison) {
  Difference d;
  d.judged = version.judged;
  d.device = s_.launch.device;
  d.dispatch = version.number;
  d.bytes = comparison.bytesDifferent;
  if (run.ending != Ending::normal)
    d.what = "the original ended (" + std::to_string(original.counters.total()) +
             " instructions), the replacement did not: " + run.message;
  else
    d.what = std::to_string(comparison.bytesDifferent) + " of " +
             std::to_string(comparison.bytesWritten) + " bytes written differ";
  for (const DifferentWord &word : comparison.first)
    d.words.push_back(describe(word, *version.pair.object));
  // They are large, and the first difference of a kernel is the one to look at.
  if (const std::string to = folder(); !to.empty() && !results().differences(d.judged)) {
    std::string stem = to + "/" + kernelFileName(d.judged.kernel) + "-" +
                       std::to_string(version.number) + "-" + std::to_string(getpid());
    if (versions_.size() > 1)
      stem += "-" + std::to_string(&version - versions_.data() + 1);
    d.captures = save({s_.request, s_.launch, s_.config, s_.mapper, original, copies.before,
                       version.pair, version.packet},
                      stem);
  }
  results().different(std::move(d));
}

} // namespace

DispatchResult runVerified(const Subject &subject, const Run &inPlace, const Run &beside) {
  const std::vector<KernelPair> pairs = find(subject.launch.descriptor);
  if (state().isWaiting(subject.launch.kernel)) {
    if (!pairs.empty())
      return Verification(subject, pairs, inPlace, beside).runAlone(kWaits);
    return inPlace(subject.request, subject.mapper);
  }
  Turns::Turn turn(Turns::instance());
  DispatchResult result;
  if (!pairs.empty()) {
    result = Verification(subject, pairs, inPlace, beside).run(turn);
  } else {
    result = inPlace(subject.request, subject.mapper);
  }
  turn.originalEnded();
  if (turn.heldUp())
    state().waits(subject.launch.kernel);
  return result;
}

} // namespace meld::softgpu::verify
