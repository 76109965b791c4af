// Served versions on a ROCr that fails at each step in turn: the host gets the version's kernel
// object or the original's, and nothing of ours is left behind.
#include "tests/shim/fakerocr.h"

#include <fstream>

using namespace meld;
using namespace meld::test;

namespace {

/// What ROCr refuses, once the version comes to it.
enum class Refuses { nothing, executable, variable, define, reader, load, freeze, symbol };
Refuses gRefuses;
std::vector<std::pair<std::string, uint64_t>> gDefined;
constexpr uint64_t kApplication = 1; ///< its executable
constexpr uint64_t kVariable = 1;    ///< bit of a symbol's handle: no kernel

/// The only executable that is not the application's is a version's.
bool isVersion(hsa_executable_t executable) { return executable.handle != kApplication; }

hsa_status_t create(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding,
                    const char *options, hsa_executable_t *executable) {
  if (gRefuses == Refuses::executable)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const hsa_status_t status = fakeCreateExecutable(profile, rounding, options, executable);
  gRocr->executables[executable->handle];
  return status;
}
hsa_status_t find(hsa_executable_t executable, const char *name, const hsa_agent_t *,
                  hsa_executable_symbol_t *symbol) {
  const bool kernel = std::string(name) == "kernel.kd";
  if (gRefuses == (kernel ? Refuses::symbol : Refuses::variable) &&
      (!kernel || isVersion(executable)))
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  symbol->handle = executable.handle * 2 + (kernel ? 0 : kVariable);
  return HSA_STATUS_SUCCESS;
}
uint64_t objectOf(uint64_t executable) { return 0x1000 * executable; }
hsa_status_t info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what, void *value) {
  const bool kernel = !(symbol.handle & kVariable);
  const uint64_t address = objectOf(symbol.handle / 2) + (kernel ? 0 : 64);
  const hsa_symbol_kind_t kind = kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
  if (what == HSA_EXECUTABLE_SYMBOL_INFO_TYPE)
    memcpy(value, &kind, sizeof kind);
  else if (what == (kernel ? HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT
                           : HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS))
    memcpy(value, &address, sizeof address);
  else
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}
hsa_status_t define(hsa_executable_t executable, hsa_agent_t, const char *name, void *address) {
  EXPECT_TRUE(isVersion(executable));
  EXPECT_TRUE(gRocr->executables[executable.handle].empty()) << "definitions come before the load";
  if (gRefuses == Refuses::define)
    return HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  gDefined.emplace_back(name, reinterpret_cast<uint64_t>(address));
  return HSA_STATUS_SUCCESS;
}

class Serve : public Hooks {
protected:
  void SetUp() override {
    BuildObject object;
    object.variables = {{"counter", {7, 0, 0, 0}, false, 4}};
    original_ = build(object);
    object.variables.clear();
    object.undefined = {"counter"};
    object.text[0] = 0x55;
    compilerGives(object);
    gRefuses = Refuses::nothing;
    gDefined.clear();
    core_.hsa_executable_get_symbol_by_name_fn = find;
    core_.hsa_executable_symbol_get_info_fn = info;
    core_.hsa_executable_agent_global_variable_define_fn = define;
    process_.served.serveAll("melded");
    Hooks::SetUp();
    setenv("FAKEJIT_MODE", "from", 1);
    removeHooks();
    core_.hsa_executable_create_alt_fn = create;
    ASSERT_TRUE(installHooks(&table_, &process_));
  }

  /// The version that comes out of the next compile.
  void compilerGives(const BuildObject &object) {
    const std::string file = scratch_.file("version");
    setenv("FAKEJIT_FROM", file.c_str(), 1);
    const Bytes bytes = build(object);
    std::ofstream(file + "-gfx90a", std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }

  /// Loads and freezes the original as the application does, and asks as HIP does.
  uint64_t launched() {
    source_ = reader(original_);
    EXPECT_EQ(load(kApplication, source_), HSA_STATUS_SUCCESS);
    EXPECT_EQ(core_.hsa_executable_freeze_fn({kApplication}, nullptr), HSA_STATUS_SUCCESS);
    return object();
  }
  uint64_t object() {
    uint64_t object = 0;
    EXPECT_EQ(core_.hsa_executable_symbol_get_info_fn(
                  {2 * kApplication}, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object),
              HSA_STATUS_SUCCESS);
    return object;
  }
  void unload() {
    core_.hsa_executable_destroy_fn({kApplication});
    core_.hsa_code_object_reader_destroy_fn(source_);
    EXPECT_TRUE(rocr_.executables.empty());
    EXPECT_TRUE(rocr_.readers.empty());
  }

  hsa_code_object_reader_t source_{};
};

} // namespace

TEST_F(Serve, TheHostGetsTheVersionUntilItsOriginalGoes) {
  const uint64_t served = launched();
  EXPECT_NE(served, objectOf(kApplication));
  EXPECT_EQ(loadedInto(kApplication), original_);
  EXPECT_NE(loadedInto(served / 0x1000), original_);
  EXPECT_EQ(gDefined, (std::vector<std::pair<std::string, uint64_t>>{
                          {"counter", objectOf(kApplication) + 64}}));
  unload();
  EXPECT_EQ(object(), objectOf(kApplication)) << "the address may be another kernel's now";
}

TEST_F(Serve, WhateverRocrRefusesTheOriginalRuns) {
  for (Refuses refuses : {Refuses::executable, Refuses::variable, Refuses::define, Refuses::reader,
                          Refuses::load, Refuses::freeze, Refuses::symbol}) {
    SCOPED_TRACE(int(refuses));
    process_.settings.cacheDir = scratch_.file("cache" + std::to_string(int(refuses)));
    newEngine();
    gRefuses = refuses;
    rocr_.refuseReplacement = refuses == Refuses::reader   ? 1
                              : refuses == Refuses::load   ? 2
                              : refuses == Refuses::freeze ? 3
                                                           : 0;
    EXPECT_EQ(launched(), objectOf(kApplication));
    unload();
  }
}

TEST_F(Serve, TwoObjectsInOneExecutableAreLeftAlone) {
  const auto second = reader(original_);
  EXPECT_EQ(load(kApplication, second), HSA_STATUS_SUCCESS);
  EXPECT_EQ(launched(), objectOf(kApplication));
  core_.hsa_code_object_reader_destroy_fn(second);
  unload();
}

// What grows must not be served: the host has filled its packets for the original.
TEST_F(Serve, TheGateForServingIsAsked) {
  BuildObject more;
  more.kernels[0].group = 64;
  compilerGives(more);
  EXPECT_EQ(launched(), objectOf(kApplication));
  unload();
}
