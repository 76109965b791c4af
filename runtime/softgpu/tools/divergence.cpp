#include "runtime/softgpu/tools/divergence.h"

#include "runtime/softgpu/isa/decoder.h"
#include "runtime/softgpu/timing/parameters.h"
#include "runtime/softgpu/tools/flow_graph.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace meld::softgpu {

namespace {

using Rates = std::unordered_map<std::string_view, isa::ValuRate>;

/// By the names that the target's assembler knows.
Rates ratesOf(isa::Target target) {
  Rates all;
  for (size_t op = 1; op < size_t(isa::Op::count); ++op)
    if (const auto name = isa::mnemonic(isa::Op(op), target); name.starts_with("v_"))
      all.emplace(name, isa::valuRate(isa::Op(op)));
  return all;
}

isa::ValuRate rateOf(std::string_view text, isa::Target target) {
  static const auto tables = [] {
    std::array<Rates, std::size(isa::kTargets)> all;
    for (isa::Target each : isa::kTargets)
      all[size_t(each)] = ratesOf(each);
    return all;
  }();
  const Rates &rates = tables[size_t(target)];
  std::string_view name = text.substr(0, text.find(' '));
  for (std::string_view encoding : {"_e32", "_e64_dpp", "_e64", "_sdwa", "_dpp8", "_dpp"})
    if (name.ends_with(encoding)) {
      name.remove_suffix(encoding.size());
      break;
    }
  const auto rate = rates.find(name);
  return rate == rates.end() ? isa::ValuRate::full : rate->second;
}

uint64_t lostOf(const InstProfile &i) {
  uint64_t sum = 0;
  for (const auto &[cause, lanes] : i.lost)
    sum += lanes;
  return sum;
}

class Analysis {
public:
  Analysis(const KernelProfile &kernel, const LineOf &lineOf)
      : kernel_(kernel), lineOf_(lineOf), graph_(kernel), conditions_(kernel, graph_, lineOf) {}

  KernelDivergence run() {
    out_.kernel = kernel_.kernel;
    out_.device = isa::targetName(kernel_.device);
    out_.deviceIndex = kernel_.deviceIndex;
    out_.replaced = kernel_.replaced;
    out_.dispatches = kernel_.dispatches;
    out_.waves = kernel_.waves;
    out_.waveSize = kernel_.waveSize;
    for (const auto &[offset, i] : kernel_.instructions)
      if (i.vector)
        count(offset, i);
    for (auto &[where, counts] : lines_)
      out_.lines.push_back({{where.first, where.second}, counts});
    for (auto &[key, point] : points_)
      out_.points.push_back(finish(point));
    std::ranges::stable_sort(out_.points, [](const PartingPoint &a, const PartingPoint &b) {
      return a.lostLaneCycles > b.lostLaneCycles;
    });
    return std::move(out_);
  }

private:
  using Where = std::pair<std::string, uint32_t>;
  struct Point {
    std::map<int64_t, uint64_t> lostBy; ///< by parting instruction
    std::map<Where, SlotCounts> lines;
    PartingPoint sum;
  };

  static Where whereOf(const SourceLine *line) {
    return line ? Where(line->file, line->line) : Where();
  }

  void count(int64_t offset, const InstProfile &i) {
    const uint64_t lost = lostOf(i), cost = issueCycles(i, kernel_.device, kernel_.waveSize);
    const uint64_t ofLane = cost * (64 / kernel_.waveSize);
    const SlotCounts counts{i.executions, i.lanes, lost, cost * i.executions, ofLane * lost};
    const Where where = whereOf(lineOf_(offset));
    out_.hasLines = out_.hasLines || where.second;
    out_.all.add(counts);
    const uint64_t slots = kernel_.waveSize * i.executions;
    out_.empty += slots - std::min(slots, i.lanes + lost);
    lines_[where].add(counts);
    for (const auto &[cause, lanes] : i.lost) {
      Point &point = pointOf(cause);
      const SlotCounts part{i.executions, 0, lanes, 0, ofLane * lanes};
      point.lostBy[cause] += lanes;
      point.lines[where].add(part);
      point.sum.lost += lanes;
      point.sum.lostLaneCycles += ofLane * lanes;
      point.sum.ended += i.converged == i.executions ? lanes : 0;
    }
  }

