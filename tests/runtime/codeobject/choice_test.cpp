// Which code object of a bundle a device loads. Oracles: ROCr's Isa::IsCompatible, comgr's
// lookup-code-object test, hipamd's order of native and generic code, and HIP 6.4.3 (choice.h names them).
#include "runtime/codeobject/choice.h"
#include "runtime/codeobject/hostfile.h"
#include "runtime/gpu/target.h"
#include "tests/runtime/codeobject/builder.h"

#include <gtest/gtest.h>

using namespace meld;

namespace {

Isa device(const char *text) {
  auto isa = parseTargetId(text);
  EXPECT_TRUE(isa) << isa.error().message;
  return isa ? *isa : Isa{};
}

Isa code(const char *text, unsigned version = 1) {
  Isa isa = device(text);
  isa.genericVersion = isGenericTarget(isa.processor) ? version : 0;
  return isa;
}

/// The chosen ones' target ids, after the last dash.
std::vector<size_t> chosen(const char *text, const std::vector<const char *> &bundle) {
  std::vector<Isa> codes;
  for (const char *one : bundle)
    codes.push_back(code(one));
  return chosenFor(device(text), codes);
}

using Places = std::vector<size_t>;

} // namespace

TEST(Choice, FeaturesThatAreFixedHaveToBeTheDevices) {
  struct Case {
    const char *code;
    bool off, on; ///< runs where the device's xnack is so
  };
  for (const auto &[text, off, on] :
       {Case{"gfx90a", true, true}, Case{"gfx90a:xnack-", true, false},
        Case{"gfx90a:xnack+", false, true}, Case{"gfx90a:sramecc+", true, true},
        Case{"gfx90a:sramecc-", false, false}, Case{"gfx90a:sramecc+:xnack-", true, false},
        Case{"gfx90a:sramecc-:xnack-", false, false}, Case{"gfx908", false, false}}) {
    EXPECT_EQ(runsOn(code(text), device("gfx90a:sramecc+:xnack-")), off) << text;
    EXPECT_EQ(runsOn(code(text), device("gfx90a:sramecc+:xnack+")), on) << text;
    EXPECT_EQ(runsOn(code(text), device("gfx90a:sramecc+")), off || on) << text;
  }
}

TEST(Choice, GenericCodeRunsOnItsProcessors) {
  for (const Target &target : targets())
    for (const Target &generic : targets())
      if (isGenericTarget(generic.name)) {
        const bool runs = generic.name == target.generic || generic.name == target.name;
        const std::string one(generic.name), other(target.name);
        EXPECT_EQ(runsOn(code(one.c_str()), device(other.c_str())), runs) << one << " " << other;
      }
  EXPECT_FALSE(runsOn(code("gfx9-generic:xnack+"), device("gfx906:sramecc+:xnack-")));
  EXPECT_TRUE(runsOn(code("gfx9-generic:xnack-"), device("gfx906:sramecc+:xnack-")));
  EXPECT_FALSE(runsOn(code("gfx9-4-generic:sramecc+"), device("gfx942:sramecc-:xnack-")));
  EXPECT_TRUE(runsOn(code("gfx9-4-generic"), device("gfx950:sramecc+:xnack+")));
  EXPECT_FALSE(runsOn(code("gfx9-generic"), device("gfx90a"))) << "not one of its processors";
  EXPECT_FALSE(runsOn(code("gfx900"), device("gfx902"))) << "only generic code is shared";
  EXPECT_FALSE(runsOn(code("gfx11-generic", 0), device("gfx1100"))) << "the version is missing";
  EXPECT_TRUE(runsOn(code("gfx11-generic", 7), device("gfx1100")));
}

// HIP 6.4 takes the first of both, HIP 7 the processor's own: all that one of them would load.
TEST(Choice, GenericCodeBesideTheProcessorsOwn) {
  EXPECT_EQ(chosen("gfx1100", {"gfx11-generic", "gfx1100", "gfx1101"}), (Places{0, 1}));
  EXPECT_EQ(chosen("gfx1100", {"gfx1100", "gfx11-generic", "gfx1101"}), Places{0});
  EXPECT_EQ(chosen("gfx1102", {"gfx11-generic", "gfx1100", "gfx1101"}), Places{0});
  EXPECT_EQ(chosen("gfx1030", {"gfx11-generic", "gfx1100", "gfx1101"}), Places{});
  EXPECT_EQ(chosen("gfx906:sramecc+:xnack-", {"gfx9-generic", "gfx906:xnack+"}), Places{0});
  EXPECT_EQ(chosen("gfx906:sramecc+:xnack+", {"gfx9-generic", "gfx906:xnack+"}), (Places{0, 1}));
  EXPECT_EQ(chosen("gfx906:sramecc+:xnack+", {"gfx906:xnack+", "gfx9-generic"}), Places{0});
  EXPECT_EQ(chosen("gfx1250", {"gfx12-generic"}), Places{});
}

TEST(Choice, OfSeveralThatFitTheFirst) {
  EXPECT_EQ(chosen("gfx90a:sramecc+:xnack-", {"gfx90a", "gfx90a:xnack-"}), Places{0});
  EXPECT_EQ(chosen("gfx90a:sramecc+:xnack-", {"gfx90a:xnack-", "gfx90a"}), Places{0});
}

TEST(Choice, WhereFeaturesAreNotKnownAllThatSomeSettingLoads) {
  EXPECT_EQ(chosen("gfx90a", {"gfx90a:xnack-", "gfx90a:xnack+"}), (Places{0, 1}));
  EXPECT_EQ(chosen("gfx90a:xnack+", {"gfx90a:xnack-", "gfx90a:xnack+"}), Places{1});
  EXPECT_EQ(chosen("gfx906", {"gfx9-generic", "gfx906:sramecc+:xnack+"}), (Places{0, 1}));
  EXPECT_EQ(chosen("gfx90a", {"gfx90a"}), Places{0});
  EXPECT_EQ(chosen("gfx90a", {}), Places{});
}

// A host file's section with two bundles: one object of each is loaded.
TEST(Choice, ImagesSayWhichBundleTheyAreOf) {
  using namespace meld::test;
  const std::string id = "hipv4-amdgcn-amd-amdhsa--";
  const Bytes object = build({});
  const Bytes host =
      buildHostFile({buildBundle({{id + "gfx90a:xnack+", object}, {id + "gfx90a:xnack-", object}}),
                     buildBundle({{id + "gfx90a", object}})});
  auto images = findDeviceImages(host);
  ASSERT_TRUE(images) << images.error().message;
  ASSERT_EQ(images->size(), 3u);
  EXPECT_EQ((*images)[0].bundle, 0u);
  EXPECT_EQ((*images)[1].bundle, 0u);
  EXPECT_EQ((*images)[2].bundle, 1u);
}
