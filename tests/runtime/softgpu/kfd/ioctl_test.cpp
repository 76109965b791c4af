// Every request number of /dev/kfd, as a user of the device issues it: through descriptor and
// request number, no library in between. The numbers are written out here: linux/kfd_ioctl.h of
// older systems lacks some.
#include "runtime/softgpu/kfd/driver.h"
#include "runtime/softgpu/kfd/sysfs.h"
#include "tests/runtime/softgpu/kfd/rings.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace meld::softgpu {
namespace {

struct IoctlTest : ::testing::Test {
  Driver &driver = *Driver::open();

  template <class Args> int call(unsigned nr, Args &args, size_t size = sizeof(Args)) {
    return driver.ioctl(_IOC(_IOC_READ | _IOC_WRITE, 'K', nr, size), &args);
  }
  uint64_t available() {
    struct {
      uint64_t available;
      uint32_t gpu, pad;
    } args{0, uint32_t(kGpuId), 0};
    EXPECT_EQ(call(0x23, args), 0);
    return args.available;
  }
  kfd_ioctl_create_event_args event(bool autoReset) {
    kfd_ioctl_create_event_args args{};
    args.auto_reset = autoReset;
    EXPECT_EQ(call(0x08, args), 0);
    return args;
  }
  uint32_t wait(uint32_t event, uint32_t milliseconds) {
    kfd_event_data data{};
    data.event_id = event;
    kfd_ioctl_wait_events_args args{};
    args.events_ptr = reinterpret_cast<uint64_t>(&data);
    args.num_events = 1;
    args.timeout = milliseconds;
    call(0x0c, args);
    return args.wait_result;
  }
  template <class T> static bool soon(T condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    return condition();
  }
};

TEST_F(IoctlTest, Version) {
  kfd_ioctl_get_version_args args{};
  EXPECT_EQ(call(0x01, args), 0);
  EXPECT_EQ(args.major_version, 1u);
  EXPECT_EQ(args.minor_version, 14u);
}

TEST_F(IoctlTest, WhatIsNoRequest) {
  uint64_t args[8] = {};
  EXPECT_EQ(driver.ioctl(_IOC(_IOC_READ, 'd', 1, 8), args), -ENOTTY);
  EXPECT_EQ(driver.ioctl(_IOC(_IOC_READ, 'K', 1, 8), nullptr), -EFAULT);
  for (unsigned nr : {0x24u, 0x80u, 0x81u, 0x82u}) // dmabuf, IPC, debugger
    EXPECT_EQ(call(nr, args), -EINVAL) << nr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(0x7f, args), -EINVAL);
  EXPECT_EQ(call(0x7f, args), -EINVAL);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("127"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said; // once is enough
}

TEST_F(IoctlTest, WhatIsAcceptedAndChangesNothing) {
  uint64_t args[8] = {};
  for (unsigned nr : {0x04u, 0x15u, 0x1au, 0x11u, 0x13u}) // policy, VM, CU mask, scratch, trap
    EXPECT_EQ(call(nr, args), 0) << nr;
  kfd_ioctl_get_tile_config_args tiles{};
  tiles.num_tile_configs = tiles.num_macro_tile_configs = 7;
  EXPECT_EQ(call(0x12, tiles), 0);
  EXPECT_EQ(tiles.num_tile_configs + tiles.num_macro_tile_configs, 0u);
}

TEST_F(IoctlTest, ClocksAdvanceTogether) {
  kfd_ioctl_get_clock_counters_args a{}, b{};
  ASSERT_EQ(call(0x05, a), 0);
  ::usleep(2000);
  ASSERT_EQ(call(0x05, b), 0);
  EXPECT_EQ(b.system_clock_freq, 1'000'000'000u);
  EXPECT_GE(b.gpu_clock_counter - a.gpu_clock_counter, 2'000'000u); // 1 tick is 1 ns
  EXPECT_GE(b.cpu_clock_counter - a.cpu_clock_counter, 2'000'000u);
  EXPECT_GE(b.system_clock_counter - a.system_clock_counter, 2'000'000u);
}

TEST_F(IoctlTest, Apertures) {
  kfd_ioctl_get_process_apertures_new_args args{};
  EXPECT_EQ(call(0x14, args), 0);
  EXPECT_EQ(args.num_of_nodes, 1u);
  EXPECT_EQ(call(0x14, args), -EFAULT); // no place for the answer
  kfd_process_device_apertures p{};
  args.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(&p);
  EXPECT_EQ(call(0x14, args), 0);
  EXPECT_EQ(p.gpu_id, uint32_t(kGpuId));
  EXPECT_EQ(p.lds_base, 0x1'0000'0000'0000u);
  EXPECT_EQ(p.scratch_base, 0x2'0000'0000'0000u);
  EXPECT_EQ(p.lds_limit, p.lds_base + 0xffff'ffff);
  EXPECT_EQ(p.scratch_limit, p.scratch_base + 0xffff'ffff);
  EXPECT_EQ(p.gpuvm_base, 0x100'0000u);
  // Half of that taken, as by AddressSanitizer: all of user space.
  EXPECT_TRUE(p.gpuvm_limit == 0xff'ffff'ffffu || p.gpuvm_limit == 0x7fff'ffff'ffffu);
}

TEST_F(IoctlTest, MemoryFromAllocationToRelease) {
  const uint64_t before = available(), size = 1 << 20;
  void *at = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  kfd_ioctl_alloc_memory_of_gpu_args a{};
  a.va_addr = reinterpret_cast<uint64_t>(at);
  a.size = size;
  a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
  EXPECT_EQ(call(0x16, a), -EINVAL); // no such device
  a.gpu_id = uint32_t(kGpuId);
  ASSERT_EQ(call(0x16, a), 0);
  EXPECT_EQ(available(), before - size);
  kfd_ioctl_map_memory_to_gpu_args map{};
  uint32_t device = uint32_t(kGpuId);
  map.handle = a.handle;
  map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&device);
  map.n_devices = 1;
  EXPECT_EQ(call(0x18, map), 0);
  EXPECT_EQ(map.n_success, 1u);
  std::memset(at, 0x5a, size); // is memory now
  // The same bytes through the other way: the render node at mmap_offset.
  const int render = driver.renderDescriptor();
  ASSERT_GE(render, 0);
  auto *other = static_cast<uint8_t *>(
      ::mmap(nullptr, size, PROT_READ, MAP_SHARED, render, off_t(a.mmap_offset)));
  ASSERT_NE(other, MAP_FAILED);
  EXPECT_EQ(other[0], 0x5a);
  EXPECT_EQ(other[size - 1], 0x5a);
  ::munmap(other, size);
  ::close(render);
  kfd_ioctl_unmap_memory_from_gpu_args unmap{};
  unmap.handle = a.handle;
  unmap.n_devices = 1;
  EXPECT_EQ(call(0x19, unmap), 0);
  EXPECT_EQ(unmap.n_success, 1u);
  kfd_ioctl_free_memory_of_gpu_args release{a.handle};
  EXPECT_EQ(call(0x17, release), 0);
  EXPECT_EQ(call(0x17, release), -EINVAL);
  EXPECT_EQ(available(), before);
  ::munmap(at, size);
}

TEST_F(IoctlTest, EventsFromCreationToDestruction) {
  const auto keeps = event(false), resets = event(true);
  EXPECT_NE(keeps.event_page_offset, 0u);
  EXPECT_NE(resets.event_page_offset, 0u);
  EXPECT_LT(keeps.event_slot_index, 4096u);
  EXPECT_NE(keeps.event_id, resets.event_id);
  EXPECT_EQ(wait(keeps.event_id, 0), uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  kfd_ioctl_set_event_args set{keeps.event_id, 0};
  EXPECT_EQ(call(0x0a, set), 0);
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_EQ(wait(keeps.event_id, 0), uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  kfd_ioctl_reset_event_args reset{keeps.event_id, 0};
  EXPECT_EQ(call(0x0b, reset), 0);
  EXPECT_EQ(wait(keeps.event_id, 0), uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  set.event_id = resets.event_id;
  EXPECT_EQ(call(0x0a, set), 0);
  EXPECT_EQ(wait(resets.event_id, 0), uint32_t(KFD_IOC_WAIT_RESULT_COMPLETE));
  EXPECT_EQ(wait(resets.event_id, 0), uint32_t(KFD_IOC_WAIT_RESULT_TIMEOUT));
  for (uint32_t id : {keeps.event_id, resets.event_id}) {
    kfd_ioctl_destroy_event_args destroy{id, 0};
    EXPECT_EQ(call(0x09, destroy), 0);
    EXPECT_LT(call(0x09, destroy), 0);
  }
}

TEST_F(IoctlTest, QueueFromCreationToDestruction) {
  test::AqlRing<64> ring;
  kfd_ioctl_create_queue_args q{};
  q.ring_base_address = reinterpret_cast<uint64_t>(ring.packets.data());
  q.ring_size = sizeof ring.packets;
  q.gpu_id = uint32_t(kGpuId);
  q.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  q.queue_percentage = 100;
  q.write_pointer_address = reinterpret_cast<uint64_t>(&ring.queue.write_dispatch_id);
  q.read_pointer_address = reinterpret_cast<uint64_t>(&ring.queue.read_dispatch_id);
  ASSERT_EQ(call(0x02, q), 0);
  EXPECT_GE(q.doorbell_offset, 0x1'0000'0000u);

  const int kfd = driver.kfdDescriptor();
  ASSERT_GE(kfd, 0);
  void *page = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                      off_t(q.doorbell_offset & ~0xffff'ffffull));
  ASSERT_NE(page, MAP_FAILED);
  auto ringBell = [&](uint64_t index) {
    std::atomic_ref bell(static_cast<uint64_t *>(page)[(q.doorbell_offset & 0xffff'ffff) / 8]);
    bell.store(index, std::memory_order_release);
  };
  auto value = [](test::Signal &s) {
    return std::atomic_ref(const_cast<int64_t &>(s.raw.value)).load(std::memory_order_acquire);
  };
  test::Signal first, second;
  ring.barrier(false, {}, first.handle());
  ringBell(0);
  EXPECT_TRUE(soon([&] { return value(first) == 0; }));

  // Percentage 0 suspends, another resumes.
  kfd_ioctl_update_queue_args update{};
  update.queue_id = q.queue_id;
  update.ring_base_address = q.ring_base_address;
  update.ring_size = q.ring_size;
  EXPECT_EQ(call(0x07, update), 0);
  ::usleep(1000); // what it does now it may finish
  ring.barrier(false, {}, second.handle());
  ringBell(1);
  ::usleep(20000);
  EXPECT_EQ(value(second), 1);
  update.queue_percentage = 100;
  EXPECT_EQ(call(0x07, update), 0);
  EXPECT_TRUE(soon([&] { return value(second) == 0; }));

  kfd_ioctl_alloc_queue_gws_args gws{};
  gws.queue_id = q.queue_id;
  gws.num_gws = 64;
  gws.first_gws = 9;
  EXPECT_EQ(call(0x1e, gws), 0);
  EXPECT_EQ(gws.first_gws, 0u);
  kfd_ioctl_destroy_queue_args destroy{q.queue_id, 0};
  EXPECT_EQ(call(0x03, destroy), 0);
  EXPECT_LT(call(0x03, destroy), 0);
  EXPECT_EQ(call(0x1e, gws), -EINVAL);
  ::munmap(page, 8192);
  ::close(kfd);
}

TEST_F(IoctlTest, CreateQueueOfBothSizes) {
  // 88 bytes up to ROCm 5, 96 later: the rest counts as zero.
  for (size_t size : {size_t(88), size_t(96)}) {
    test::AqlRing<64> ring;
    union {
      kfd_ioctl_create_queue_args q;
      uint8_t bytes[96];
    } a{};
    std::memset(a.bytes, 0, sizeof a.bytes);
    a.q.ring_base_address = reinterpret_cast<uint64_t>(ring.packets.data());
    a.q.ring_size = sizeof ring.packets;
    a.q.gpu_id = uint32_t(kGpuId);
    a.q.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    a.q.queue_percentage = 100;
    a.q.write_pointer_address = reinterpret_cast<uint64_t>(&ring.queue.write_dispatch_id);
    a.q.read_pointer_address = reinterpret_cast<uint64_t>(&ring.queue.read_dispatch_id);
    ASSERT_EQ(call(0x02, a, size), 0) << size;
    kfd_ioctl_destroy_queue_args destroy{a.q.queue_id, 0};
    EXPECT_EQ(call(0x03, destroy), 0);
  }
}

TEST_F(IoctlTest, XnackIsOffAndStaysOff) {
  int32_t enabled = -1;
  EXPECT_EQ(call(0x21, enabled), 0);
  EXPECT_EQ(enabled, 0);
  enabled = 1;
  EXPECT_EQ(call(0x21, enabled), -EPERM);
  enabled = 0;
  EXPECT_EQ(call(0x21, enabled), 0);
}

TEST_F(IoctlTest, SvmAttributesFollowTheFixedPart) {
  alignas(8) uint8_t bytes[sizeof(kfd_ioctl_svm_args) + sizeof(kfd_ioctl_svm_attribute)] = {};
  auto &args = *reinterpret_cast<kfd_ioctl_svm_args *>(bytes);
  args.start_addr = 0x7000'0000;
  args.size = 0x4000;
  args.nattr = 1;
  args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
  args.attrs[0] = {KFD_IOCTL_SVM_ATTR_GRANULARITY, 6};
  EXPECT_EQ(call(0x20, bytes), 0);
  args.op = KFD_IOCTL_SVM_OP_GET_ATTR;
  args.attrs[0].value = 0;
  EXPECT_EQ(call(0x20, bytes), 0);
  EXPECT_EQ(args.attrs[0].value, 6u);
  // Says one attribute, brings none.
  EXPECT_EQ(call(0x20, bytes, sizeof(kfd_ioctl_svm_args)), -EINVAL);
}

} // namespace
} // namespace meld::softgpu
