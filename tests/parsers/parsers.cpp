// libFuzzer entry points, one per parser of untrusted bytes; MELD_FUZZ_TARGET chooses. What broke
// one goes to found/<parser>, which every build's tests read again (replay.cpp).
#if MELD_FUZZ_TARGET == 7
#include "jit/code_object.h"
#include "jit/options.h"
#endif
#include "runtime/cache/seal.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/codeobject/comgr_names.h"
#include "runtime/codeobject/hostfile.h"
#include "runtime/gate/gate.h"
#include "runtime/profile/profile.h"
#include "runtime/profile/rocprof.h"
#include "runtime/settings/settings.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

using namespace meld;

namespace {

// Also where assert() is off.
[[maybe_unused]] void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

#if MELD_FUZZ_TARGET == 7
using namespace meld::jit;

template <class T> bool succeeded(llvm::Expected<T> &value) {
  if (value)
    return true;
  require(!llvm::toString(value.takeError()).empty(), "an error says what is wrong");
  return false;
}

// The modules lie in the section in order, and only zero words lie between them.
void checkModules(llvm::StringRef section, const std::vector<llvm::StringRef> &modules) {
  const char *at = section.begin();
  auto zeros = [&](const char *end) {
    for (; at < end; ++at)
      require(*at == 0, "what is in no module is padding");
  };
  for (llvm::StringRef module : modules) {
    require(module.begin() >= at && module.end() <= section.end() && module.size() > 4,
            "modules lie in the section, one behind the other");
    zeros(module.begin());
    at = module.end();
  }
  zeros(section.end());
}

void splitters(ByteView bytes) {
  if (bytes.empty())
    return;
  // A copy, so that the end of the input is guarded.
  const std::string copy(bytes.begin() + 1, bytes.end());
  switch (bytes[0] % 3) {
  case 0:
    if (auto modules = splitBitcode(copy); succeeded(modules))
      checkModules(copy, *modules);
    return;
  case 1:
    if (auto commands = splitCommands(copy); succeeded(commands)) {
      auto options = recoverOptions(*commands);
      if (succeeded(options))
        (void)options->codegenArguments(false);
    }
    return;
  case 2: {
    auto object = readDeviceObject(llvm::MemoryBufferRef(copy, "input"));
    succeeded(object);
  }
  }
}
#endif

void fuzz(ByteView bytes) {
#if MELD_FUZZ_TARGET == 1 // code object
  (void)hasBitcode(bytes);
  (void)withoutComgrNames(bytes);
  if (auto elf = Elf::parse(bytes)) {
    (void)elf->notes();
    if (auto symbols = elf->dynamicSymbols())
      for (const ElfSymbol &symbol : *symbols)
        if (!elf->atAddress(symbol.value, symbol.size))
          (void)elf->isZeroFilled(symbol.value, symbol.size);
  }
  if (auto object = CodeObject::parse(bytes)) {
    (void)object->bitcode();
    for (const KernelMetadata &kernel : object->metadata.kernels)
      (void)object->descriptor(kernel);
  }
#elif MELD_FUZZ_TARGET == 2 // files with device code: bundles, fat binaries
  if (auto images = findDeviceImages(bytes))
    for (const DeviceImage &image : *images)
      (void)hasBitcode(image.bytes);
#elif MELD_FUZZ_TARGET == 3 // metadata
  (void)parseMetadata(bytes);
#elif MELD_FUZZ_TARGET == 4 // cache entry, with a checksum that fits so that the rest is reached
  Bytes file(bytes.begin(), bytes.end());
  const size_t size = entrySize(file).value_or(file.size());
  if (size >= kChecksumSize) {
    auto sum = blake3(ByteView(file).first(size - kChecksumSize));
    std::copy(sum.begin(), sum.end(), file.begin() + ptrdiff_t(size - kChecksumSize));
  }
  (void)readEntry(file, nullptr);
  (void)readEntryHeader(file);
  (void)sealOf(file);
#elif MELD_FUZZ_TARGET == 5 // settings
  std::string text(bytes.begin(), bytes.end());
  // Compiling a regular expression may take exponential space by its nature; users write their own.
  (void)parseSettings(
      [&](const char *name) -> std::optional<std::string> {
        if (std::string_view(name).rfind("MELD_KERNEL_", 0) == 0)
          return std::nullopt;
        return text;
      },
      {"MELD_" + text});
#elif MELD_FUZZ_TARGET == 6 // the gate, on two halves
  (void)gate(bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2));
  (void)gate(bytes, bytes);
#elif MELD_FUZZ_TARGET == 7 // what the compiler embedded
  splitters(bytes);
#elif MELD_FUZZ_TARGET == 8 // profiles: ours, and what rocprofv3 records
  const std::string text(bytes.begin(), bytes.end());
  if (auto profile = profile::parseProfile(text)) {
    auto again = profile::parseProfile(profile::profileText(*profile));
    require(again && *again == *profile, "a profile is read as it was written");
  }
  std::istringstream json(text);
  (void)profile::readTrace(json);
#endif
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz(ByteView(data, size));
  return 0;
}
