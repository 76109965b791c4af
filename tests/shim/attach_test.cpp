#include "shim/attach.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace meld;

namespace {

std::string append(const char *existing, const std::string &path, bool *changed = nullptr) {
  char out[4096] = "";
  bool ok = appendToolsLib(existing, path.c_str(), out, sizeof(out));
  if (changed)
    *changed = ok;
  return out;
}

/// ROCr's reading of HSA_TOOLS_LIB, restated: blanks separate, quotes group, a backslash takes the
/// next character.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> names;
  std::string name;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size())
      name += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ' ' && !quoted) {
      names.push_back(name);
      name.clear();
    } else
      name += c;
  }
  if (!name.empty())
    names.push_back(name);
  return names;
}

} // namespace

TEST(ToolsLib, KeepsWhatTheUserHad) {
  EXPECT_EQ(append(nullptr, "/a/libmeld.so"), "/a/libmeld.so");
  EXPECT_EQ(append("", "/a/libmeld.so"), "/a/libmeld.so");
  EXPECT_EQ(append("/x/tool.so", "/a/libmeld.so"), "/x/tool.so /a/libmeld.so");
}

TEST(ToolsLib, NeverTwice) {
  bool changed = true;
  append("/x/tool.so /a/libmeld.so", "/a/libmeld.so", &changed);
  EXPECT_FALSE(changed);
  append("/a/libmeld.so", "/a/libmeld.so", &changed);
  EXPECT_FALSE(changed);
  append("/b/a/libmeld.so /a/libmeld.so.old", "/a/libmeld.so", &changed);
  EXPECT_TRUE(changed) << "part of another name is not this one";
}

TEST(ToolsLib, StrangePathsSurviveRocrsParser) {
  for (std::string path :
       {"/with space/libmeld.so", "/quo\"te/libmeld.so", "/back\\slash/libmeld.so"}) {
    std::string value = append("/x/tool.so", path);
    EXPECT_EQ(split(value), (std::vector<std::string>{"/x/tool.so", path})) << value;
    bool changed = true;
    append(value.c_str(), path, &changed);
    EXPECT_FALSE(changed) << value;
  }
}

TEST(ToolsLib, TooLongIsLeftAlone) {
  char out[16];
  EXPECT_FALSE(appendToolsLib("/x/tool.so", "/a/libmeld.so", out, sizeof(out)));
  std::string huge(100000, 'x');
  EXPECT_FALSE(appendToolsLib(nullptr, huge.c_str(), out, sizeof(out)));
}

TEST(Flags, Truth) {
  for (const char *yes : {"1", "on", "ON", "True", "yes"})
    EXPECT_TRUE(isTrue(yes));
  for (const char *no : {"0", "off", "", "2", "no"})
    EXPECT_FALSE(isTrue(no));
  EXPECT_FALSE(isTrue(nullptr));
}
