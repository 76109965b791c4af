// Clang offload bundles: several objects, one per target, in one file.
//
//   bundle := "__CLANG_OFFLOAD_BUNDLE__"  count:u64  entry*count  objects
//   entry  := offset:u64  size:u64  idLength:u64  id        (offset from the bundle's first byte)
//   id     := kind "-" triple ["-" target-id]      hipv4-amdgcn-amd-amdhsa--gfx90a,
//   host-x86_64-unknown-linux--
//
// A compressed bundle holds such a bundle behind a header of its own:
//
//   compressed := "CCOB"  version:u16  method:u16  [total]  uncompressed  hash:u64  data
//   total, uncompressed: u32 in version 2, u64 in version 3; version 1 has no total, and u32
//
// Source: Clang documentation, "Clang Offload Bundler", "Bundled Binary File Layout", "Compressed
// Offload Bundle".
#pragma once

#include "runtime/codeobject/bytes.h"

namespace meld {

struct BundleEntry {
  std::string id;
  uint64_t offset = 0; ///< from the start of the bundle
  ByteView bytes;
  bool isDevice() const { return id.rfind("host", 0) != 0; }
  /// The target id of an AMD GPU entry (gfx90a:xnack+, amdgcnspirv), else empty.
  std::string processor() const;
  /// SPIR-V for any AMD GPU: no code object, HIP compiles one of it where nothing else fits.
  bool isSpirv() const;
};

struct CompressedBundleHeader {
  unsigned version = 0, method = 0; ///< method: 0 zlib, 1 zstd
  uint64_t totalSize = 0;           ///< header included; 0 in version 1, which does not say
  uint64_t uncompressedSize = 0;
  uint64_t headerSize = 0;
};

bool looksLikeBundle(ByteView bytes);
bool looksLikeCompressedBundle(ByteView bytes);

struct Bundle {
  std::vector<BundleEntry> entries;
  uint64_t size = 0; ///< up to the end of the last object
};
Result<Bundle> readBundle(ByteView bytes);
Result<CompressedBundleHeader> readCompressedHeader(ByteView bytes);

/// Limits of what is unpacked. Code compresses to a tenth, the padding between objects to nothing;
/// more than this is a lie.
inline constexpr uint64_t kMaxUnpacked = uint64_t(4) << 30;
inline constexpr uint64_t kMaxUnpackRatio = 10000;

/// The bundle inside. What the header claims is checked against what comes out, and nothing larger
/// than that, or than 4 GiB, is ever allocated. Errors: badInput; unsupported (version, method).
Result<Bytes> unpackCompressedBundle(ByteView bytes);

} // namespace meld
