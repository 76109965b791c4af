// The page of `meld divergence`: what is in it, that it stays light, and that a browser shows all of it.
#include "runtime/softgpu/tools/divergence_page.h"

#include "tests/browser.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

namespace meld::softgpu {
namespace {

constexpr uint32_t kLines = 10000;

/// A kernel of as many lines as a generator writes, on all of which a few lanes are lost; many on
/// those that a branch or a loop says of itself.
DivergenceReport large() {
  ReportedKernel k;
  k.divergence.kernel =
      "_Z6kernelPfN2ns9a_rather_long_name_of_a_type_that_does_not_break_anywhereE";
  k.divergence.device = "gfx90a";
  k.divergence.dispatches = 1;
  k.divergence.waves = 16;
  k.plan = "replaces the kernel: estimated cycles 9443 -> 9191";
  for (uint32_t line = 1; line <= kLines; ++line) {
    const bool hot = line % 500 == 0;
    const SlotCounts counts{10, hot ? 100u : 630u, hot ? 540u : 10u, 40, hot ? 2160u : 40u};
    k.divergence.lines.push_back({{"dir/large.hip", line}, counts});
    k.divergence.all.add(counts);
    if (line % 1000 == 0) {
      PartingPoint point;
      point.where = {"dir/large.hip", line};
      point.isLoop = line % 2000 == 0;
      point.lost = 1080;
      point.lostLaneCycles = 4320;
      point.partings.push_back({line, "s_andn2_b64 exec, exec, s[6:7]", 10, 9, 1080});
      point.lines = {{{"dir/large.hip", line}, counts}};
      k.divergence.points.push_back(point);
      k.steps.push_back({{PlannedStep::Kind::keeps, "", "leaves it: a < b & \"c\""}});
    }
  }
  DivergenceReport report;
  report.programs = {"/where/it/stands/app"};
  report.kernels = {k};
  return report;
}

SourceTexts text() {
  SourceTexts texts;
  for (uint32_t line = 1; line <= kLines; ++line)
    texts["dir/large.hip"].push_back("  if (x[" + std::to_string(line) +
                                     "] < y) { a_function_with_a_name(x, y, \"and "
                                     "arguments\"); another_function(z); } // line " +
                                     std::to_string(line));
  return texts;
}

size_t count(const std::string &all, const std::string &what) {
  size_t n = 0;
  for (size_t at = all.find(what); at != all.npos; at = all.find(what, at + 1))
    ++n;
  return n;
}

TEST(DivergencePage, HasEveryLineOnceAndFewElements) {
  const std::string page = divergencePage(large(), text());
  EXPECT_EQ(count(page, "// line "), kLines);
  EXPECT_EQ(page.find("http"), page.npos) << "nothing is fetched";
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_NE(page.find("a &lt; b &amp; &quot;c&quot;"), page.npos);
  EXPECT_EQ(page.find("a < b"), page.npos);
  // Line 500 loses 2160 of 20 * 2160 + 9980 * 40: 0.5 %.
  EXPECT_NE(page.find("<i>500</i><i>0.5 %</i><i>10.0</i>"), page.npos);
  // 20 hot lines and 3 around each, and what is folded away between them.
  EXPECT_EQ(count(page, "class=\"l\""), 1u + 20 * 7 - 3) << "the last has none behind it";
  EXPECT_EQ(count(page, "class=\"cold\""), 20u);
  EXPECT_EQ(count(page, "<details class=\"point\">"), 10u);
  EXPECT_NE(page.find("modelled"), page.npos);
}

TEST(DivergencePage, SourcesThatAreNotHereAreLinesOnly) {
  const std::string page = divergencePage(large(), {});
  EXPECT_NE(page.find("The file is not here."), page.npos);
  EXPECT_EQ(count(page, "class=\"l\""), 1u + 20);
  EXPECT_EQ(count(page, "class=\"cold\""), 0u);
}

// All lines alike: the worst are shown one by one, as many as a page can bear.
TEST(DivergencePage, NotAllOfManyHotLines) {
  DivergenceReport report = large();
  auto &lines = report.kernels[0].divergence.lines;
  lines.resize(900); // each has more than a thousandth
  for (auto &line : lines)
    line.counts.lostLaneCycles = 64 + line.where.line;
  report.kernels[0].divergence.points.clear();
  const std::string page = divergencePage(report, text());
  EXPECT_EQ(count(page, "class=\"l\""), 1u + 400 + 6) << "and those around them";
  EXPECT_NE(page.find("<i>900</i>"), page.npos);
  EXPECT_EQ(page.find("<i>100</i>"), page.npos);
}

class DivergencePageWidth : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pixels, DivergencePageWidth, testing::Values(1280, 390));

TEST_P(DivergencePageWidth, NothingIsCutOff) {
  const std::string browser = MELD_CHROMIUM;
  if (access(browser.c_str(), X_OK) != 0)
    GTEST_SKIP() << "no Chromium here";
  for (bool open : {false, true}) {
    const auto shown = test::show(browser, divergencePage(large(), text()), GetParam(), open);
    EXPECT_EQ(shown.width, GetParam()) << shown.log;
    EXPECT_EQ(shown.contentWidth, GetParam());
    EXPECT_TRUE(shown.cut.empty()) << shown.cut;
    EXPECT_LT(shown.elements, 2000);
    EXPECT_EQ(shown.log.find("CONSOLE"), std::string::npos) << shown.log;
  }
}

} // namespace
} // namespace meld::softgpu
