#include "bench/runner/scalar_report.h"

#include <algorithm>

namespace meld::bench {

namespace {

bool isMemory(const std::string &kind) {
  return kind == "vmem_read" || kind == "vmem_write" || kind == "flat" || kind == "lds";
}

/// Not what only steers the wave: EXEC, and conditions that differ between lanes, which AMD
/// hardware keeps as one bit per lane in scalar registers.
bool counts(const TracedInstruction &i, const Claim *claim) {
  if (i.kind == "salu" && claim && !claim->llvm)
    return false;
  if (!claim && (i.text.rfind("v_mov_b32", 0) == 0 || i.text.rfind("s_mov_b", 0) == 0))
    return false; // a copy between registers that only the backend knows of
  if (i.kind == "salu") {
    for (const char *mask :
         {"exec", "s_and_b64", "s_or_b64", "s_xor_b64", "s_andn2_b64", "s_orn2_b64"})
      if (i.text.find(mask) != std::string::npos)
        return false;
    return true;
  }
  return i.kind == "valu" || i.kind == "smem" || isMemory(i.kind);
}

/// What the backend puts under the line of another instruction: stores that it joins, and the
/// fields of v0 in which gfx90a hands over the three work-item ids.
bool underAForeignLine(const TracedInstruction &i) {
  for (const char *part : {"ds_write", "_store_", "0x3ff, v0", "v0, 10, 10", "v0, 20, 10"})
    if (i.text.find(part) != std::string::npos)
      return true;
  return false;
}

double runs(const TracedInstruction &i) {
  return static_cast<double>(i.executions - (i.vector ? i.execZero : 0));
}

/// How often, of its executions with active lanes, all lanes had the same operands or result.
double uniformPart(const TracedInstruction &i) {
  if (!i.vector)
    return 1;
  const double all = runs(i);
  return all > 0 ? static_cast<double>(std::max(i.uniformSources, i.uniformResult)) / all : 1;
}

double oneLanePart(const TracedInstruction &i) {
  const double all = runs(i);
  return i.vector && all > 0 ? static_cast<double>(i.oneLane) / all : 0;
}

/// `n` executions of which the oracle calls `part` uniform and we none: to the reason why not.
void addToGap(Gap &gap, GapKind kind, double n, double part, double oneLane, bool floating) {
  const double trivially = std::min(part, oneLane);
  gap[GapKind::oneLane] += trivially * n;
  gap[kind] += (part - trivially) * n;
  gap.floating += floating ? part * n : 0;
}

GapKind kindOf(const Claim &claim, const std::string &shape) {
  if (claim.shapes.count(shape))
    return GapKind::launch;
  if (claim.extension)
    return GapKind::half;
  return claim.cause == Cause::data      ? GapKind::data
         : claim.cause == Cause::control ? GapKind::control
                                         : GapKind::ids;
}

double equalOperands(const TracedInstruction &i) {
  const double all = runs(i);
  return i.vector && all > 0 ? static_cast<double>(i.uniformSources) / all : 1;
}

} // namespace

void UniformShares::add(const UniformShares &other) {
  executed += other.executed;
  convergent += other.convergent;
  converged += other.converged;
  scalar += other.scalar;
  llvm += other.llvm;
  ours += other.ours;
  oracle += other.oracle;
  operands += other.operands;
  traced += other.traced;
  gap.add(other.gap);
  contradictions.insert(contradictions.end(), other.contradictions.begin(),
                        other.contradictions.end());
}

UniformShares sharesOf(const std::vector<TracedInstruction> &code,
                       const std::map<uint32_t, Claim> &claims, const std::string &shape) {
  // What became of each instruction of the IR.
  struct Group {
    double executed = 0, least = 1, most = 0, leastOperands = 1;
    const TracedInstruction *leastUniform = nullptr;
  };
  std::map<uint32_t, Group> groups;
  UniformShares shares;
  const Claim *around = nullptr; // of the instruction before: the same block, nearly always
  for (const TracedInstruction &i : code) {
    auto claim = underAForeignLine(i) ? claims.end() : claims.find(i.line);
    if (claim != claims.end()) {
      around = &claim->second;
      if (claim->second.blockOnly)
        claim = claims.end();
    }
    const double n = runs(i);
    if (!counts(i, claim == claims.end() ? nullptr : &claim->second) || n == 0)
      continue;
    shares.executed += n;
    const double together = std::min(n, static_cast<double>(i.converged));
    shares.converged += together;
    shares.convergent += around && around->convergent ? together : 0;
    shares.scalar += i.vector ? 0 : n;
    const double part = uniformPart(i);
    // A scalar load of a value that differs is a kernel argument's, under the line of its first
    // use.
    if (claim == claims.end() || (i.kind == "smem" && !claim->second.llvm)) {
      shares.oracle += part * n;
      shares.operands += equalOperands(i) * n;
      if (!i.vector) { // what the backend made scalar it had proven, and it does so for us, too
        shares.llvm += n;
        shares.ours += n;
      } else {
        const bool compares = i.text.rfind("v_cmp", 0) == 0;
        addToGap(shares.gap, compares ? GapKind::condition : GapKind::backend, n, part,
                 oneLanePart(i), false);
      }
      continue;
    }
    shares.traced += n;
    Group &group = groups[i.line];
    group.executed += n;
    if (part < group.least || !group.leastUniform) {
      group.least = std::min(part, group.least);
      group.leastUniform = &i;
    }
    group.most = std::max(group.most, part);
    group.leastOperands = std::min(group.leastOperands, equalOperands(i));
  }
  for (const auto &[line, group] : groups) {
    const Claim &claim = claims.at(line);
    // From operands that differ to a result that does not: the way there need not be uniform.
    const bool reduced = claim.ours && !claim.oursOperands;
    const double part = reduced ? group.most : group.least;
    shares.oracle += part * group.executed;
    shares.operands += (reduced ? part : group.leastOperands) * group.executed;
    shares.llvm += claim.llvm ? group.executed : 0;
    if (!claim.ours) {
      addToGap(shares.gap, kindOf(claim, shape), group.executed, part,
               oneLanePart(*group.leastUniform), claim.floating);
      continue;
    }
    shares.ours += group.executed;
    if (part < 1)
      shares.contradictions.push_back(group.leastUniform->text + " (line " + std::to_string(line) +
                                      ")");
  }
  return shares;
}

Accesses accessesOf(const std::vector<TracedInstruction> &code) {
  Accesses sum;
  for (const TracedInstruction &i : code) {
    const double lanes = i.vector ? static_cast<double>(i.lanes) : 0;
    const double waves = static_cast<double>(i.executions);
    sum.vectorReads += i.vectorReads * (i.vector ? lanes : waves);
    sum.vectorWrites += i.vectorWrites * (i.vector ? lanes : waves);
    sum.scalarReads += i.scalarReads * waves;
    sum.scalarWrites += i.scalarWrites * waves;
    if (i.kind == "smem")
      sum.addresses += waves;
    else if (isMemory(i.kind))
      sum.addresses += lanes;
  }
  return sum;
}

} // namespace meld::bench
