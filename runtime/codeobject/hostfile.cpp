#include "runtime/codeobject/hostfile.h"

#include "runtime/codeobject/codeobject.h"

#include <algorithm>

namespace meld {
namespace {

/// What one file may hold. Sections may overlap and bundles repeat each other's bytes, so that a
/// small file could claim any number of images.
constexpr size_t kMaxImages = 1 << 16;

constexpr char kSpirv[] =
    "SPIR-V: HIP from 6.4 on compiles it for a device that nothing else here is for, if its comgr "
    "translates SPIR-V; that code carries no bitcode and runs unchanged";

struct Images {
  std::vector<DeviceImage> list;
  uint64_t unpackedLeft = 0; ///< bytes that its compressed bundles may still come to
  size_t bundle = 0;         ///< the one that is read

  Result<void> add(DeviceImage image) {
    if (list.size() == kMaxImages)
      return fail(ErrorCode::badInput, "more than " + std::to_string(kMaxImages) +
                                           " device images, the last at offset " +
                                           hexOffset(image.offset));
    image.bundle = bundle;
    list.push_back(std::move(image));
    return {};
  }
};

Result<void> addEntry(const BundleEntry &entry, uint64_t offset, std::shared_ptr<const Bytes> owner,
                      Images &out) {
  if (!entry.isDevice() || entry.bytes.empty())
    return {};
  if (entry.isSpirv())
    return out.add({entry.id, offset, {}, kSpirv, {}});
  return out.add({entry.id, offset, entry.bytes, {}, std::move(owner)});
}

/// One that cannot be unpacked does not hide the others of the file.
Result<void> addCompressed(ByteView bytes, uint64_t base, uint64_t claimed, Images &out) {
  if (claimed > out.unpackedLeft)
    return fail(ErrorCode::badInput, "the file's compressed bundles unpack to too many bytes");
  out.unpackedLeft -= claimed;
  auto unpacked = MELD_TRY(unpackCompressedBundle(bytes));
  auto owner = std::make_shared<const Bytes>(std::move(unpacked));
  auto bundle = readBundle(*owner);
  if (!bundle)
    return fail(bundle.error().code, "inside: " + bundle.error().message);
  for (const BundleEntry &entry : bundle->entries)
    MELD_TRY(addEntry(entry, base, owner, out));
  return {};
}

Result<uint64_t> addBundle(ByteView bytes, uint64_t base, Images &out) {
  if (looksLikeCompressedBundle(bytes)) {
    auto header = readCompressedHeader(bytes);
    if (!header)
      return fail(header.error().code,
                  "bundle at offset " + hexOffset(base) + ": " + header.error().message);
    const uint64_t size = header->totalSize ? header->totalSize : bytes.size();
    if (auto ok = addCompressed(bytes, base, header->uncompressedSize, out); !ok) {
      DeviceImage image;
      image.id = "compressed bundle";
      image.offset = base;
      image.note = ok.error().message;
      MELD_TRY(out.add(std::move(image)));
    }
    return size;
  }
  auto bundle = readBundle(bytes);
  if (!bundle)
    return fail(bundle.error().code,
                "bundle at offset " + hexOffset(base) + ": " + bundle.error().message);
  for (const BundleEntry &entry : bundle->entries)
    MELD_TRY(addEntry(entry, base + entry.offset, nullptr, out));
  return bundle->size;
}

/// The linker concatenates bundles and pads with zeros in between.
Result<void> addFatBinary(ByteView section, uint64_t base, Images &out) {
  uint64_t at = 0;
  while (at < section.size()) {
    ByteView rest = section.subspan(at);
    if (!looksLikeBundle(rest) && !looksLikeCompressedBundle(rest)) {
      auto next = std::find_if(rest.begin(), rest.end(), [](uint8_t byte) { return byte != 0; });
      if (next == rest.begin())
        return fail(ErrorCode::badInput,
                    "section .hip_fatbin: neither a bundle nor padding at offset " +
                        hexOffset(base + at));
      at += next - rest.begin();
      continue;
    }
    auto size = MELD_TRY(addBundle(rest, base + at, out));
    ++out.bundle;
    at += std::max<uint64_t>(size, 1);
  }
  return {};
}

} // namespace

Result<std::vector<DeviceImage>> findDeviceImages(ByteView bytes) {
  Images images;
  images.unpackedLeft = std::min(kMaxUnpacked, bytes.size() * kMaxUnpackRatio);
  if (looksLikeBundle(bytes) || looksLikeCompressedBundle(bytes)) {
    MELD_TRY(addBundle(bytes, 0, images));
  } else {
    auto elf = Elf::parse(bytes);
    if (!elf)
      return fail(elf.error().code, "neither ELF nor offload bundle: " + elf.error().message);
    if (auto isa = readIsa(elf->header())) {
      const auto object = CodeObject::parse(bytes);
      images.list.push_back({(object ? object->isa : *isa).targetId(), 0, bytes, {}, {}});
      return std::move(images.list);
    }
    for (const ElfSection &section : elf->sections())
      if (section.name == ".hip_fatbin" || section.name == "__CLANG_OFFLOAD_BUNDLE__")
        MELD_TRY(addFatBinary(section.bytes, section.offset, images));
  }
  if (images.list.empty())
    return fail(ErrorCode::notFound,
                "no device code (section .hip_fatbin, offload bundle or code object)");
  return std::move(images.list);
}

} // namespace meld
