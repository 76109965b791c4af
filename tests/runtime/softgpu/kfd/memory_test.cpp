#include "runtime/softgpu/kfd/memory.h"

#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace meld::softgpu {
namespace {

/// What is behind the render nodes.
int renderFile() {
  const int fd = ::memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(::ftruncate(fd, static_cast<off_t>(Memory::kFileBytes)), 0);
  return fd;
}

struct MemoryTest : ::testing::Test {
  DeviceConfig config = [] {
    DeviceConfig c;
    c.vramBytes = 1 << 20;
    return c;
  }();
  int fd = renderFile();
  Memory memory{{config}, fd};
  ~MemoryTest() override { ::close(fd); }

  Memory::Allocation vram(uint64_t size, int expected = 0,
                          uint32_t flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
    Memory::Allocation a;
    a.va = 0x10000000;
    a.size = size;
    a.flags = flags;
    EXPECT_EQ(memory.allocate(a), expected);
    return a;
  }
};

TEST_F(MemoryTest, VramIsLimitedByBytesNotByHoles) {
  std::vector<Memory::Allocation> all;
  for (int i = 0; i < 256; ++i)
    all.push_back(vram(4096));
  EXPECT_EQ(memory.available(), 0u);
  vram(4096, -ENOMEM);
  for (int i = 0; i < 256; i += 2)
    EXPECT_EQ(memory.release(all[i].handle), 0);
  EXPECT_EQ(memory.available(), 128u * 4096);
  const auto big = vram(128 * 4096); // no hole of this size exists below the others
  EXPECT_EQ(memory.release(big.handle), 0);
  EXPECT_EQ(memory.release(big.handle), -EINVAL);
}

TEST_F(MemoryTest, SystemMemoryDoesNotCount) {
  vram(1 << 20);
  vram(64 << 20, 0, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  vram(1, -ENOMEM);
}

TEST_F(MemoryTest, MappingMakesHiddenMemoryReadableAndFreeingClearsIt) {
  void *at = ::mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  Memory::Allocation a;
  a.va = reinterpret_cast<uint64_t>(at);
  a.size = 8192;
  a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  ASSERT_EQ(memory.allocate(a), 0);
  ASSERT_EQ(memory.mapToGpu(a.handle), 0);
  std::memset(at, 0x5a, 8192);
  unsigned char back = 0;
  EXPECT_EQ(::pread(fd, &back, 1, static_cast<off_t>(a.offset) + 4096), 1);
  EXPECT_EQ(back, 0x5a);
  const uint64_t offset = a.offset;
  EXPECT_EQ(memory.release(a.handle), 0);
  EXPECT_EQ(::pread(fd, &back, 1, static_cast<off_t>(offset) + 4096), 1);
  EXPECT_EQ(back, 0);
  EXPECT_EQ(memory.mapToGpu(a.handle), -EINVAL);
  ::munmap(at, 8192);
}

TEST_F(MemoryTest, UserPointersAreTranslated) {
  std::vector<Memory::Allocation> all;
  for (uint64_t i : {5u, 1u, 3u}) {
    Memory::Allocation a;
    a.va = 0x20000000 + i * 0x10000;
    a.host = 0x7f0000000000 + i * 0x100000;
    a.size = 0x2000;
    a.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
    ASSERT_EQ(memory.allocate(a), 0);
    all.push_back(a);
  }
  EXPECT_FALSE(memory.empty());
  uint64_t rest = 0;
  for (const auto &a : all) {
    EXPECT_EQ(memory.toHost(a.va), a.host);
    EXPECT_EQ(memory.toHost(a.va + 0x1fff, rest), a.host + 0x1fff);
    EXPECT_EQ(rest, 1u);
    EXPECT_EQ(memory.toHost(a.va + 0x2000), a.va + 0x2000);
    EXPECT_TRUE(memory.mapped(a.va, 0x2000));
    EXPECT_FALSE(memory.mapped(a.va, 0x2001));
  }
  EXPECT_EQ(memory.toHost(0x20000000, rest), 0x20000000u);
  EXPECT_EQ(rest, 0x10000u);
  for (const auto &a : all)
    EXPECT_EQ(memory.release(a.handle), 0);
  EXPECT_TRUE(memory.empty());
  EXPECT_EQ(memory.toHost(all[0].va), all[0].va);
}

TEST_F(MemoryTest, ReadersSeeWholeEntriesWhileTheTableChanges) {
  RemapTable table;
  constexpr uint64_t fixed = 0x40000000, host = 0x7f1234560000;
  table.add(fixed, 0x1000, host);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (int i = 0; i < 20000; ++i) { // entries on both sides: the fixed one keeps moving
      table.add(fixed - 0x2000, 0x1000, 0x1111000);
      table.add(fixed + 0x2000, 0x1000, 0x2222000);
      table.remove(fixed - 0x2000);
      table.remove(fixed + 0x2000);
    }
    stop = true;
  });
  do // at least once, even if the writer is done before we get the processor
    ASSERT_EQ(table.toHost(fixed + 0x123), host + 0x123);
  while (!stop);
  writer.join();
}

