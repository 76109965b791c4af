// /dev/kfd with several devices: each request goes to the device that it names. The program runs
// with MELD_GPU set before anything reads it.
#include "runtime/softgpu/kfd/driver.h"
#include "runtime/softgpu/kfd/sysfs.h"
#include "tests/runtime/softgpu/kfd/rings.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace meld::softgpu {
namespace {

[[maybe_unused]] const bool prepared = [] {
  ::setenv("MELD_GPU", "gfx90a,gfx900,gfx900", 1);
  ::setenv("MELD_GPU_MEM", "64M,128M,256M", 1);
  return true;
}();

constexpr uint32_t kIds[] = {kGpuId, kGpuId + 1, kGpuId + 2};
constexpr uint32_t kNobody = kGpuId + 3;
constexpr uint64_t kMemory[] = {64u << 20, 128u << 20, 256u << 20};

struct DevicesTest : ::testing::Test {
  Driver &driver = *Driver::open();

  template <class Args> int call(unsigned nr, Args &args) {
    return driver.ioctl(_IOC(_IOC_READ | _IOC_WRITE, 'K', nr, sizeof args), &args);
  }
  template <class Args> int ask(unsigned nr, uint32_t gpu) {
    Args args{};
    args.gpu_id = gpu;
    return call(nr, args);
  }
  struct Available {
    uint64_t bytes;
    uint32_t gpu, pad;
  };
  uint64_t available(uint32_t gpu) {
    Available args{0, gpu, 0};
    EXPECT_EQ(call(0x23, args), 0);
    return args.bytes;
  }
};

TEST_F(DevicesTest, AperturesOfAllOrAsManyAsFit) {
  kfd_ioctl_get_process_apertures_new_args args{};
  EXPECT_EQ(call(0x14, args), 0);
  EXPECT_EQ(args.num_of_nodes, 3u);
  for (const uint32_t room : {5u, 3u, 2u}) {
    kfd_process_device_apertures p[5] = {};
    args.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(p);
    args.num_of_nodes = room;
    EXPECT_EQ(call(0x14, args), 0);
    EXPECT_EQ(args.num_of_nodes, std::min(room, 3u));
    for (uint32_t i = 0; i < 5; ++i)
      EXPECT_EQ(p[i].gpu_id, i < args.num_of_nodes ? kIds[i] : 0u);
  }
}

// The offsets of gpu_id differ from request to request.
TEST_F(DevicesTest, RequestsThatChangeNothingWantAKnownDevice) {
  for (const uint32_t id : {kIds[0], kIds[1], kIds[2], kNobody}) {
    const int expected = id == kNobody ? -EINVAL : 0;
    EXPECT_EQ(ask<kfd_ioctl_set_memory_policy_args>(0x04, id), expected);
    EXPECT_EQ(ask<kfd_ioctl_acquire_vm_args>(0x15, id), expected);
    EXPECT_EQ(ask<kfd_ioctl_set_scratch_backing_va_args>(0x11, id), expected);
    EXPECT_EQ(ask<kfd_ioctl_set_trap_handler_args>(0x13, id), expected);
    EXPECT_EQ(ask<kfd_ioctl_get_tile_config_args>(0x12, id), expected);
    Available memory{0, id, 0};
    EXPECT_EQ(call(0x23, memory), expected);
  }
}

TEST_F(DevicesTest, MemoryIsTheDevicesOwn) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(available(kIds[i]), kMemory[i]);
  kfd_ioctl_alloc_memory_of_gpu_args a{};
  a.va_addr = 0x30000000;
  a.size = 100u << 20; // more than the first has
  a.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC;
  a.gpu_id = kNobody;
  EXPECT_EQ(call(0x16, a), -EINVAL);
  a.gpu_id = kIds[0];
  EXPECT_EQ(call(0x16, a), -ENOMEM);
  a.gpu_id = kIds[1];
  ASSERT_EQ(call(0x16, a), 0);
  EXPECT_EQ(available(kIds[0]), kMemory[0]);
  EXPECT_EQ(available(kIds[1]), kMemory[1] - a.size);
  EXPECT_EQ(available(kIds[2]), kMemory[2]);
  // To two devices at once, to none when one of them is unknown.
  uint32_t ids[] = {kIds[2], kIds[1], kNobody};
  kfd_ioctl_map_memory_to_gpu_args map{};
  map.handle = a.handle;
  map.device_ids_array_ptr = reinterpret_cast<uint64_t>(ids);
  map.n_devices = 3;
  EXPECT_EQ(call(0x18, map), -EINVAL);
  map.n_devices = 2;
  EXPECT_EQ(call(0x18, map), 0);
  EXPECT_EQ(map.n_success, 2u);
  kfd_ioctl_unmap_memory_from_gpu_args unmap{};
  unmap.handle = a.handle;
  unmap.device_ids_array_ptr = map.device_ids_array_ptr;
  unmap.n_devices = 3;
  EXPECT_EQ(call(0x19, unmap), -EINVAL);
  unmap.n_devices = 2;
  EXPECT_EQ(call(0x19, unmap), 0);
  EXPECT_EQ(unmap.n_success, 2u);
  kfd_ioctl_free_memory_of_gpu_args release{a.handle};
  EXPECT_EQ(call(0x17, release), 0);
  EXPECT_EQ(available(kIds[1]), kMemory[1]);
}

// Doorbell pages of their own, one number space for queues; each works off its ring.
TEST_F(DevicesTest, QueuesRingTheirOwnDoorbells) {
  test::AqlRing<64> rings[3];
  kfd_ioctl_create_queue_args q[3] = {};
  const int kfd = driver.kfdDescriptor();
  ASSERT_GE(kfd, 0);
  for (int i = 0; i < 3; ++i) {
    q[i].ring_base_address = reinterpret_cast<uint64_t>(rings[i].packets.data());
    q[i].ring_size = sizeof rings[i].packets;
    q[i].queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    q[i].queue_percentage = 100;
    q[i].write_pointer_address = reinterpret_cast<uint64_t>(&rings[i].queue.write_dispatch_id);
    q[i].read_pointer_address = reinterpret_cast<uint64_t>(&rings[i].queue.read_dispatch_id);
    q[i].gpu_id = kNobody;
    EXPECT_EQ(call(0x02, q[i]), -EINVAL);
    q[i].gpu_id = kIds[i];
    ASSERT_EQ(call(0x02, q[i]), 0);
    EXPECT_EQ(q[i].doorbell_offset >> 32, uint64_t(i) + 1);
    for (int k = 0; k < i; ++k)
      EXPECT_NE(q[i].queue_id, q[k].queue_id);
  }
  for (int i = 2; i >= 0; --i) {
    test::Signal done;
    rings[i].barrier(false, {}, done.handle());
    auto *page =
        static_cast<uint64_t *>(::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                                       off_t(q[i].doorbell_offset & ~0xffff'ffffull)));
    ASSERT_NE(page, MAP_FAILED);
    std::atomic_ref(page[(q[i].doorbell_offset & 0xffff'ffff) / 8])
        .store(0, std::memory_order_release);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    auto value = [&] {
      return std::atomic_ref(const_cast<int64_t &>(done.raw.value)).load(std::memory_order_acquire);
    };
    while (value() != 0 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    EXPECT_EQ(value(), 0) << i;
    ::munmap(page, 8192);
  }
  for (const auto &queue : q) {
    kfd_ioctl_destroy_queue_args destroy{queue.queue_id, 0};
    EXPECT_EQ(call(0x03, destroy), 0);
  }
  ::close(kfd);
}

} // namespace
} // namespace meld::softgpu
