#include "runtime/softgpu/tools/divergence_report.h"

#include "runtime/softgpu/tools/figures.h"
#include "runtime/softgpu/tools/object_file.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace meld::softgpu {

namespace {

using Json = nlohmann::ordered_json;

std::string padded(std::string text, size_t width, bool right = false) {
  if (text.size() < width)
    text.insert(right ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

std::string pointPlace(const PartingPoint &p) {
  return placeText(p.where, p.partings.empty() ? 0 : p.partings.front().offset);
}

const char *kindWord(PlannedStep::Kind kind) {
  switch (kind) {
  case PlannedStep::Kind::changes:
    return "changes";
  case PlannedStep::Kind::version:
    return "version";
  case PlannedStep::Kind::keeps:
    return "keeps";
  }
  return "";
}

/// The three lines where a point loses most, when they are not just its own.
std::string whereLost(const PartingPoint &point) {
  std::string out;
  for (size_t k = 0; k < std::min<size_t>(3, point.lines.size()); ++k) {
    const LineCounts &line = point.lines[k];
    if (!line.where.line || !point.lostLaneCycles)
      continue;
    out += (out.empty() ? "lost in " : ", ") + placeText(line.where, 0) + " " +
           percent(double(line.counts.lostLaneCycles) / double(point.lostLaneCycles));
  }
  return out;
}

std::string describe(const ReportedKernel &reported, size_t most) {
  const KernelDivergence &k = reported.divergence;
  std::string device = k.device;
  if (k.deviceIndex >= 0)
    device += " (device " + std::to_string(k.deviceIndex) + ")";
  std::string out = demangled(k.kernel) + (k.replaced ? "  (replaced)" : "") + "\n";
  const double slots = double(k.all.lanes + k.all.lost);
  out += "  " + device + ", " + countOf(k.dispatches, "dispatch") + ", " +
         countOf(k.waves, "wave") + "\n  " + percent(k.all.lostShare()) +
         " of lanes lost: vector instructions ran with " +
         oneDigit(k.all.executions ? double(k.all.lanes) / double(k.all.executions) : 0) + " of " +
         oneDigit(k.all.executions ? slots / double(k.all.executions) : 0) + " lanes\n  " +
         grouped(uint64_t(std::llround(k.all.lostCycles()))) + " of " + grouped(k.all.cycles) +
         " modelled issue cycles carried nothing for it\n";
  const uint64_t places = k.waveSize * k.all.executions;
  if (k.empty * 100 > places)
    out += "  " + percent(double(k.empty) / double(places)) +
           " of lanes were never there: the workgroups do not fill their waves (not counted)\n";
  if (!k.note.empty())
    out += "  " + k.note + "\n";
  if (!reported.plan.empty())
    out += "  libmeld: " + reported.plan + "\n";
  size_t width = 5;
  size_t shown = 0;
  while (shown < std::min(most, k.points.size()) &&
         double(k.points[shown].lost) >= kWorthTelling * slots)
    ++shown;
  for (size_t p = 0; p < shown; ++p)
    width = std::max(width, pointPlace(k.points[p]).size());
  out += "\n  " + padded("LOST", 8, true) + "  " + padded("CYCLES", 14, true) + "  " +
         padded("WHERE", width) + "  PARTED BY\n";
  const std::string indent(2 + 8 + 2 + 14 + 2 + width + 2, ' ');
  for (size_t p = 0; p < shown; ++p) {
    const PartingPoint &point = k.points[p];
    out += "  " + padded(percent(slots > 0 ? double(point.lost) / slots : 0), 8, true) + "  " +
           padded(grouped(uint64_t(std::llround(point.lostCycles()))), 14, true) + "  " +
           padded(pointPlace(point), width) + "  " + pointText(point) + "\n";
    if (const std::string where = whereLost(point); !where.empty())
      out += indent + where + "\n";
    for (const PlannedStep &step : reported.of(p))
      out += indent + "libmeld: " + step.text + "\n";
  }
  if (k.points.size() > shown) {
    uint64_t rest = 0;
    for (size_t p = shown; p < k.points.size(); ++p)
      rest += k.points[p].lost;
    out += "  " + padded(percent(double(rest) / slots), 8, true) + "  by " +
           countOf(k.points.size() - shown, "more place") + "\n";
  }
  return out;
}

Json countsJson(const SlotCounts &c) {
  return {{"executions", c.executions},
          {"lanes", c.lanes},
          {"lostLanes", c.lost},
          {"issueCycles", c.cycles},
          {"lostCycles", c.lostCycles()}};
}

Json lineJson(const SourceLine &where) {
  if (!where.line)
    return {{"file", nullptr}, {"line", nullptr}};
  return {{"file", where.file}, {"line", where.line}};
}

Json pointJson(const PartingPoint &point, const std::vector<PlannedStep> &steps) {
  Json j = lineJson(point.where);
  j["kind"] = point.isLoop ? "loop" : "branch";
  j["lostLanes"] = point.lost;
  j["lostCycles"] = point.lostCycles();
  j["endedLanes"] = point.ended;
  if (const auto &t = point.trips)
    j["loop"] = {{"header", t->header},           {"depth", t->depth},
                 {"entries", t->entries},         {"rounds", t->rounds},
                 {"laneEntries", t->laneEntries}, {"laneRounds", t->laneRounds},
                 {"waveMean", t->waveMean()},     {"laneMean", t->laneMean()}};
  Json &instructions = j["instructions"] = Json::array();
  for (const Parting &p : point.partings)
    instructions.push_back({{"offset", p.offset},
                            {"text", p.text},
                            {"executions", p.executions},
                            {"parted", p.parted},
                            {"lostLanes", p.lost}});
  Json &lines = j["lines"] = Json::array();
  for (const LineCounts &line : point.lines) {
    Json one = lineJson(line.where);
    one["lostLanes"] = line.counts.lost;
    one["lostCycles"] = line.counts.lostCycles();
    lines.push_back(std::move(one));
  }
  Json &plan = j["libmeld"] = Json::array();
  for (const PlannedStep &step : steps)
    plan.push_back({{"kind", kindWord(step.kind)}, {"pass", step.pass}, {"text", step.text}});
  return j;
}

Json kernelJson(const ReportedKernel &reported) {
  const KernelDivergence &k = reported.divergence;
  Json j = {{"kernel", k.kernel},     {"name", demangled(k.kernel)}, {"device", k.device},
            {"replaced", k.replaced}, {"dispatches", k.dispatches},  {"waves", k.waves}};
  if (k.deviceIndex >= 0)
    j["deviceIndex"] = k.deviceIndex;
  j.update(countsJson(k.all));
  j["lostShare"] = k.all.lostShare();
  j["emptyLanes"] = k.empty;
  j["note"] = k.note;
  j["libmeld"] = reported.plan;
  Json &points = j["partedBy"] = Json::array();
  for (size_t p = 0; p < k.points.size(); ++p)
    points.push_back(pointJson(k.points[p], reported.of(p)));
  Json &lines = j["lines"] = Json::array();
  for (const LineCounts &line : k.lines) {
    Json one = lineJson(line.where);
    one.update(countsJson(line.counts));
    lines.push_back(std::move(one));
  }
  return j;
}

} // namespace

std::string countOf(uint64_t n, std::string_view what) {
  return grouped(n) + " " + std::string(what) + (n == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

std::string placeText(const SourceLine &where, int64_t offset) {
  if (where.line)
    return fileName(where.file) + ":" + std::to_string(where.line);
  char text[32];
  std::snprintf(text, sizeof text, "%s0x%llx", offset < 0 ? "-" : "+",
                static_cast<unsigned long long>(offset < 0 ? -offset : offset));
  return text;
}

std::string pointText(const PartingPoint &point) {
  if (point.trips)
    return "loop: a wave goes round " + oneDigit(point.trips->waveMean()) + " times, a lane " +
           oneDigit(point.trips->laneMean());
  uint64_t executions = 0, parted = 0;
  for (const Parting &p : point.partings) {
    executions += p.executions;
    parted += p.parted;
  }
  std::string out = point.isLoop ? "loop" : "branch";
  if (executions)
    out +=
        ": parts " + percent(double(parted) / double(executions)) + " of the waves that reach it";
  if (point.ended && 2 * point.ended > point.lost)
    out += "; most of the lanes lost had nothing left to do";
  return out;
}

const std::vector<PlannedStep> &ReportedKernel::of(size_t k) const {
  static const std::vector<PlannedStep> none;
  return k < steps.size() ? steps[k] : none;
}

void sortReport(DivergenceReport &report) {
  std::ranges::stable_sort(report.kernels, [](const ReportedKernel &a, const ReportedKernel &b) {
    return a.divergence.all.lostLaneCycles > b.divergence.all.lostLaneCycles;
  });
}

std::string divergenceText(const DivergenceReport &report, const ReportLimits &limits) {
  std::string out;
  for (const std::string &note : report.notes)
    out += note + "\n";
  size_t shown = 0, left = 0;
  std::string together;
  for (const ReportedKernel &kernel : report.kernels) {
    if (kernel.divergence.all.lostShare() < kWorthTelling)
      together += (together.empty() ? "" : ", ") + demangled(kernel.divergence.kernel);
    else if (limits.kernels && shown == limits.kernels)
      ++left;
    else {
      out += (out.empty() ? "" : "\n") + describe(kernel, limits.points);
      ++shown;
    }
  }
  if (left)
    out += "\nand " + countOf(left, "more kernel") + " that lose" + (left == 1 ? "s" : "") +
           " lanes (--top)\n";
  if (!together.empty())
    out += (out.empty() ? "" : "\n") + std::string("hardly any lanes lost: ") + together + "\n";
  if (report.kernels.empty())
    out += "no kernel ran\n";
  return out;
}

Json divergenceJson(const DivergenceReport &report) {
  Json j = {{"programs", report.programs},
            {"cycles", "modelled issue cycles of vector instructions"},
            {"notes", report.notes},
            {"kernels", Json::array()}};
  for (const ReportedKernel &kernel : report.kernels)
    j["kernels"].push_back(kernelJson(kernel));
  return j;
}

} // namespace meld::softgpu
