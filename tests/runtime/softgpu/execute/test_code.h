// Loads a code object without ROCm and launches its kernels on a Gpu: for tests of the executor
// alone.
#pragma once

#include "runtime/softgpu/device/gpu.h"
#include "runtime/softgpu/execute/kernel_names.h"
#include "runtime/softgpu/execute/launch.h"
#include "runtime/softgpu/isa/decoder.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace meld::softgpu::test {

/// The PT_LOAD segments of an AMDGPU shared object in memory, and its kernels' descriptors by name.
class TestCode {
public:
  explicit TestCode(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
    if (bytes.size() < sizeof(Elf64_Ehdr)) {
      ADD_FAILURE() << "cannot read " << file;
      return;
    }
    auto *header = reinterpret_cast<const Elf64_Ehdr *>(bytes.data());
    auto *segments = reinterpret_cast<const Elf64_Phdr *>(bytes.data() + header->e_phoff);
    for (unsigned k = 0; k < header->e_phnum; ++k)
      if (segments[k].p_type == PT_LOAD)
        size_ = std::max<size_t>(size_, segments[k].p_vaddr + segments[k].p_memsz);
    image_ = static_cast<char *>(
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (unsigned k = 0; k < header->e_phnum; ++k)
      if (segments[k].p_type == PT_LOAD)
        std::memcpy(image_ + segments[k].p_vaddr, bytes.data() + segments[k].p_offset,
                    segments[k].p_filesz);
    auto *sections = reinterpret_cast<const Elf64_Shdr *>(bytes.data() + header->e_shoff);
    for (unsigned k = 0; k < header->e_shnum; ++k) {
      if (sections[k].sh_type != SHT_DYNSYM)
        continue;
      const char *names = bytes.data() + sections[sections[k].sh_link].sh_offset;
      auto *symbols = reinterpret_cast<const Elf64_Sym *>(bytes.data() + sections[k].sh_offset);
      for (size_t s = 0; s < sections[k].sh_size / sizeof(Elf64_Sym); ++s) {
        std::string name = names + symbols[s].st_name;
        symbols_[name] = image_ + symbols[s].st_value;
        if (name.ends_with(".kd")) {
          name.resize(name.size() - 3);
          descriptors_[name] = reinterpret_cast<uint64_t>(image_) + symbols[s].st_value;
          nameKernel(descriptors_[name], name, false);
        }
      }
    }
  }
  ~TestCode() {
    if (image_)
      munmap(image_, size_);
  }
  TestCode(const TestCode &) = delete;

  /// Where the segments lie, in whole pages.
  MemoryRange range() const {
    const uint64_t at = reinterpret_cast<uint64_t>(image_);
    return {at, (size_ + 4095) / 4096 * 4096, at};
  }
  uint64_t descriptor(const std::string &kernel) const {
    auto it = descriptors_.find(kernel);
    EXPECT_NE(it, descriptors_.end()) << kernel;
    return it == descriptors_.end() ? 0 : it->second;
  }
  const void *symbol(const std::string &name) const {
    auto it = symbols_.find(name);
    EXPECT_NE(it, symbols_.end()) << name;
    return it == symbols_.end() ? nullptr : it->second;
  }
  template <class T> T field(const std::string &kernel, size_t offset) const {
    T x{};
    if (uint64_t d = descriptor(kernel))
      std::memcpy(&x, reinterpret_cast<const void *>(d + offset), sizeof(x));
    return x;
  }
  template <class T> void setField(const std::string &kernel, size_t offset, T x) {
    std::memcpy(reinterpret_cast<void *>(descriptor(kernel) + offset), &x, sizeof(x));
  }

private:
  char *image_ = nullptr;
  size_t size_ = 0;
  std::map<std::string, uint64_t> descriptors_;
  std::map<std::string, const char *> symbols_;
};

/// Whether an LLVM at hand made the tests' code of gfx1201 (cmake/MeldLaterLlvm.cmake).
#ifdef MELD_GFX1201_CODE
constexpr bool kGfx1201Code = true;
#else
constexpr bool kGfx1201Code = false;
#endif

/// Those of the targets that there is code for.
inline std::vector<std::string> withCode(std::vector<std::string> targets) {
  std::erase_if(targets,
                [](const std::string &t) { return !kGfx1201Code && t.starts_with("gfx1201"); });
  return targets;
}

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
};

/// Kernel arguments, each aligned to its size.
class Args {
public:
  template <class... T> explicit Args(T... x) { (add(x), ...); }
  template <class T> void add(T x) {
    size_t at = (bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &x, sizeof(T));
  }
  const void *data() {
    bytes_.resize(bytes_.size() + 256); // hidden arguments
    return bytes_.data();
  }

private:
  std::vector<char> bytes_;
};

inline AqlPacket makePacket(const TestCode &code, const std::string &kernel, Dim grid, Dim group,
                            const void *kernarg) {
  AqlPacket p{};
  p.header = 2;
  p.setup = 3;
  p.workgroup[0] = uint16_t(group.x), p.workgroup[1] = uint16_t(group.y),
  p.workgroup[2] = uint16_t(group.z);
  p.grid[0] = grid.x, p.grid[1] = grid.y, p.grid[2] = grid.z;
  p.groupSegment = code.field<uint32_t>(kernel, 0);
  p.privateSegment = code.field<uint32_t>(kernel, 4);
  p.kernelObject = code.descriptor(kernel);
  p.kernarg = reinterpret_cast<uint64_t>(kernarg);
  return p;
}

inline DispatchResult launch(Gpu &gpu, const TestCode &code, const std::string &kernel, Dim grid,
                             Dim group, Args args, DispatchRequest request = {}) {
  AqlPacket p = makePacket(code, kernel, grid, group, args.data());
  request.packet = &p;
  request.dispatchPacketAddress = reinterpret_cast<uint64_t>(&p);
  return gpu.run(request);
}

inline isa::Target targetOf(const std::string &name) { return isa::targetFromName(name).value(); }

inline DeviceConfig testConfig(const std::string &target, unsigned threads) {
  DeviceConfig c;
  c.target = targetOf(target);
  c.computeUnits = 8;
  c.hostThreads = threads;
  return c;
}

} // namespace meld::softgpu::test