  Point &pointOf(int64_t cause) {
    const auto known = lineOfCause_.try_emplace(cause, nullptr);
    if (known.second)
      known.first->second = conditions_.of(cause, loopLeft(cause));
    const SourceLine *line = known.first->second;
    const Where where = whereOf(line);
    // Several instructions of one line are one branch for people: what && and unrolling made.
    Point &point = points_[{where, line ? 0 : cause}];
    if (line)
      point.sum.where = *line;
    return point;
  }

  /// The loop that lanes leave at `offset` while others stay in it: its block ends with a branch on
  /// EXEC, one way of which leads out.
  size_t loopLeft(int64_t offset) const {
    const size_t b = graph_.blockAt(offset);
    if (b == graph_.blocks().size() || graph_.blocks()[b].loop == kNoLoop)
      return kNoLoop;
    const FlowBlock &block = graph_.blocks()[b];
    if (!kernel_.instructions.at(block.offsets.back()).text.starts_with("s_cbranch_exec"))
      return kNoLoop;
    const bool leaves = std::ranges::any_of(block.out, [&](size_t e) {
      return !graph_.loops()[block.loop].contains(graph_.edges()[e].to);
    });
    return leaves ? block.loop : kNoLoop;
  }

  PartingPoint finish(Point &point) {
    PartingPoint out = std::move(point.sum);
    for (const auto &[offset, lost] : point.lostBy) {
      const auto i = kernel_.instructions.find(offset);
      if (i == kernel_.instructions.end())
        out.partings.push_back({offset, "", 0, 0, lost});
      else
        out.partings.push_back(
            {offset, i->second.text, i->second.executions, i->second.parted, lost});
    }
    std::ranges::stable_sort(out.partings,
                             [](const Parting &a, const Parting &b) { return a.lost > b.lost; });
    for (const Parting &parting : out.partings)
      if (const size_t left = loopLeft(parting.offset); left != kNoLoop && !out.trips) {
        const FlowLoop &loop = graph_.loops()[left];
        out.isLoop = true;
        out.trips = LoopTrips{graph_.blocks()[loop.header].offsets.front(),
                              loop.depth,
                              loop.entries,
                              loop.rounds,
                              loop.laneEntries,
                              loop.laneRounds};
      }
    for (const auto &[where, counts] : point.lines)
      out.lines.push_back({{where.first, where.second}, counts});
    std::ranges::stable_sort(out.lines, [](const LineCounts &a, const LineCounts &b) {
      return a.counts.lostLaneCycles > b.counts.lostLaneCycles;
    });
    return out;
  }

  const KernelProfile &kernel_;
  const LineOf &lineOf_;
  const FlowGraph graph_;
  const ConditionLines conditions_;
  std::map<int64_t, const SourceLine *> lineOfCause_;
  KernelDivergence out_;
  std::map<Where, SlotCounts> lines_;
  std::map<std::pair<Where, int64_t>, Point> points_;
};

} // namespace

void SlotCounts::add(const SlotCounts &other) {
  executions += other.executions;
  lanes += other.lanes;
  lost += other.lost;
  cycles += other.cycles;
  lostLaneCycles += other.lostLaneCycles;
}

uint32_t issueCycles(const InstProfile &i, isa::Target target, unsigned waveSize) {
  if (!i.vector)
    return 0;
  const TimingParameters p = TimingParameters::of(target);
  // From GFX10 on the parameters are those of a wave of 32.
  const uint32_t passes = isa::traitsOf(target).generation >= 10 ? waveSize / 32 : 1;
  if (i.kind == "valu")
    return p.issueOf(rateOf(i.text, target)) * passes;
  return i.kind == "lds" ? p.ldsMin * passes : p.vmemMin;
}

KernelDivergence divergenceOf(const KernelProfile &kernel, const LineOf &lineOf) {
  return Analysis(kernel, lineOf).run();
}

} // namespace meld::softgpu
