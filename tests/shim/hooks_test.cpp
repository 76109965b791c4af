// The hooks on a table of our own making: what an application asks of HSA, and what reaches "ROCr".
#include "tests/shim/fakerocr.h"

#include <fcntl.h>
#include <fstream>

using namespace meld;
using namespace meld::test;

TEST_F(Hooks, AnObjectWithBitcodeIsReplacedWhole) {
  auto r = reader(original_);
  ASSERT_EQ(load(1, r), HSA_STATUS_SUCCESS);
  ASSERT_EQ(rocr_.executables[1].size(), 1u) << "one object, not two";
  EXPECT_NE(loadedInto(1), original_);
  EXPECT_EQ(loadedInto(1).size(), original_.size());
  EXPECT_EQ(rocr_.calls.back(), "load opt") << "the application's options are kept";
  EXPECT_TRUE(process_.objects.replacedKernels({1}).contains("kernel"));
}

// Two agents of different processors: each object is judged for the processor that it was made for,
// whatever else is loaded in between.
TEST_F(Hooks, AgentsWithDifferentIsas) {
  BuildObject description;
  description.flags = 0x52c; // gfx900
  description.target = "amdgcn-amd-amdhsa--gfx900";
  const Bytes other = build(description);
  hsa_code_object_reader_t first = reader(original_), second = reader(other);
  for (uint64_t round = 0; round < 2; ++round) {
    hsa_loaded_code_object_t loaded{};
    ASSERT_EQ(
        core_.hsa_executable_load_agent_code_object_fn({1 + round}, {10}, first, nullptr, &loaded),
        HSA_STATUS_SUCCESS);
    ASSERT_EQ(core_.hsa_executable_load_agent_code_object_fn({11 + round}, {20}, second, nullptr,
                                                             &loaded),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(loadedInto(1 + round).size(), original_.size());
    EXPECT_EQ(loadedInto(11 + round).size(), other.size());
    EXPECT_NE(loadedInto(1 + round), original_);
    EXPECT_NE(loadedInto(11 + round), other);
  }
  std::ifstream log(scratch_.file("compiles"));
  std::set<std::string> isas;
  size_t compiles = 0;
  for (std::string line, size; log >> line >> size; ++compiles)
    isas.insert(line);
  EXPECT_EQ(compiles, 2u) << "one each";
  EXPECT_EQ(isas,
            (std::set<std::string>{"amdgcn-amd-amdhsa--gfx90a", "amdgcn-amd-amdhsa--gfx900"}));
}

TEST_F(Hooks, NothingWithoutBitcode) {
  BuildObject plain;
  plain.bitcode.clear();
  Bytes bytes = build(plain);
  ASSERT_EQ(load(1, reader(bytes)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), bytes);
  EXPECT_EQ(rocr_.calls.size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("compiles")));
  EXPECT_FALSE(process_.objects.findReader({100}));
}

TEST_F(Hooks, GarbageIsPassedOnAsItIs) {
  Bytes bytes(1000, 'x');
  ASSERT_EQ(load(1, reader(bytes)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), bytes);
}

TEST_F(Hooks, ObserveReplacesNothing) {
  process_.settings.observe = true;
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), original_);
}

TEST_F(Hooks, FilesAndPartsOfFiles) {
  std::string path = scratch_.file("object");
  std::ofstream out(path, std::ios::binary);
  out << std::string(512, '#');
  out.write(reinterpret_cast<const char *>(original_.data()), original_.size());
  out.close();
  int fd = open(path.c_str(), O_RDONLY);

  hsa_ven_amd_loader_1_03_pfn_t loader{};
  ASSERT_EQ(core_.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
                                                          sizeof(loader), &loader),
            HSA_STATUS_SUCCESS);
  auto create = loader.hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size;
  EXPECT_NE(create, fakeFromRange);
  hsa_code_object_reader_t r{};
  ASSERT_EQ(create(fd, 512, original_.size(), &r), HSA_STATUS_SUCCESS);
  close(fd); // the descriptor is the application's to close once the reader is there
  ASSERT_EQ(load(1, r), HSA_STATUS_SUCCESS);
  EXPECT_NE(loadedInto(1), original_);

  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char *>(original_.data()), original_.size());
  fd = open(path.c_str(), O_RDONLY);
  lseek(fd, 100, SEEK_SET);
  ASSERT_EQ(core_.hsa_code_object_reader_create_from_file_fn(fd, &r), HSA_STATUS_SUCCESS);
  EXPECT_EQ(lseek(fd, 0, SEEK_CUR), 100) << "the file position is the application's";
  close(fd);
  ASSERT_EQ(load(2, r), HSA_STATUS_SUCCESS);
  EXPECT_NE(loadedInto(2), original_);

  hsa_ven_amd_loader_1_02_pfn_t older{};
  ASSERT_EQ(core_.hsa_system_get_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1, 2, &older),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(older.hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size, create);
  struct {
    hsa_ven_amd_loader_1_01_pfn_t table;
    void *behind;
  } small{{}, nullptr};
  ASSERT_EQ(core_.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
                                                          sizeof(small.table), &small.table),
            HSA_STATUS_SUCCESS);
  EXPECT_EQ(small.behind, nullptr) << "nothing is written past a shorter table";
}

