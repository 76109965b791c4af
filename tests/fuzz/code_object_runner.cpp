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

static llvm::Error malformed(const Twine &what) {
  return createStringError(inconvertibleErrorCode(), what);
}

/// The dynamic relocations: addresses of the object's own code and data.
template <typename File>
static llvm::Error relocate(const File &file, const typename File::Elf_Shdr &section,
                            const DeviceMemory &image) {
  auto relocations = file.relas(section);
  if (!relocations)
    return relocations.takeError();
  for (const auto &r : *relocations) {
    uint64_t value = image.address() + r.r_addend;
    if (r.getType(false) == ELF::R_AMDGPU_ABS64) {
      auto table = file.getSection(section.sh_link);
      if (!table)
        return table.takeError();
      auto symbol = file.template getEntry<typename File::Elf_Sym>(**table, r.getSymbol(false));
      if (!symbol)
        return symbol.takeError();
      value += (*symbol)->st_value;
    } else if (r.getType(false) != ELF::R_AMDGPU_RELATIVE64) {
      return malformed("relocation of kind " + Twine(r.getType(false)));
    }
    std::memcpy(image.data() + r.r_offset, &value, 8);
  }
  return llvm::Error::success();
}

Expected<LoadedCode> LoadedCode::load(StringRef codeObject) {
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
  LoadedCode code;
  code.image_ = std::make_unique<DeviceMemory>(end + 4096); // the hardware prefetches past the end
  for (const auto &h : *headers)
    if (h.p_type == ELF::PT_LOAD)
      std::memcpy(code.image_->data() + h.p_vaddr, file->base() + h.p_offset, h.p_filesz);

  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type == ELF::SHT_RELA)
      if (llvm::Error e = relocate(*file, section, *code.image_))
        return Expected<LoadedCode>(std::move(e));
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
      if (!name)
        consumeError(name.takeError());
      else if (StringRef(*name).take_back(3) == ".kd")
        code.descriptors_[*name] = symbol.st_value;
    }
  }
  return code;
}

Expected<softgpu::DispatchResult> LoadedCode::run(softgpu::Gpu &gpu, const Launch &launch) const {
  const auto found = descriptors_.find(launch.kernel + ".kd");
  if (found == descriptors_.end())
    return malformed("no kernel descriptor " + launch.kernel + ".kd");
  const uint8_t *kd = image_->data() + found->second;
  uint32_t groupBytes, privateBytes;
  std::memcpy(&groupBytes, kd, 4);
  std::memcpy(&privateBytes, kd + 4, 4);

  DeviceMemory kernarg(launch.arguments.size() + 256);
  std::memcpy(kernarg.data(), launch.arguments.data(), launch.arguments.size());
  DeviceMemory ring(4096);
  auto *packet = reinterpret_cast<hsa_kernel_dispatch_packet_t *>(ring.data());
  packet->header = HSA_PACKET_TYPE_KERNEL_DISPATCH;
  packet->setup = 3;
  packet->workgroup_size_x = static_cast<uint16_t>(launch.blockSize);
  packet->workgroup_size_y = static_cast<uint16_t>(launch.moreThreads[0]);
  packet->workgroup_size_z = static_cast<uint16_t>(launch.moreThreads[1]);
  packet->grid_size_x = launch.blocks * launch.blockSize;
  packet->grid_size_y = launch.moreBlocks[0] * launch.moreThreads[0];
  packet->grid_size_z = launch.moreBlocks[1] * launch.moreThreads[1];
  packet->private_segment_size = privateBytes;
  packet->group_segment_size = groupBytes + launch.dynamicLds;
  packet->kernel_object = image_->address() + found->second;
  packet->kernarg_address = kernarg.data();

  gpu.invalidateCode();
  softgpu::DispatchRequest request;
  request.packet = packet;
  request.queueAddress = ring.address() + 2048;
  request.dispatchPacketAddress = ring.address();
  request.maxInstructions = launch.instructionLimit;
  return gpu.run(request);
}

Expected<softgpu::DispatchResult> launch(softgpu::Gpu &gpu, StringRef codeObject,
                                         const Launch &launch) {
  auto code = LoadedCode::load(codeObject);
  if (!code)
    return code.takeError();
  return code->run(gpu, launch);
}

} // namespace meld::fuzz