TEST_F(MemoryTest, WhatNobodyAllocatedIsNotTheKernels) {
  int onTheStack = 0;
  const auto heap = std::make_unique<int[]>(1024);
  static int global = 0;
  Svm svm;
  const DeviceView view(memory, svm, 0, 77);
  for (const void *host : {static_cast<void *>(&onTheStack), static_cast<void *>(heap.get()),
                           static_cast<void *>(&global)}) {
    EXPECT_FALSE(view.mapped(reinterpret_cast<uint64_t>(host), 4));
    EXPECT_TRUE(memory.mapped(reinterpret_cast<uint64_t>(host), 4)) << "the copy engines may";
  }
  // Registered under its own address: the range that was registered, and no byte more.
  const uint64_t page = (reinterpret_cast<uint64_t>(heap.get()) + 4095) & ~4095ull;
  Memory::Allocation pinned;
  pinned.va = pinned.host = page;
  pinned.size = 4096;
  pinned.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  ASSERT_EQ(memory.allocate(pinned), 0);
  EXPECT_TRUE(view.mapped(page, 4096));
  EXPECT_FALSE(view.mapped(page, 4097));
  EXPECT_FALSE(view.mapped(page - 1, 4));
  ASSERT_EQ(memory.release(pinned.handle), 0);
  EXPECT_FALSE(view.mapped(page, 4));
  // Managed: what this device was given access to.
  std::vector<char> buffer(sizeof(kfd_ioctl_svm_args));
  auto &args = *reinterpret_cast<kfd_ioctl_svm_args *>(buffer.data());
  args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
  args.start_addr = page;
  args.size = 0x2000;
  args.nattr = 2;
  kfd_ioctl_svm_attribute access[] = {{KFD_IOCTL_SVM_ATTR_ACCESS, 77},
                                      {KFD_IOCTL_SVM_ATTR_NO_ACCESS, 78}};
  ASSERT_EQ(svm.run(args, access), 0);
  EXPECT_TRUE(view.mapped(page, 0x2000));
  EXPECT_FALSE(view.mapped(page, 0x2001));
  EXPECT_FALSE(view.mapped(page - 4, 8));
  EXPECT_FALSE(DeviceView(memory, svm, 1, 78).mapped(page, 4));
  EXPECT_FALSE(DeviceView(memory, svm, 2, 79).mapped(page, 4));
}

TEST_F(MemoryTest, HostMemoryIsMappedAndNullIsNot) {
  int local = 0;
  EXPECT_TRUE(memory.mapped(reinterpret_cast<uint64_t>(&local), 4));
  EXPECT_FALSE(memory.mapped(0, 8));
  EXPECT_FALSE(memory.mapped(~0ull - 4, 64));
  EXPECT_FALSE(memory.mapped(config.windowBase + 0x5000000, 8));
}

