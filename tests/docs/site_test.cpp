// The site of docs/: every page fits a telephone and a desktop, and each picture is there whole.
#include "tests/browser.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace fs = std::filesystem;

namespace {

/// The site in a folder that goes away.
class Site : public testing::Test {
protected:
  void SetUp() override {
    const std::string generator = MELD_MKDOCS;
    if (access(generator.c_str(), X_OK) != 0)
      GTEST_SKIP() << "no mkdocs here: apt-get install mkdocs";
    std::string pattern = fs::temp_directory_path() / "meld-site-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const std::string command = generator +
                                " build --quiet --strict --config-file " MELD_SOURCE
                                "/site/mkdocs.yml --site-dir " +
                                pattern + "/site";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    for (const auto &entry : fs::recursive_directory_iterator(folder_ / "site"))
      if (entry.path().extension() == ".html")
        pages_.push_back(fs::relative(entry.path(), folder_ / "site"));
    std::sort(pages_.begin(), pages_.end());
  }
  void TearDown() override {
    if (!folder_.empty())
      fs::remove_all(folder_);
  }
  fs::path folder_;
  std::vector<std::string> pages_;
};

} // namespace

TEST_F(Site, NoPageScrollsSideways) {
  const std::string browser = MELD_CHROMIUM;
  if (access(browser.c_str(), X_OK) != 0)
    GTEST_SKIP() << "no Chromium here";
  ASSERT_GT(pages_.size(), 20u);
  std::vector<meld::test::Frame> frames;
  for (const int width : {390, 1280})
    for (const std::string &page : pages_)
      frames.push_back({page, width});
  const auto shown = meld::test::showAll(browser, folder_ / "site", frames, true);
  for (size_t i = 0; i < frames.size(); ++i) {
    const std::string what = frames[i].page + " at " + std::to_string(frames[i].width);
    EXPECT_EQ(shown[i].width, frames[i].width) << what << ": " << shown[i].log;
    EXPECT_LE(shown[i].contentWidth, frames[i].width) << what << ": it scrolls sideways";
    EXPECT_TRUE(shown[i].cut.empty()) << what << ": " << shown[i].cut.dump();
    EXPECT_TRUE(shown[i].broken.empty()) << what << ": " << shown[i].broken.dump();
    EXPECT_GT(shown[i].elements, 40) << what;
  }
  EXPECT_EQ(shown[0].log.find("CONSOLE"), std::string::npos) << shown[0].log;
}

TEST_F(Site, NothingIsFetchedAndThereIsNoScript) {
  for (const std::string &page : pages_) {
    std::ifstream in(folder_ / "site" / page);
    const std::string html(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(html.find("<script"), html.npos) << page;
    EXPECT_FALSE(std::regex_search(
        html, std::regex("(src|srcset)=\"(https?:)?//|<link[^>]*href=\"(https?:)?//")))
        << page;
  }
}
