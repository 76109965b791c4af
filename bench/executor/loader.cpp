#include "bench/executor/loader.h"

#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/execute/launch.h"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace meld::bench {

using namespace softgpu;

Result<LoadedKernels> LoadedKernels::load(const std::string &path) {
  auto file = ObjectFile::open(path);
  if (!file)
    return tl::unexpected(file.error());
  if (file->objects().empty())
    return fail(ErrorCode::notFound, path + ": no code object");
  LoadedKernels k;
  k.file_ = std::make_shared<ObjectFile>(std::move(*file));
  const Elf &elf = k.file_->objects()[0]->elf;
  uint64_t size = 0;
  for (const Elf64_Phdr &s : elf.segments())
    if (s.p_type == PT_LOAD)
      size = std::max(size, s.p_vaddr + s.p_memsz);
  k.image_.resize(size + 4096);
  k.base_ = k.image_.data() + (4096 - reinterpret_cast<uintptr_t>(k.image_.data()) % 4096);
  for (const Elf64_Phdr &s : elf.segments())
    if (s.p_type == PT_LOAD)
      std::memcpy(k.base_ + s.p_vaddr, elf.bytes().data() + s.p_offset, s.p_filesz);
  return k;
}

Result<DispatchResult> LoadedKernels::run(Gpu &gpu, const std::string &kernel, uint32_t items,
                                          void *data, uint32_t n) const {
  const CodeObject &object = *file_->objects()[0];
  const KernelMetadata *meta = object.metadata.find(kernel);
  const ElfSymbol *symbol = meta ? object.symbol(meta->symbol) : nullptr;
  if (!symbol)
    return fail(ErrorCode::notFound, "no kernel " + kernel);
  alignas(16) uint8_t arguments[512] = {}; // hidden ones are 0
  std::memcpy(arguments, &data, 8);
  std::memcpy(arguments + 8, &n, 4);
  AqlPacket p{};
  p.header = 2;
  p.setup = 1;
  p.workgroup[0] = 256, p.workgroup[1] = p.workgroup[2] = 1;
  p.grid[0] = items, p.grid[1] = p.grid[2] = 1;
  p.groupSegment = uint32_t(meta->groupSize);
  p.privateSegment = uint32_t(meta->privateSize);
  p.kernelObject = reinterpret_cast<uint64_t>(base_ + symbol->value);
  p.kernarg = reinterpret_cast<uint64_t>(arguments);
  nameKernel(p.kernelObject, kernel, false);
  DispatchRequest request;
  request.packet = &p;
  request.dispatchPacketAddress = reinterpret_cast<uint64_t>(&p);
  DispatchResult result = gpu.run(request);
  if (result.code != DispatchCode::ok)
    return fail(ErrorCode::internal, result.message);
  return result;
}

} // namespace meld::bench
