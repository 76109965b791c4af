// The page, from top to bottom:
//
//   sums                                  tiles
//   kernels                               a table; the name leads to the kernel's part
//   a part for each kernel                what parts its lanes, most lost first; open: libmeld's
//                                         plan, the machine instructions
//   a part for each source file           lines with what was lost on them, a heat of 0 to 1;
//                                         open: the branch or loop that stands there
#include "runtime/softgpu/tools/divergence_page.h"

#include "runtime/html.h"
#include "runtime/softgpu/tools/figures.h"
#include "runtime/softgpu/tools/object_file.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace meld::softgpu {

namespace {

using html::escaped;

/// Lines around one that is shown; the most lines of a file that are shown one by one; and what a
/// line has to lose, of all that its file loses, to be one of them.
constexpr uint32_t kAround = 3;
constexpr size_t kMostHot = 400;
constexpr double kHot = 0.001;

constexpr const char *kStyle = R"(
.kernels td:last-child,.kernels th:last-child{text-align:left;white-space:normal;min-width:14em;overflow-wrap:anywhere}
a{color:inherit}.bar{display:inline-block;height:9px;border-radius:2px;background:var(--worse)}
h3{overflow-wrap:anywhere}.point,.steps{margin-top:8px;background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:8px 14px}
.point>summary,.steps{color:var(--ink)}.point p,.steps p{max-width:none;margin:4px 0}.point b{font-variant-numeric:tabular-nums}
code{font:12.5px/1.6 ui-monospace,monospace;overflow-wrap:anywhere}
.source{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:8px 0;margin-top:10px;font:12.5px/1.6 ui-monospace,monospace}
.source details{margin:0}
.l{display:grid;grid-template-columns:4.5em 5em 5em 1fr;background:color-mix(in srgb,var(--worse) calc(var(--h,0)*55%),transparent);padding-right:8px}
.l>i{font-style:normal;white-space:nowrap;text-align:right;padding-right:10px;color:var(--quiet)}.l>span,pre{white-space:pre-wrap;overflow-wrap:anywhere;tab-size:4}
summary.l{list-style:none;color:var(--ink)}summary.l::-webkit-details-marker{display:none}summary.l>span::after{content:" \25be";color:var(--worse);font-weight:bold}
.source .steps{margin:4px 14px 8px 9.5em;font:13px/1.5 system-ui,sans-serif}
.cold>summary{padding:2px 14px;border:1px solid var(--rule);border-width:1px 0}pre{margin:0;padding:0 8px 0 1em;font:inherit;color:var(--quiet)}
@media(max-width:600px){.kernels td,.kernels th{white-space:normal}.kernels :is(td,th):nth-child(3){display:none}.kernels :is(td,th):last-child{min-width:0}.bar{max-width:100%}.l{grid-template-columns:4.2em 5em 1fr}.l>i:nth-child(3){display:none}.source .steps{margin-left:14px}.source{font-size:11px}}
)";

std::string whole(double x) { return grouped(uint64_t(std::llround(x))); }

std::string paragraph(const std::string &text) { return "<p>" + escaped(text) + "</p>"; }

std::string planOf(const std::vector<PlannedStep> &steps) {
  std::string out;
  for (const PlannedStep &step : steps)
    out += paragraph("libmeld: " + step.text);
  return out;
}

std::string pointDetails(const PartingPoint &point, const std::vector<PlannedStep> &steps) {
  std::string out = planOf(steps);
  for (const Parting &p : point.partings)
    out += "<p><code>" + escaped(placeText({}, p.offset)) + "  " + escaped(p.text) +
           "</code>: executed " + grouped(p.executions) + " times, parted " + grouped(p.parted) +
           "; " + grouped(p.lost) + " lanes lost</p>";
  std::string lines;
  for (const LineCounts &line : point.lines)
    if (line.where.line)
      lines += (lines.empty() ? "Lost in " : ", ") + placeText(line.where, 0) + " " +
               percent(point.lostLaneCycles
                           ? double(line.counts.lostLaneCycles) / double(point.lostLaneCycles)
                           : 0);
  return out + (lines.empty() ? "" : paragraph(lines + " (of modelled cycles)"));
}

std::string kernelPart(const ReportedKernel &reported, size_t number) {
  const KernelDivergence &k = reported.divergence;
  std::string out = "<h3 id=\"k" + std::to_string(number) + "\">" + escaped(demangled(k.kernel)) +
                    "</h3>\n" +
                    paragraph(k.device + ", " + countOf(k.dispatches, "dispatch") + ", " +
                              countOf(k.waves, "wave") + ". " + percent(k.all.lostShare()) +
                              " of lanes lost; " + whole(k.all.lostCycles()) + " of " +
                              grouped(k.all.cycles) + " modelled issue cycles carried nothing.");
  if (!reported.plan.empty())
    out += paragraph("libmeld: " + reported.plan);
  if (!k.note.empty())
    out += paragraph(k.note);
  const double slots = double(k.all.lanes + k.all.lost);
  for (size_t p = 0; p < k.points.size(); ++p) {
    const PartingPoint &point = k.points[p];
    out += "<details class=\"point\"><summary><b>" +
           percent(slots > 0 ? double(point.lost) / slots : 0) + "</b> " +
           escaped(
               placeText(point.where, point.partings.empty() ? 0 : point.partings.front().offset)) +
           ", " + escaped(pointText(point)) + "</summary><p>" + whole(point.lostCycles()) +
           " modelled issue cycles</p>" + pointDetails(point, reported.of(p)) + "</details>\n";
  }
  return out;
}