/// In a process of its own: it is decided once.
TEST(MemoryDeathTest, AWindowThatIsTakenIsAllOfUserSpace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        DeviceConfig config;
        void *const at = reinterpret_cast<void *>(0xc000000000);
        // Elsewhere, where a sanitizer has something there.
        ::mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int local = 0;
        Memory memory({config}, ::memfd_create("test", MFD_CLOEXEC));
        const bool right = memory.windowLimit() == (1ull << 47) - 1 &&
                           memory.mapped(reinterpret_cast<uint64_t>(&local), 4) &&
                           !memory.mapped(0, 8) && !memory.mapped(0x5000000, 8);
        _exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(MemoryTest, ZeroAndAbsurdSizesAreRefused) {
  vram(0, -EINVAL);
  vram(~0ull, -EINVAL);
}

TEST_F(MemoryTest, EveryDeviceHasMemoryOfItsOwn) {
  DeviceConfig small = config, large = config;
  large.vramBytes = 4 << 20;
  const int other = renderFile();
  Memory two({small, large}, other);
  Memory::Allocation a, b;
  a.va = 0x10000000;
  a.size = small.vramBytes;
  b.va = 0x20000000;
  b.size = large.vramBytes;
  a.flags = b.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  b.device = 1;
  ASSERT_EQ(two.allocate(a), 0);
  EXPECT_EQ(two.available(0), 0u);
  EXPECT_EQ(two.available(1), large.vramBytes);
  ASSERT_EQ(two.allocate(b), 0);
  EXPECT_NE(a.offset, b.offset); // one descriptor holds both
  Memory::Allocation more = b;
  EXPECT_EQ(two.allocate(more), -ENOMEM);
  EXPECT_EQ(two.release(b.handle), 0);
  EXPECT_EQ(two.available(0), 0u);
  EXPECT_EQ(two.available(1), large.vramBytes);
  ::close(other);
}

TEST_F(MemoryTest, AnotherDeviceMayTouchWhatIsMappedToIt) {
  const int other = renderFile();
  Memory two({config, config}, other);
  const Svm svm;
  const DeviceView first(two, svm, 0, 77), second(two, svm, 1, 78);
  auto *at =
      static_cast<char *>(::mmap(nullptr, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(at, MAP_FAILED);
  Memory::Allocation a;
  a.va = 0x10000000; // in the window of device addresses
  a.size = 4096;
  a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
  ASSERT_EQ(two.allocate(a), 0);
  EXPECT_TRUE(first.mapped(a.va, 4096));
  EXPECT_FALSE(second.mapped(a.va, 4096));
  ASSERT_EQ(two.mapToGpu(a.handle, 1), 0);
  EXPECT_TRUE(second.mapped(a.va, 4096));
  EXPECT_FALSE(second.mapped(a.va, 4097));
  ASSERT_EQ(two.unmapFromGpu(a.handle, 1), 0);
  EXPECT_FALSE(second.mapped(a.va, 4096));
  EXPECT_TRUE(first.mapped(a.va, 4096));
  // Hidden memory becomes readable with whichever device comes first, and stays as it is for the
  // next.
  Memory::Allocation hidden;
  hidden.va = reinterpret_cast<uint64_t>(at);
  hidden.size = 4096;
  hidden.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  ASSERT_EQ(two.allocate(hidden), 0);
  ASSERT_EQ(two.mapToGpu(hidden.handle, 1), 0);
  at[0] = 17;
  ASSERT_EQ(two.mapToGpu(hidden.handle, 0), 0);
  EXPECT_EQ(at[0], 17);
  ASSERT_EQ(two.unmapFromGpu(hidden.handle, 1), 0);
  EXPECT_EQ(at[0], 17);
  EXPECT_EQ(two.unmapFromGpu(hidden.handle + 1, 0), -EINVAL);
  ::munmap(at, 8192);
  ::close(other);
}

} // namespace
} // namespace meld::softgpu
