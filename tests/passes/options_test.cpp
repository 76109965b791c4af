#include "passes/pipeline.h"
#include <gtest/gtest.h>

using meld::passes::Decision;
using meld::passes::DecisionLog;
using meld::passes::MeldOptions;

namespace {

std::string errorOf(llvm::StringRef text) {
  auto parsed = MeldOptions::parse(text);
  return parsed ? "" : llvm::toString(parsed.takeError());
}

TEST(MeldOptions, EmptyTextIsTheDefault) {
  auto parsed = MeldOptions::parse("");
  ASSERT_TRUE(bool(parsed));
  EXPECT_TRUE(parsed->wants("cfm"));
  EXPECT_TRUE(parsed->wants("tail-merge"));
  EXPECT_TRUE(parsed->early && parsed->late && parsed->verify && parsed->pressure);
}

TEST(MeldOptions, ReadsEveryOption) {
  auto parsed = MeldOptions::parse(
      "min-profit=2.5;force;max-iterations=3;no-tail-merge;no-late;no-pressure;include=^k;"
      "exclude=x$");
  ASSERT_TRUE(bool(parsed));
  EXPECT_DOUBLE_EQ(parsed->minProfit, 2.5);
  EXPECT_TRUE(parsed->force);
  EXPECT_EQ(parsed->maxIterations, 3u);
  EXPECT_FALSE(parsed->wants("tail-merge"));
  EXPECT_TRUE(parsed->wants("branch-fusion"));
  EXPECT_FALSE(parsed->late);
  EXPECT_FALSE(parsed->pressure);
  EXPECT_TRUE(parsed->wantsKernel("kernel"));
  EXPECT_FALSE(parsed->wantsKernel("kernelx"));
  EXPECT_FALSE(parsed->wantsKernel("other"));
}

// Between a threshold that lets losses through and one that nothing reaches stands the forced
// melding, for which there is no threshold.
TEST(MeldOptions, ForceTakesAnyLoss) {
  MeldOptions options;
  EXPECT_TRUE(options.isEnough(0));
  EXPECT_FALSE(options.isEnough(-1));
  EXPECT_FALSE(options.takesLosses());
  options.minProfit = -50;
  EXPECT_TRUE(options.isEnough(-49));
  EXPECT_FALSE(options.isEnough(-51));
  EXPECT_TRUE(options.takesLosses());
  options.minProfit = 1000;
  EXPECT_FALSE(options.takesLosses());
  options.force = true;
  EXPECT_TRUE(options.isEnough(-1e9));
  EXPECT_TRUE(options.takesLosses());
}

TEST(MeldOptions, NamesWhatIsWrong) {
  EXPECT_NE(errorOf("speed=9").find("speed=9"), std::string::npos);
  EXPECT_NE(errorOf("min-profit=much").find("much"), std::string::npos);
  EXPECT_NE(errorOf("include=(").find("include"), std::string::npos);
  EXPECT_NE(errorOf("frobnicate").find("frobnicate"), std::string::npos);
  EXPECT_NE(errorOf("force=1").find("force"), std::string::npos);
  EXPECT_NE(errorOf("no-min-profit").find("no-min-profit"), std::string::npos);
}

// One semicolon parts options, two are one within a value, and blanks are an option's own where they
// can mean something.
TEST(MeldOptions, SemicolonsArePartOfValuesWhereWrittenTwice) {
  auto parsed = MeldOptions::parse(" force ; min-profit= 3 ;;;include=;;a;;;;b ;;;no-late;");
  EXPECT_FALSE(bool(parsed)) << "three after a number are a semicolon of its own";
  llvm::consumeError(parsed.takeError());
  parsed = MeldOptions::parse(" force ; min-profit= 3 ;include=;;a;;;;b ;;;no-late;");
  ASSERT_TRUE(bool(parsed));
  EXPECT_TRUE(parsed->force);
  EXPECT_EQ(parsed->minProfit, 3);
  EXPECT_EQ(parsed->kernelInclude, ";a;;b ;");
  EXPECT_FALSE(parsed->late);
}

TEST(MeldOptions, PassListChooses) {
  MeldOptions options;
  options.passes = "meld-cfm, branch-fusion";
  EXPECT_TRUE(options.wants("cfm"));
  EXPECT_TRUE(options.wants("branch-fusion"));
  EXPECT_FALSE(options.wants("tail-merge"));
  options.passes = "none";
  EXPECT_FALSE(options.wants("cfm"));
  options.passes = "all";
  for (llvm::StringRef pass : MeldOptions::passNames())
    EXPECT_EQ(options.wants(pass), MeldOptions().wants(pass)) << pass.str();
}

// A pass of meld-scalarize runs with its family, alone, and, where it copies code, only by its name.
TEST(MeldOptions, ScalarizationIsAFamily) {
  MeldOptions options;
  EXPECT_TRUE(options.wants("scalarize-loads"));
  EXPECT_FALSE(options.wants("converged-loops"));
  options.passes = "scalarize";
  EXPECT_TRUE(options.wants("scalarize-loads"));
  EXPECT_FALSE(options.wants("converged-loops"));
  EXPECT_FALSE(options.wants("cfm"));
  options.passes = "scalarize-loads,converged-loops";
  EXPECT_TRUE(options.wants("scalarize-loads"));
  EXPECT_TRUE(options.wants("converged-loops"));
  EXPECT_FALSE(options.wants("scalarize-values"));
  options.without = {"scalarize"};
  EXPECT_FALSE(options.wants("scalarize-loads"));
  EXPECT_FALSE(options.wants("converged-loops"));
  EXPECT_TRUE(meld::passes::isScalarizer("meld-scalarize-loads"));
  EXPECT_FALSE(meld::passes::isScalarizer("meld-cfm"));
}

TEST(MeldOptions, EachPassCanBeLeftOut) {
  for (llvm::StringRef pass : MeldOptions::passNames()) {
    auto parsed = MeldOptions::parse(("no-" + pass).str());
    ASSERT_TRUE(bool(parsed)) << pass.str();
    for (llvm::StringRef other : MeldOptions::passNames())
      EXPECT_EQ(parsed->wants(other),
                MeldOptions().wants(other) && other != pass &&
                    (pass != "scalarize" || !meld::passes::isScalarizer(("meld-" + other).str())))
          << other.str();
  }
  auto list = MeldOptions::parse("passes= no-meld-switch ,cfm,switch");
  ASSERT_TRUE(bool(list));
  EXPECT_TRUE(list->wants("cfm"));
  EXPECT_FALSE(list->wants("switch"));
  list = MeldOptions::parse("passes=no-switch");
  ASSERT_TRUE(bool(list));
  EXPECT_TRUE(list->wants("cfm"));
  EXPECT_FALSE(list->wants("switch"));
  EXPECT_NE(errorOf("passes=no-all"), "");
  EXPECT_NE(errorOf("passes=cfm,fusion").find("'fusion'"), std::string::npos);
  EXPECT_EQ(errorOf("passes=meld-switch,cfm"), "");
}

TEST(DecisionLog, CountsWhatWasMelded) {
  DecisionLog log;
  Decision decision;
  decision.kernel = "k";
  log.add(decision);
  decision.melded = true;
  log.add(decision);
  EXPECT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.meldedCount(), 1u);
  log.clear();
  EXPECT_TRUE(log.entries().empty());
}

} // namespace
