// libFuzzer entry points, one per parser of untrusted bytes; MELD_FUZZ_TARGET chooses. Findings
// become inputs of the unit tests.
#include "runtime/cache/entry.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/codeobject/comgr_names.h"
#include "runtime/codeobject/hostfile.h"
#include "runtime/codeobject/msgpack.h"
#include "runtime/gate/gate.h"
#include "runtime/settings/settings.h"

using namespace meld;

static void fuzz(ByteView bytes) {
#if MELD_FUZZ_TARGET == 1 // code object
  (void)hasBitcode(bytes);
  (void)withoutComgrNames(bytes);
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
  if (file.size() >= 32) {
    auto sum = blake3(ByteView(file).first(file.size() - 32));
    std::copy(sum.begin(), sum.end(), file.end() - 32);
  }
  (void)readEntry(file, nullptr);
  (void)readEntryHeader(file);
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
#endif
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz(ByteView(data, size));
  return 0;
}