std::string kernelTable(const DivergenceReport &report) {
  uint64_t most = 1;
  for (const ReportedKernel &k : report.kernels)
    most = std::max(most, k.divergence.all.lostLaneCycles);
  std::string out = "<div class=\"scroll\"><table class=\"kernels\"><tr><th>lanes lost</th><th>"
                    "modelled cycles lost</th><th>waves</th><th>kernel</th></tr>\n";
  for (size_t n = 0; n < report.kernels.size(); ++n) {
    const KernelDivergence &k = report.kernels[n].divergence;
    const double width = 100 * double(k.all.lostLaneCycles) / double(most);
    const bool told = k.all.lostShare() >= kWorthTelling;
    out += "<tr><td>" + percent(k.all.lostShare()) + "</td><td>" + whole(k.all.lostCycles()) +
           "</td><td>" + grouped(k.waves) +
           "</td><td><span class=\"bar\" style=\"width:" + oneDigit(width) + "px\"></span> " +
           (told ? "<a href=\"#k" + std::to_string(n) + "\">" : "") + escaped(demangled(k.kernel)) +
           (told ? "</a>" : "") + "</td></tr>\n";
  }
  return out + "</table></div>\n";
}

/// What is known of a file's lines, over all kernels.
struct FileCounts {
  std::map<uint32_t, SlotCounts> lines;
  std::map<uint32_t, std::string> points; ///< what stands at a line, as HTML
  uint64_t lost = 0, most = 1;
};

std::map<std::string, FileCounts> byFile(const DivergenceReport &report) {
  std::map<std::string, FileCounts> files;
  for (const ReportedKernel &reported : report.kernels) {
    const KernelDivergence &k = reported.divergence;
    for (const LineCounts &line : k.lines)
      if (line.where.line)
        files[line.where.file].lines[line.where.line].add(line.counts);
    for (size_t p = 0; p < k.points.size(); ++p)
      if (const PartingPoint &point = k.points[p]; point.where.line)
        files[point.where.file].points[point.where.line] +=
            "<div class=\"steps\"><p><b>" + escaped(pointText(point)) + "</b>; " +
            whole(point.lostCycles()) + " modelled issue cycles in " +
            escaped(demangled(k.kernel)) + "</p>" + pointDetails(point, reported.of(p)) + "</div>";
  }
  for (auto &[name, file] : files)
    for (const auto &[line, counts] : file.lines) {
      file.lost += counts.lostLaneCycles;
      file.most = std::max(file.most, counts.lostLaneCycles);
    }
  return files;
}

class Listing {
public:
  Listing(const FileCounts &file, const std::vector<std::string> *text)
      : file_(file), text_(text) {}

  std::string html() {
    const std::set<uint32_t> shown = shownLines();
    const auto last =
        uint32_t(std::max<size_t>(text_ ? text_->size() : 0, shown.empty() ? 0 : *shown.rbegin()));
    std::string out = "<div class=\"source\">\n<div class=\"l\"><i>line</i><i>lost</i><i>lanes</i>"
                      "<span></span></div>\n";
    for (uint32_t line = 1; line <= last;) {
      if (shown.contains(line)) {
        out += row(line++);
        continue;
      }
      const auto next = shown.lower_bound(line);
      const uint32_t end = next == shown.end() ? last + 1 : *next;
      if (text_)
        out += folded(line, end);
      line = end;
    }
    return out + "</div>\n";
  }

private:
  std::set<uint32_t> shownLines() const {
    std::vector<std::pair<uint64_t, uint32_t>> hot;
    for (const auto &[line, counts] : file_.lines)
      if (counts.lostLaneCycles && double(counts.lostLaneCycles) >= kHot * double(file_.lost))
        hot.emplace_back(counts.lostLaneCycles, line);
    std::ranges::stable_sort(hot, std::ranges::greater(), &std::pair<uint64_t, uint32_t>::first);
    hot.resize(std::min(hot.size(), kMostHot));
    std::set<uint32_t> shown;
    const auto show = [&](uint32_t line) {
      for (uint32_t l = line > kAround ? line - kAround : 1; l <= line + kAround; ++l)
        if (!text_ ? l == line : l <= text_->size())
          shown.insert(l);
      shown.insert(line);
    };
    for (const auto &[lost, line] : hot)
      show(line);
    size_t points = 0;
    for (const auto &[line, text] : file_.points)
      if (points++ < kMostHot)
        show(line);
    return shown;
  }

