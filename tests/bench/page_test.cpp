// The results page: its numbers are in it, text is escaped, and a browser shows it without a word
// on its console.
#include "bench/runner/chart.h"
#include "bench/runner/page.h"
#include "tests/bench/rows.h"
#include "tests/browser.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace meld::bench;

namespace {

std::vector<Row> sample() {
  return {rowOf("SB1 64", Set::synthetic, 300, 200), rowOf("BIT <&> 64", Set::melding, 110, 100),
          rowOf("slow", Set::everyday, 95, 100)};
}

size_t count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

} // namespace

TEST(Page, HoldsEveryRowAndEscapesText) {
  const std::string page = resultsPage(sample());
  EXPECT_EQ(count(page, "<svg"), 12u) << "four plots for each of three sets";
  EXPECT_EQ(count(page, "</svg>"), 12u);
  EXPECT_NE(page.find("BIT &lt;&amp;&gt; 64"), std::string::npos);
  EXPECT_EQ(page.find("BIT <"), std::string::npos);
  EXPECT_NE(page.find(">1.50<"), std::string::npos) << "the cycle ratio of SB1";
  EXPECT_EQ(count(page, "<table class=\"numbers\">"), 3u);
  EXPECT_EQ(count(page, "<table class=\"means\">"), 1u);
  EXPECT_NE(page.find("best block size"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "nothing is fetched";
}

TEST(Page, WorseIsMarked) {
  const std::string bars = ratioBars("t", {{"a", 1.2, ""}, {"b", 0.8, ""}, {"c", 1.0, ""}});
  EXPECT_EQ(count(bars, "class=\"better\""), 2u);
  EXPECT_EQ(count(bars, "class=\"worse\""), 1u);
}

TEST(Page, WhiskersShowTheBand) {
  const std::string bars = ratioBars("t", {{"gain", 1.2, "", {1.1, 1.3}},
                                           {"open", 1.1, "", {0.95, 1.2}},
                                           {"loss", 0.8, "", {0.7, 0.9}},
                                           {"no band", 1.2, "", {}}});
  EXPECT_EQ(count(bars, "class=\"whisker\""), 9u) << "a line with two ends, three times";
  EXPECT_EQ(count(bars, "class=\"better\""), 2u);
  EXPECT_EQ(count(bars, "class=\"undecided\""), 1u);
  EXPECT_EQ(count(bars, "class=\"worse\""), 1u);
}

TEST(Page, BigNumbersSayWhatTheyAre) {
  auto rows = sample();
  for (Row &row : rows)
    for (meld::bench::Run &run : row.runs) {
      Dispatch launch;
      launch.computeUnits = 1;
      launch.counters["SQ_WAVES"] = row.which.label == "slow" ? 26 : 8; // 6.5 and 2 on a SIMD
      launch.cycles = 10;
      run.measured.dispatches = {launch};
    }
  const std::string page = resultsPage(rows);
  EXPECT_NE(page.find("<b>1.50x</b><span>synthetic: modelled cycles, original / libmeld, geometric "
                      "mean of 1 configuration; least 1.50; 2.0 waves on a SIMD</span>"),
            std::string::npos)
      << page.substr(page.find("tiles"), 3000);
  EXPECT_NE(page.find("6.5 waves on a SIMD"), std::string::npos);
}

// The measure itself: what is wider than the page is seen, but for what can be scrolled where it is.
TEST(PageWidth, SeesWhatIsCutOff) {
  const std::string browser = MELD_CHROMIUM;
  if (access(browser.c_str(), X_OK) != 0)
    GTEST_SKIP() << "no Chromium here";
  const std::string wide = "<div style=\"width:500px\">wide</div>";
  const auto at390 = [&](const std::string &body) {
    return meld::test::show(browser, "<!doctype html><html><body>" + body + "</body></html>", 390,
                            false);
  };
  EXPECT_EQ(at390(wide).cut.size(), 1u);
  EXPECT_TRUE(at390("<div style=\"overflow-x:auto\">" + wide + "</div>").cut.empty());
  EXPECT_FALSE(
      at390("<svg viewBox=\"0 0 100 20\"><text x=\"90\" y=\"10\">far too long</text></svg>")
          .cut.empty());
}

class PageWidths : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Pixels, PageWidths, testing::Values(1280, 390));

TEST_P(PageWidths, NothingIsCutOff) {
  const std::string browser = MELD_CHROMIUM;
  if (access(browser.c_str(), X_OK) != 0)
    GTEST_SKIP() << "no Chromium here";
  auto rows = sample();
  rows.push_back(
      rowOf("lennard_jones 128", Set::everyday, 1250, 100)); // a long bar with a long name
  for (Row &row : rows) {                                    // and longer whiskers
    row.runs[0].under = {2000, 100};
    row.runs[1].under = {100, 150};
  }
  for (bool open : {false, true}) {
    const auto shown = meld::test::show(browser, resultsPage(rows), GetParam(), open);
    EXPECT_EQ(shown.width, GetParam()) << shown.log;
    EXPECT_EQ(shown.contentWidth, GetParam());
    EXPECT_TRUE(shown.cut.empty()) << shown.cut;
  }
}

TEST(Page, ABrowserShowsItQuietly) {
  const std::string browser = MELD_CHROMIUM;
  if (access(browser.c_str(), X_OK) != 0)
    GTEST_SKIP() << "no Chromium here";
  std::string pattern = std::filesystem::temp_directory_path() / "meld-page-XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path folder = pattern;
  std::ofstream(folder / "page.html") << resultsPage(sample());
  const std::string command =
      "timeout 100 " + browser +
      " --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=" +
      (folder / "profile").string() + " --dump-dom file://" + (folder / "page.html").string() +
      " 2>" + (folder / "log").string();
  FILE *pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string dom;
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    dom.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0);
  std::ifstream logFile(folder / "log");
  const std::string log((std::istreambuf_iterator<char>(logFile)), {});
  EXPECT_EQ(log.find("CONSOLE"), std::string::npos) << log;
  EXPECT_EQ(count(dom, "<svg"), 12u) << "as parsed by the browser";
  EXPECT_EQ(count(dom, "<rect"), 9u) << "three ratio plots of one bar for each set";
  EXPECT_EQ(count(dom, "<circle"), 6u) << "before and after for each set";
  std::filesystem::remove_all(folder);
}