TEST_F(Hooks, BytesAndReaderLiveAsLongAsTheExecutable) {
  auto r = reader(original_);
  ASSERT_EQ(load(1, r), HSA_STATUS_SUCCESS);
  ASSERT_EQ(rocr_.readers.size(), 2u);
  core_.hsa_code_object_reader_destroy_fn(r); // HIP destroys its reader early
  EXPECT_EQ(rocr_.readers.size(), 1u);
  EXPECT_FALSE(process_.objects.findReader(r));
  core_.hsa_executable_destroy_fn({1});
  EXPECT_TRUE(rocr_.readers.empty()) << "ours went with the executable";
  EXPECT_TRUE(rocr_.executables.empty());
}

TEST_F(Hooks, AReusedReaderHandleIsNotConfused) {
  auto r = reader(original_);
  core_.hsa_code_object_reader_destroy_fn(r);
  rocr_.nextHandle = r.handle; // ROCr hands the same address out again
  BuildObject plain;
  plain.bitcode.clear();
  Bytes bytes = build(plain);
  ASSERT_EQ(load(1, reader(bytes)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), bytes);
}

TEST_F(Hooks, WhatRocrRefusesIsFoundBeforeTheApplicationsExecutableIsTouched) {
  rocr_.refuseReplacement = 2;
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  ASSERT_EQ(rocr_.executables[1].size(), 1u);
  EXPECT_EQ(loadedInto(1), original_);
  EXPECT_EQ(rocr_.executables.size(), 1u) << "the trial executable is gone";
  ASSERT_EQ(load(2, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(2), original_) << "and it is not tried again";
  EXPECT_EQ(rocr_.calls.size(), 3u);
}

// Relocations are applied when the executable is frozen: what fails there would be the
// application's failure, and too late.
TEST_F(Hooks, TheTrialFreezesAsTheApplicationWould) {
  rocr_.refuseReplacement = 3;
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(core_.hsa_executable_freeze_fn({1}, nullptr), HSA_STATUS_SUCCESS);
  ASSERT_EQ(rocr_.executables[1].size(), 1u);
  EXPECT_EQ(loadedInto(1), original_);
  EXPECT_EQ(rocr_.executables.size(), 1u) << "the trial executable is gone";
  rocr_.refuseReplacement = 0;
  ASSERT_EQ(load(2, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(2), original_) << "and it is remembered";
}

TEST_F(Hooks, TheApplicationsExecutableIsItsOwnToFreeze) {
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_NE(loadedInto(1), original_);
  EXPECT_EQ(rocr_.frozen.size(), 1u) << "the trial";
  EXPECT_FALSE(rocr_.frozen.contains(1));
}

TEST_F(Hooks, WhatCameLateIsTriedBeforeItsFirstLoad) {
  for (int refuse : {2, 0}) {
    process_.settings.compileMode = CompileMode::async;
    process_.settings.cacheDir = scratch_.file("cache" + std::to_string(refuse));
    newEngine();
    ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
    EXPECT_EQ(loadedInto(1), original_) << "late";
    process_.engine->finish(std::chrono::seconds(60));
    for (bool disk : {true, false}) { // of another process, then of this one
      if (disk)
        newEngine();
      rocr_.executables.clear();
      rocr_.refuseReplacement = refuse;
      ASSERT_EQ(load(2, reader(original_)), HSA_STATUS_SUCCESS);
      ASSERT_EQ(rocr_.executables[2].size(), 1u) << "nothing else was put into it";
      EXPECT_EQ(rocr_.executables.size(), 1u) << "the trial executable is gone";
      EXPECT_EQ(loadedInto(2) == original_, refuse == 2);
    }
    // Once is enough, for every process to come.
    for (int round = 0; round < 2; ++round) {
      newEngine();
      const size_t before = rocr_.calls.size();
      ASSERT_EQ(load(3 + round, reader(original_)), HSA_STATUS_SUCCESS);
      EXPECT_EQ(rocr_.calls.size(), before + 1);
      EXPECT_EQ(loadedInto(3 + round) == original_, refuse == 2);
    }
  }
}

TEST_F(Hooks, AReaderThatCannotBeMadeMeansTheOriginal) {
  rocr_.refuseReplacement = 1;
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), original_);
  // Out of resources: not the replacement's fault, and nothing to be remembered.
  rocr_.refuseReplacement = 0;
  ASSERT_EQ(load(2, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_NE(loadedInto(2), original_);
}

TEST_F(Hooks, TheApplicationsErrorsAreItsOwn) {
  EXPECT_EQ(load(1, {77777}), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
  hsa_code_object_reader_t r{};
  rocr_.refuseReplacement = 1;
  Bytes other(10);
  EXPECT_EQ(core_.hsa_code_object_reader_create_from_memory_fn(other.data(), other.size(), &r),
            HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

TEST_F(Hooks, AForkedChildPassesThrough) {
  process_.passThrough = true;
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(1), original_);
}

namespace {
CoreApiTable *gCore;
bool gNested;
} // namespace

TEST_F(Hooks, CallsFromInsideAreNotHookedAgain) {
  // Another tool below us that loads something of its own while our load runs.
  gCore = &core_;
  gNested = false;
  rocr_.duringLoad = [] {
    if (gNested)
      return;
    gNested = true;
    hsa_code_object_reader_t r{};
    gCore->hsa_code_object_reader_create_from_memory_fn(gRocr->original.data(),
                                                        gRocr->original.size(), &r);
    gCore->hsa_executable_load_agent_code_object_fn({9}, {1}, r, nullptr, nullptr);
  };
  ASSERT_EQ(load(1, reader(original_)), HSA_STATUS_SUCCESS);
  EXPECT_EQ(loadedInto(9), original_);
  EXPECT_NE(loadedInto(1), original_);
}

TEST_F(Hooks, RemovingLeavesOtherToolsAlone) {
  decltype(core_.hsa_code_object_reader_destroy_fn) other = [](hsa_code_object_reader_t) {
    return HSA_STATUS_SUCCESS;
  };
  core_.hsa_code_object_reader_destroy_fn = other;
  removeHooks();
  EXPECT_EQ(core_.hsa_code_object_reader_destroy_fn, other);
  EXPECT_EQ(core_.hsa_executable_load_agent_code_object_fn, fakeLoad);
  EXPECT_EQ(core_.hsa_executable_freeze_fn, fakeFreeze);
}

TEST_F(Hooks, TablesThatAreTooSmallOrUnknownAreNotTouched) {
  removeHooks();
  auto refused = [&](auto change) {
    core_ = before_;
    table_.version = {1, sizeof(HsaApiTable), 0, 0};
    change();
    CoreApiTable copy = core_;
    EXPECT_FALSE(installHooks(&table_, &process_));
    EXPECT_EQ(memcmp(&copy, &core_, sizeof(copy)), 0);
  };
  refused([&] {
    core_.version.minor_id = offsetof(CoreApiTable, hsa_executable_load_agent_code_object_fn);
  });
  refused([&] { core_.version.major_id = 9; });
  refused([&] { table_.version.major_id = 9; });
  refused([&] { table_.version.minor_id = 8; });
  refused([&] { core_.hsa_executable_load_agent_code_object_fn = nullptr; });
  EXPECT_FALSE(installHooks(nullptr, &process_));
  core_ = before_;
  table_.version = {1, sizeof(HsaApiTable), 0, 0};
  EXPECT_TRUE(installHooks(&table_, &process_));
}
