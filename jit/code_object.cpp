#include "jit/code_object.h"

#include "jit/compat.h"
#include "jit/elf_bytes.h"
#include "jit/error.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include "runtime/codeobject/codeobject.h"

using namespace llvm;

namespace meld::jit {

namespace {

constexpr uint32_t bitcodeMagic = 0xdec04342; // 'B' 'C' C0 DE

Expected<CodeObject> parse(MemoryBufferRef elf) {
  auto object = CodeObject::parse(bytesOf(elf));
  if (!object)
    return inputError("code object: " + object.error().message);
  if (!object->metadata.unmerged.empty())
    return inputError("code object: " + object->metadata.unmerged);
  return std::move(*object);
}

DynamicSymbols symbolsOf(const CodeObject &object) {
  DynamicSymbols symbols;
  for (const ElfSymbol &symbol : object.symbols)
    if (!symbol.name.empty())
      symbols[std::string(symbol.name)] = {symbol.value, symbol.size, symbol.type == STT_FUNC,
                                           symbol.defined()};
  return symbols;
}

KernelResources resourcesOf(const KernelMetadata &kernel) {
  KernelResources r;
  r.vgprs = uint32_t(kernel.vgprs);
  r.agprs = uint32_t(kernel.agprs);
  r.sgprs = uint32_t(kernel.sgprs);
  r.vgprSpills = uint32_t(kernel.vgprSpills);
  r.sgprSpills = uint32_t(kernel.sgprSpills);
  r.ldsBytes = uint32_t(kernel.groupSize);
  r.scratchBytes = uint32_t(kernel.privateSize);
  r.maxWorkgroup = uint32_t(kernel.maxFlatWorkgroupSize);
  r.waveSize = uint32_t(kernel.wavefrontSize);
  return r;
}

Expected<std::vector<Kernel>> kernelsOf(const CodeObject &object, const DynamicSymbols &symbols) {
  std::vector<Kernel> kernels;
  for (const KernelMetadata &metadata : object.metadata.kernels) {
    const auto descriptor = symbols.find(metadata.symbol), code = symbols.find(metadata.name);
    if (descriptor == symbols.end() || code == symbols.end() || !code->second.code)
      return inputError("code object: kernel " + metadata.name +
                        " has no descriptor or code symbol");
    const DynamicSymbol &place = code->second;
    const auto bytes = object.elf.atAddress(place.address, place.size);
    if (!bytes)
      return inputError(formatv("code object: kernel {0}: code at {1:x}, {2} bytes, is not in the "
                                "file",
                                metadata.name, place.address, place.size));
    Kernel kernel;
    kernel.name = metadata.name;
    kernel.resources = resourcesOf(metadata);
    kernel.descriptor = descriptor->second.address;
    kernel.address = place.address;
    kernel.code = {bytes->data(), bytes->size()};
    kernels.push_back(std::move(kernel));
  }
  return kernels;
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

std::set<std::string> DeviceObject::exportedNames() const {
  std::set<std::string> names;
  for (const auto &[name, symbol] : symbols)
    if (symbol.defined)
      names.insert(name);
  return names;
}

Expected<DeviceObject> readDeviceObject(MemoryBufferRef elf) {
  auto object = parse(elf);
  if (!object)
    return object.takeError();
  if (object->isa.codeObjectVersion < 3)
    return inputError("code object: older than version 3");
  if (!compat::isKnownProcessor(object->isa.processor))
    return inputError("code object: " + object->isa.processor + " is not known to this LLVM");
  DeviceObject result;
  result.processor = object->isa.processor;
  result.isaName = object->isa.targetId();
  result.codeObjectVersion = object->isa.codeObjectVersion;
  auto modules = splitBitcode(textOf(object->bitcode()));
  if (!modules)
    return modules.takeError();
  result.modules = std::move(*modules);
  if (const ElfSection *section = object->elf.section(".llvmcmd")) {
    if (section->bytes.empty())
      return inputError(".llvmcmd: empty");
    auto commands = splitCommands(textOf(section->bytes));
    if (!commands)
      return commands.takeError();
    result.commands = std::move(*commands);
  }
  result.symbols = symbolsOf(*object);
  auto kernels = kernelsOf(*object, result.symbols);
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  return result;
}

Expected<std::vector<Kernel>> readKernels(MemoryBufferRef elf) {
  auto object = parse(elf);
  if (!object)
    return object.takeError();
  return kernelsOf(*object, symbolsOf(*object));
}

Expected<std::vector<Kernel>> readFunctions(MemoryBufferRef elf) {
  auto object = parse(elf);
  if (!object)
    return object.takeError();
  auto symbols = object->elf.allSymbols();
  if (!symbols)
    return inputError("code object: " + symbols.error().message);
  std::set<std::string_view> kernels;
  KernelResources resources;
  for (const KernelMetadata &metadata : object->metadata.kernels) {
    if (kernels.empty())
      resources.waveSize = resourcesOf(metadata).waveSize;
    kernels.insert(metadata.name);
  }
  std::map<uint64_t, Kernel> functions; // by address: a function may have several names
  for (const ElfSymbol &symbol : *symbols) {
    if (symbol.type != STT_FUNC || !symbol.defined() || !symbol.size || kernels.count(symbol.name))
      continue;
    const auto bytes = object->elf.atAddress(symbol.value, symbol.size);
    if (!bytes)
      return inputError(formatv("code object: function {0}: code at {1:x}, {2} bytes, is not in "
                                "the file",
                                symbol.name, symbol.value, symbol.size));
    Kernel function;
    function.name = std::string(symbol.name);
    function.resources = resources;
    function.address = symbol.value;
    function.code = {bytes->data(), bytes->size()};
    functions.emplace(symbol.value, std::move(function));
  }
  std::vector<Kernel> result;
  for (auto &[address, function] : functions)
    result.push_back(std::move(function));
  return result;
}

} // namespace meld::jit
