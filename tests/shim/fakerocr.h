// A ROCr of our own making, and libmeld's hooks on its table.
#pragma once

#include "shim/hooks.h"
#include "shim/process.h"
#include "tests/runtime/cache/scratch.h"
#include "tests/runtime/codeobject/builder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

namespace meld::test {

/// A ROCr that only remembers.
struct FakeRocr {
  uint64_t nextHandle = 100;
  std::map<uint64_t, Bytes> readers; ///< alive
  std::map<uint64_t, std::vector<Bytes>> executables;
  std::vector<std::string> calls;
  /// 1: creating its reader fails, 2: loading it fails, 3: freezing an executable with it fails
  int refuseReplacement = 0;
  std::set<uint64_t> frozen;
  Bytes original;
  void (*duringLoad)() = nullptr;
};
inline FakeRocr *gRocr;

inline hsa_status_t fakeFromMemory(const void *bytes, size_t size,
                                   hsa_code_object_reader_t *reader) {
  const auto *from = static_cast<const uint8_t *>(bytes);
  Bytes content(from, from + size);
  if (gRocr->refuseReplacement == 1 && content != gRocr->original)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  reader->handle = gRocr->nextHandle++;
  gRocr->readers[reader->handle] = content;
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeFromFile(hsa_file_t file, hsa_code_object_reader_t *reader) {
  Bytes content(1 << 20);
  ssize_t size = pread(file, content.data(), content.size(), 0);
  content.resize(size);
  return fakeFromMemory(content.data(), content.size(), reader);
}
inline hsa_status_t fakeFromRange(hsa_file_t file, size_t offset, size_t size,
                                  hsa_code_object_reader_t *reader) {
  Bytes content(size);
  EXPECT_EQ(pread(file, content.data(), size, offset), ssize_t(size));
  return fakeFromMemory(content.data(), size, reader);
}
inline hsa_status_t fakeDestroyReader(hsa_code_object_reader_t reader) {
  return gRocr->readers.erase(reader.handle) ? HSA_STATUS_SUCCESS
                                             : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}
inline hsa_status_t fakeLoad(hsa_executable_t executable, hsa_agent_t,
                             hsa_code_object_reader_t reader, const char *options,
                             hsa_loaded_code_object_t *loaded) {
  gRocr->calls.push_back(std::string("load ") + (options ? options : "-"));
  auto it = gRocr->readers.find(reader.handle);
  if (it == gRocr->readers.end())
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  if (gRocr->duringLoad)
    gRocr->duringLoad();
  if (gRocr->refuseReplacement == 2 && it->second != gRocr->original)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  gRocr->executables[executable.handle].push_back(it->second);
  if (loaded)
    loaded->handle = 4711;
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeFreeze(hsa_executable_t executable, const char *) {
  if (gRocr->refuseReplacement == 3)
    for (const Bytes &object : gRocr->executables[executable.handle])
      if (object != gRocr->original)
        return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
  gRocr->frozen.insert(executable.handle);
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeCreateExecutable(hsa_profile_t, hsa_default_float_rounding_mode_t,
                                         const char *, hsa_executable_t *executable) {
  executable->handle = gRocr->nextHandle++;
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeDestroyExecutable(hsa_executable_t executable) {
  gRocr->executables.erase(executable.handle);
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeMajorTable(uint16_t extension, uint16_t, size_t length, void *table) {
  if (extension != HSA_EXTENSION_AMD_LOADER)
    return HSA_STATUS_ERROR;
  hsa_ven_amd_loader_1_03_pfn_t full{};
  full.hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size = fakeFromRange;
  memcpy(table, &full, std::min(length, sizeof(full)));
  return HSA_STATUS_SUCCESS;
}
inline hsa_status_t fakeTable(uint16_t extension, uint16_t major, uint16_t, void *table) {
  return fakeMajorTable(extension, major, sizeof(hsa_ven_amd_loader_1_02_pfn_t), table);
}
inline hsa_status_t fakeStatusString(hsa_status_t, const char **text) {
  *text = "a fake status";
  return HSA_STATUS_SUCCESS;
}

class Hooks : public testing::Test {
protected:
  void SetUp() override {
    gRocr = &rocr_;
    setenv("FAKEJIT_MODE", "replace", 1);
    setenv("FAKEJIT_LOG", scratch_.file("compiles").c_str(), 1);
    core_.version = {1, sizeof(CoreApiTable), 0, 0};
    core_.hsa_code_object_reader_create_from_memory_fn = fakeFromMemory;
    core_.hsa_code_object_reader_create_from_file_fn = fakeFromFile;
    core_.hsa_code_object_reader_destroy_fn = fakeDestroyReader;
    core_.hsa_executable_load_agent_code_object_fn = fakeLoad;
    core_.hsa_executable_freeze_fn = fakeFreeze;
    core_.hsa_executable_create_alt_fn = fakeCreateExecutable;
    core_.hsa_executable_destroy_fn = fakeDestroyExecutable;
    core_.hsa_system_get_extension_table_fn = fakeTable;
    core_.hsa_system_get_major_extension_table_fn = fakeMajorTable;
    core_.hsa_status_string_fn = fakeStatusString;
    table_.version = {1, sizeof(HsaApiTable), 0, 0};
    table_.core_ = &core_;
    process_.settings = parseSettings([](const char *) { return std::nullopt; }, {}).settings;
    process_.settings.cacheDir = scratch_.file("cache");
    process_.settings.logLevel = 0;
    process_.settings.adapt = "static"; // what is decided at load is what is tested
    newEngine();
    rocr_.original = original_;
    before_ = core_;
    ASSERT_TRUE(installHooks(&table_, &process_));
  }
  void TearDown() override { removeHooks(); }

  /// As in a new process.
  void newEngine() {
    EngineOptions options;
    options.settings = process_.settings;
    options.jitPath = MELD_FAKEJIT;
    process_.engine = std::make_unique<Engine>(options);
  }

  hsa_code_object_reader_t reader(const Bytes &bytes) {
    hsa_code_object_reader_t r{};
    EXPECT_EQ(core_.hsa_code_object_reader_create_from_memory_fn(bytes.data(), bytes.size(), &r),
              HSA_STATUS_SUCCESS);
    return r;
  }
  hsa_status_t load(uint64_t executable, hsa_code_object_reader_t r, const char *options = "opt") {
    hsa_loaded_code_object_t loaded{};
    hsa_status_t status =
        core_.hsa_executable_load_agent_code_object_fn({executable}, {1}, r, options, &loaded);
    if (status == HSA_STATUS_SUCCESS) {
      EXPECT_EQ(loaded.handle, 4711u);
    }
    return status;
  }
  const Bytes &loadedInto(uint64_t executable) { return rocr_.executables[executable].at(0); }

  Scratch scratch_;
  FakeRocr rocr_;
  CoreApiTable core_{}, before_{};
  HsaApiTable table_{};
  Process process_;
  Bytes original_ = build({});
};

} // namespace meld::test
