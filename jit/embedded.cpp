#include "jit/embedded.h"

#include "jit/error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace llvm;

namespace meld::jit {

namespace {

constexpr uint32_t bitcodeMagic = 0xdec04342; // 'B' 'C' C0 DE

// xnack and sramecc of the target id: absent = any, '-' off, '+' on (LLVM AMDGPU usage, "Target
// ID").
Expected<std::string> targetFeatures(uint32_t flags, uint8_t abiVersion) {
  std::string s;
  if (abiVersion >= ELF::ELFABIVERSION_AMDGPU_HSA_V4) {
    auto feature = [&](uint32_t value, uint32_t off, uint32_t on, StringRef name) {
      if (value == off)
        s += (":" + name + "-").str();
      else if (value == on)
        s += (":" + name + "+").str();
    };
    feature(flags & ELF::EF_AMDGPU_FEATURE_SRAMECC_V4, ELF::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4,
            ELF::EF_AMDGPU_FEATURE_SRAMECC_ON_V4, "sramecc");
    feature(flags & ELF::EF_AMDGPU_FEATURE_XNACK_V4, ELF::EF_AMDGPU_FEATURE_XNACK_OFF_V4,
            ELF::EF_AMDGPU_FEATURE_XNACK_ON_V4, "xnack");
    return s;
  }
  if (abiVersion == ELF::ELFABIVERSION_AMDGPU_HSA_V3) {
    // V3 cannot tell "off" from "not supported"; a set bit is "on", the recompile's e_flags are
    // compared with the original's afterwards.
    if (flags & ELF::EF_AMDGPU_FEATURE_SRAMECC_V3)
      s += ":sramecc+";
    if (flags & ELF::EF_AMDGPU_FEATURE_XNACK_V3)
      s += ":xnack+";
    return s;
  }
  return inputError(formatv("code object: ABI version {0} is older than V3", unsigned(abiVersion)));
}

} // namespace

Expected<std::vector<StringRef>> splitBitcode(StringRef section) {
  std::vector<StringRef> modules;
  auto word = [&](size_t at) { return support::endian::read32le(section.data() + at); };
  size_t at = 0;
  while (at < section.size()) {
    if (section.size() - at < 4)
      return inputError(formatv(".llvmbc: {0} stray bytes at offset {1}", section.size() - at, at));
    if (word(at) == 0) { // padding between units
      at += 4;
      continue;
    }
    if (word(at) != bitcodeMagic)
      return inputError(formatv(".llvmbc: no bitcode magic at offset {0}", at));
    size_t start = at;
    at += 4;
    size_t blocks = 0;
    while (at < section.size()) {
      if (section.size() - at < 4)
        return inputError(formatv(".llvmbc: truncated block header at offset {0}", at));
      uint32_t head = word(at);
      if (head == bitcodeMagic || head == 0)
        break;
      // Top level: abbreviation width 2, so ENTER_SUBBLOCK (1), vbr8 block id, vbr4 width, align,
      // length.
      if ((head & 3) != 1 || (head & 0x200))
        return inputError(formatv(".llvmbc: no block at offset {0}", at));
      if (section.size() - at < 8)
        return inputError(formatv(".llvmbc: truncated block header at offset {0}", at));
      uint64_t bytes = uint64_t(word(at + 4)) * 4;
      if (bytes > section.size() - at - 8)
        return inputError(
            formatv(".llvmbc: block at offset {0} of {1} bytes ends past the section ({2})", at,
                    bytes, section.size()));
      at += 8 + bytes;
      ++blocks;
    }
    if (!blocks)
      return inputError(formatv(".llvmbc: empty bitcode file at offset {0}", start));
    modules.push_back(section.slice(start, at));
  }
  return modules;
}

Expected<std::vector<std::vector<std::string>>> splitCommands(StringRef section) {
  std::vector<std::vector<std::string>> commands;
  if (!section.empty() && section.back() != '\0')
    return inputError(formatv(".llvmcmd: not NUL-terminated at offset {0}", section.size()));
  size_t at = 0;
  while (at < section.size()) {
    StringRef arg = section.substr(at).split('\0').first;
    if (arg == "-cc1")
      commands.emplace_back();
    else if (commands.empty())
      return inputError(formatv(".llvmcmd: argument before -cc1 at offset {0}", at));
    else
      commands.back().push_back(arg.str());
    at += arg.size() + 1;
  }
  return commands;
}

Expected<DeviceObject> readDeviceObject(MemoryBufferRef elf) {
  auto file = object::ELFObjectFile<object::ELF64LE>::create(elf);
  if (!file)
    return inputError("code object: " + toString(file.takeError()));
  const auto &raw = file->getELFFile();
  const auto &header = raw.getHeader();
  if (header.e_machine != ELF::EM_AMDGPU)
    return inputError(
        formatv("code object: machine {0} is not AMDGPU", unsigned(header.e_machine)));
  if (header.e_ident[ELF::EI_OSABI] != ELF::ELFOSABI_AMDGPU_HSA)
    return inputError(
        formatv("code object: OS ABI {0} is not HSA", unsigned(header.e_ident[ELF::EI_OSABI])));

  DeviceObject result;
  result.eFlags = header.e_flags;
  result.abiVersion = header.e_ident[ELF::EI_ABIVERSION];
  // tryGetCPUName() treats an unknown value as unreachable, so ask the list of known ones first.
  uint32_t mach = header.e_flags & ELF::EF_AMDGPU_MACH;
  if (mach < ELF::EF_AMDGPU_MACH_AMDGCN_FIRST || mach > ELF::EF_AMDGPU_MACH_AMDGCN_LAST ||
      mach == 0x27 || (LLVM_VERSION_MAJOR < 17 && mach == 0x43)) // reserved numbers
    return inputError(formatv("code object: e_flags {0:x} name no known processor", result.eFlags));
  auto processor = file->tryGetCPUName();
  if (!processor)
    return inputError(formatv("code object: e_flags {0:x} name no known processor", result.eFlags));
  result.processor = processor->str();
  auto features = targetFeatures(result.eFlags, result.abiVersion);
  if (!features)
    return features.takeError();
  result.isaName = "amdgcn-amd-amdhsa--" + result.processor + *features;

  auto sections = raw.sections();
  if (!sections)
    return inputError("code object: " + toString(sections.takeError()));
  for (const auto &section : *sections) {
    auto name = raw.getSectionName(section);
    if (!name)
      return inputError("code object: " + toString(name.takeError()));
    if (*name != ".llvmbc" && *name != ".llvmcmd")
      continue;
    auto bytes = raw.getSectionContents(section);
    if (!bytes)
      return inputError(*name + ": " + toString(bytes.takeError()));
    StringRef text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    if (*name == ".llvmbc") {
      auto modules = splitBitcode(text);
      if (!modules)
        return modules.takeError();
      result.modules = std::move(*modules);
    } else {
      if (text.empty())
        return inputError(".llvmcmd: empty");
      auto commands = splitCommands(text);
      if (!commands)
        return commands.takeError();
      result.commands = std::move(*commands);
    }
  }
  return result;
}

} // namespace meld::jit
