#include "tests/fuzz/code_object_runner.h"

#include <cstring>
#include <hsa/hsa.h>
#include <llvm/Object/ELFObjectFile.h>
#include <sys/mman.h>

using namespace llvm;

namespace meld::fuzz {

DeviceMemory::DeviceMemory(size_t bytes) : bytes_((bytes + 4095) & ~size_t{4095}) {
  // Device memory lies below 1 TB: ask for a low address, as the real driver's library does. What
  // AddressSanitizer leaves of those is below 2 GB.
  if (!map(0x10'0000'0000, 0xf0'0000'0000, 0x1'0000'0000) &&
      !map(0x1000'0000, 0x7000'0000, 0x100'0000))
    report_fatal_error("no low address range for device memory");
}

bool DeviceMemory::map(uint64_t from, uint64_t to, uint64_t step) {
  for (uint64_t hint = from; hint < to; hint += step) {
    void *p = mmap(reinterpret_cast<void *>(hint), bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (p != MAP_FAILED) {
      data_ = static_cast<uint8_t *>(p);
      return true;
    }
  }
  return false;
}

DeviceMemory::~DeviceMemory() { munmap(data_, bytes_); }

static Error malformed(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), what);
}

Expected<softgpu::DispatchResult> launch(softgpu::Gpu &gpu, StringRef codeObject,
                                         const Launch &launch) {
  auto file = object::ELF64LEFile::create(codeObject);
  if (!file)
    return file.takeError();
  auto headers = file->program_headers();
  if (!headers)
    return headers.takeError();
  uint64_t end = 0;
  for (const auto &h : *headers)
    if (h.p_type == ELF::PT_LOAD)
      end = std::max<uint64_t>(end, h.p_vaddr + h.p_memsz);
  DeviceMemory image(end + 4096); // the hardware prefetches past the end
  for (const auto &h : *headers)
    if (h.p_type == ELF::PT_LOAD)
      std::memcpy(image.data() + h.p_vaddr, file->base() + h.p_offset, h.p_filesz);

  uint64_t descriptor = 0;
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_DYNSYM)
      continue;
    auto symbols = file->symbols(&section);
    auto names = file->getStringTableForSymtab(section);
    if (!symbols)
      return symbols.takeError();
    if (!names)
      return names.takeError();
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (name && *name == launch.kernel + ".kd")
        descriptor = symbol.st_value;
      else if (!name)
        consumeError(name.takeError());
    }
  }
  if (!descriptor)
    return malformed("no kernel descriptor " + launch.kernel + ".kd");
  const uint8_t *kd = image.data() + descriptor;
  uint32_t groupBytes, privateBytes;
  std::memcpy(&groupBytes, kd, 4);
  std::memcpy(&privateBytes, kd + 4, 4);

  DeviceMemory kernarg(launch.arguments.size() + 256);
  std::memcpy(kernarg.data(), launch.arguments.data(), launch.arguments.size());
  DeviceMemory ring(4096);
  auto *packet = reinterpret_cast<hsa_kernel_dispatch_packet_t *>(ring.data());
  packet->header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet->setup = 1;
  packet->workgroup_size_x = static_cast<uint16_t>(launch.blockSize);
  packet->workgroup_size_y = packet->workgroup_size_z = 1;
  packet->grid_size_x = launch.blocks * launch.blockSize;
  packet->grid_size_y = packet->grid_size_z = 1;
  packet->private_segment_size = privateBytes;
  packet->group_segment_size = groupBytes;
  packet->kernel_object = image.address() + descriptor;
  packet->kernarg_address = kernarg.data();

  gpu.invalidateCode();
  softgpu::DispatchRequest request;
  request.packet = packet;
  request.queueAddress = ring.address() + 2048;
  request.dispatchPacketAddress = ring.address();
  return gpu.run(request);
}

} // namespace meld::fuzz
