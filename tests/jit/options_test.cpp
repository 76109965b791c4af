#include "jit/code_object.h"
#include "jit/options.h"
#include "tests/jit/test_objects.h"
#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <set>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;

namespace {

CompileOptions of(const char *name) {
  auto file = codeObject(name);
  auto object = readDeviceObject(*file);
  EXPECT_TRUE(bool(object)) << errorOf(object);
  auto options = recoverOptions(ArrayRef<std::vector<std::string>>(object->commands));
  EXPECT_TRUE(bool(options)) << errorOf(options);
  return options ? *options : CompileOptions();
}

std::string refusal(std::vector<std::string> arguments) {
  auto options = recoverOptions(ArrayRef<std::string>(arguments));
  return errorOf(options);
}

TEST(Options, levelsAsGivenToHipcc) {
  EXPECT_EQ(of("reduce-O0").level, '0');
  EXPECT_EQ(of("reduce-O1").level, '1');
  EXPECT_EQ(of("reduce-O2").level, '2');
  EXPECT_EQ(of("reduce-gfx90a").level, '3');
  EXPECT_FALSE(of("reduce-O1").unrollLoops);
  EXPECT_TRUE(of("reduce-O2").unrollLoops);
}

TEST(Options, hipccsOwnBackEndOptions) {
  auto o = of("reduce-gfx90a");
  EXPECT_EQ(o.cpu, "gfx90a");
  std::vector<std::string> expected{"-amdgpu-internalize-symbols"};
  if (LLVM_VERSION_MAJOR < 20) // hipcc 7 leaves the others to its defaults
    expected.insert(expected.end(),
                    {"-amdgpu-early-inline-all=true", "-amdgpu-function-calls=false"});
  EXPECT_EQ(o.mllvm, expected);
}

TEST(Options, targetIdContractionAndVersion) {
  auto x = of("reduce-xnack").features;
  EXPECT_EQ(std::set<std::string>(x.begin(), x.end()),
            (std::set<std::string>{"+xnack", "-sramecc"}));
  EXPECT_EQ(of("reduce-contract").fpContract, "fast");
  auto v5 = of("reduce-v5");
  bool viaMllvm = std::find_if(v5.mllvm.begin(), v5.mllvm.end(), [](const std::string &m) {
                    return m == "--amdhsa-code-object-version=5";
                  }) != v5.mllvm.end();
  EXPECT_TRUE(viaMllvm || v5.codeObjectVersion == 5);
}

TEST(Options, badLinesNameTheArgument) {
  EXPECT_NE(refusal({"-O3", "-mllvm"}).find("argument 1"), std::string::npos);
  EXPECT_NE(refusal({"-O7"}).find("-O7"), std::string::npos);
  EXPECT_NE(refusal({"-mllvm", "-load=/x.so"}).find("-load"), std::string::npos);
  EXPECT_NE(refusal({"-mllvm", "-help"}).find("-help"), std::string::npos);
  EXPECT_NE(refusal({"-mllvm", "-no-such-option"}).find("-no-such-option"), std::string::npos);
  EXPECT_EQ(refusal({"-mllvm", "-print-after-all"}), "");
  EXPECT_EQ(refusal({"-mllvm", "-amdgpu-prelink"}), "");
}

TEST(Options, unitsMayNotContradictEachOther) {
  std::vector<std::vector<std::string>> lines{{"-O3"}, {"-O2"}};
  auto o = recoverOptions(ArrayRef<std::vector<std::string>>(lines));
  EXPECT_NE(errorOf(o).find("unit 1"), std::string::npos);
}

} // namespace