  std::string codeAt(uint32_t line) const {
    return text_ && line <= text_->size() ? escaped((*text_)[line - 1]) : std::string();
  }
  std::string lostAt(const SlotCounts &counts) const {
    return counts.lostLaneCycles && file_.lost
               ? percent(double(counts.lostLaneCycles) / double(file_.lost))
               : std::string();
  }

  std::string row(uint32_t line) const {
    const auto known = file_.lines.find(line);
    const SlotCounts counts = known == file_.lines.end() ? SlotCounts() : known->second;
    char heat[48] = "";
    if (counts.lostLaneCycles)
      std::snprintf(heat, sizeof heat, " style=\"--h:%.3f\"",
                    double(counts.lostLaneCycles) / double(file_.most));
    const std::string cells =
        "<i>" + std::to_string(line) + "</i><i>" + lostAt(counts) + "</i><i>" +
        (counts.executions ? oneDigit(double(counts.lanes) / double(counts.executions)) : "") +
        "</i><span>" + codeAt(line) + "</span>";
    const auto point = file_.points.find(line);
    if (point == file_.points.end())
      return "<div class=\"l\"" + std::string(heat) + ">" + cells + "</div>\n";
    return "<details><summary class=\"l\"" + std::string(heat) + ">" + cells + "</summary>" +
           point->second + "</details>\n";
  }

  /// Lines [line, end), one text.
  std::string folded(uint32_t line, uint32_t end) const {
    std::string out = "<details class=\"cold\"><summary>lines " + std::to_string(line) + " to " +
                      std::to_string(end - 1) + "</summary><pre>";
    for (; line < end; ++line) {
      const auto known = file_.lines.find(line);
      std::string lost = known == file_.lines.end() ? "" : lostAt(known->second);
      lost.insert(0, 8 - std::min<size_t>(lost.size(), 8), ' ');
      std::string number = std::to_string(line);
      number.insert(0, 6 - std::min<size_t>(number.size(), 6), ' ');
      out += number + lost + "  " + codeAt(line) + "\n";
    }
    return out + "</pre></details>\n";
  }

  const FileCounts &file_;
  const std::vector<std::string> *text_;
};

std::string sourceParts(const DivergenceReport &report, const SourceTexts &texts) {
  const auto files = byFile(report);
  std::vector<const std::pair<const std::string, FileCounts> *> order;
  for (const auto &file : files)
    if (file.second.lost || !file.second.points.empty())
      order.push_back(&file);
  std::ranges::stable_sort(
      order, [](const auto *a, const auto *b) { return a->second.lost > b->second.lost; });
  std::string out;
  for (const auto *file : order) {
    const auto text = texts.find(file->first);
    out += "<h3>" + escaped(fileName(file->first)) + "</h3>" + paragraph(file->first) +
           paragraph((text == texts.end() ? "The file is not here. " : "") +
                     whole(double(file->second.lost) / 64) +
                     " modelled issue cycles lost on its lines.") +
           Listing(file->second, text == texts.end() ? nullptr : &text->second).html();
  }
  return out;
}

} // namespace

std::string divergencePage(const DivergenceReport &report, const SourceTexts &texts) {
  SlotCounts all;
  uint64_t waves = 0;
  for (const ReportedKernel &k : report.kernels) {
    all.add(k.divergence.all);
    waves += k.divergence.waves;
  }
  std::string out = html::head("libmeld: lanes lost", kStyle) + "<h1>Lanes lost</h1>\n";
  for (const std::string &program : report.programs)
    out += paragraph(program);
  out += paragraph("The program's own code on the software GPU. A lane is lost when a vector "
                   "instruction runs without it although its wave began with it. Lanes are "
                   "counted; cycles are modelled: what vector instructions keep their unit busy "
                   "for, without time spent waiting for memory.");
  for (const std::string &note : report.notes)
    out += paragraph(note);
  out += "<div class=\"tiles\">\n" + html::tile(percent(all.lostShare()), "of lanes lost") +
         html::tile(whole(all.lostCycles()),
                    "modelled issue cycles carried nothing, of " + grouped(all.cycles)) +
         html::tile(grouped(waves), "waves of " + std::to_string(report.kernels.size()) +
                                        (report.kernels.size() == 1 ? " kernel" : " kernels")) +
         "</div>\n<h2>Kernels</h2>\n" + kernelTable(report) +
         "<h2>What parts the lanes</h2>\n<p>Shares of each kernel's lanes. Open a line for what "
         "libmeld does about it.</p>\n";
  for (size_t n = 0; n < report.kernels.size(); ++n)
    if (report.kernels[n].divergence.all.lostShare() >= kWorthTelling)
      out += kernelPart(report.kernels[n], n);
  const std::string sources = sourceParts(report, texts);
  if (!sources.empty())
    out += "<h2>Source</h2>\n<p>lost: a line's share of the modelled issue cycles lost in its "
           "file. lanes: how many took part on the average. \xe2\x96\xbe marks lines where lanes "
           "part: open them.</p>\n" +
           sources;
  return out + html::foot;
}

} // namespace meld::softgpu
