#include "runtime/report/report.h"

#include <gtest/gtest.h>

using namespace meld;

TEST(Report, CountsAndNames) {
  Report report;
  report.add({});
  report.add({});
  ReportLine replaced{Outcome::replaced,
                      Source::compiled,
                      "amdgcn-amd-amdhsa--gfx90a",
                      "",
                      {"saxpy", "sort"},
                      1000,
                      12.34};
  report.add(replaced);
  replaced.source = Source::disk;
  report.add(replaced);
  report.add({Outcome::unchanged,
              Source::disk,
              "amdgcn-amd-amdhsa--gfx90a",
              "gate: private-segment [k]: 0 -> 4",
              {"k"},
              10,
              0.1});
  report.add({Outcome::failed, Source::none, "", "no comgr", {}, 10, 0.1});
  std::string text = report.text();
  EXPECT_NE(text.find("4 code objects with bitcode, 2 without"), std::string::npos) << text;
  EXPECT_NE(text.find("replaced 2, unchanged 1, failed 1, late 0; cache hits 2"), std::string::npos)
      << text;
  EXPECT_NE(text.find("    sort\n"), std::string::npos);
  EXPECT_NE(text.find("private-segment"), std::string::npos);
  EXPECT_NE(text.find("12.3 ms"), std::string::npos);
}

TEST(Report, CodeThatRunsInVersionsIsCounted) {
  Report report;
  report.add({Outcome::beside, Source::none, "", "", {}, 1000, 1});
  report.addServed("sort", "melded");
  const std::string text = report.text();
  EXPECT_NE(text.find("1 code objects with bitcode, 0 without"), std::string::npos) << text;
  EXPECT_NE(text.find("versions beside it (-, 1.0 ms, 1000 bytes)"), std::string::npos) << text;
  EXPECT_NE(text.find("served as melded: sort\n"), std::string::npos) << text;
  EXPECT_NE(text.find("with versions beside 1, kernels served as a version 1;"), std::string::npos)
      << text;
}

TEST(Report, ManyLinesAreCountedNotKept) {
  Report report;
  for (int i = 0; i < 10010; ++i)
    report.add({i < 3 ? Outcome::failed : Outcome::replaced, Source::memory, "", "", {}, 1, 0});
  report.add({Outcome::unchanged, Source::disk, "", "", {}, 1, 0});
  report.add({Outcome::late, Source::none, "", "", {}, 1, 0});
  EXPECT_NE(report.text().find("10012 code objects"), std::string::npos);
  EXPECT_NE(report.text().find("and 12 more"), std::string::npos);
  EXPECT_NE(report.text().find("replaced 10007, unchanged 1, failed 3, late 1; cache hits 10011"),
            std::string::npos)
      << report.text().substr(report.text().size() - 200);
}
