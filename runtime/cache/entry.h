// One cache entry, as bytes in a file.
//
//   entry    := header tool reason metadata payload checksum
//   header   := magic "MELDCACH"  version:u32  verdict:u32  key:32 bytes  created:u64  rawSize:u64
//               payloadSize:u64  toolSize:u32  reasonSize:u32  metadataSize:u32
//               metadataRawSize:u32
//   tool     := which libmeld wrote it, text
//   reason   := one line: why there is no replacement; empty when there is one
//   metadata := zstd(JSON, as meld_jit_compile gave it, or what was measured); empty when there is
//               none
//   payload  := zstd(code object); empty for the verdicts `unchanged` and `measured`
//   checksum := BLAKE3-256 of everything before it
//
// Behind it there may be a seal, of an entry that is signed (seal.h), and nothing else.
//
// Numbers are little-endian. `created` is seconds since 1970. A reader accepts an entry only when
// all of it is as described and its key is the one asked for: anything else is a miss.
#pragma once

#include "runtime/cache/key.h"

namespace meld {

enum class Verdict : uint32_t {
  replaced = 1,  ///< payload is the code object to load instead; ROCr has loaded it before
  unchanged = 2, ///< a compile found nothing to do, or the gate refused: load the original
  untried = 3,   ///< as replaced, and no ROCr has seen it yet
  measured = 4,  ///< no code: which versions were faster on one device (shim/adapt/verdict_store.h)
};
/// For people.
const char *verdictName(Verdict verdict);

struct CacheEntry {
  CacheKey key;
  Verdict verdict = Verdict::unchanged;
  uint64_t created = 0;
  std::string tool, reason;
  /// readEntry leaves it out but for `measured`: a load of code has no use for it.
  std::string metadata;
  Bytes codeObject;
};

/// What `meld cache list` shows; read without unpacking the code object.
struct CacheEntryHeader {
  CacheKey key;
  Verdict verdict = Verdict::unchanged;
  uint64_t created = 0, rawSize = 0, payloadSize = 0;
  std::string tool, reason, metadata;
};

inline constexpr uint32_t kCacheFormat = 2;
inline constexpr uint64_t kMaxEntryFile = uint64_t(1) << 30;
inline constexpr uint64_t kMaxCodeObject = uint64_t(1) << 30;
inline constexpr uint64_t kMaxMetadata = uint64_t(64) << 20;
inline constexpr uint64_t kMaxText = 64 << 10; ///< of tool and of reason, in an entry
inline constexpr size_t kEntryHead = 88;       ///< bytes of the header
inline constexpr size_t kChecksumSize = 32;
inline constexpr size_t kSealSize = 88; ///< of a seal behind the entry

/// Tool and reason are cut at kMaxText. Errors: internal (zstd), badInput (larger than the limits
/// above).
Result<Bytes> writeEntry(const CacheEntry &entry);
/// Looks at the first kEntryHead bytes of a file with `fileSize`, so that nobody takes memory for
/// an entry that cannot be one: sizes that add up and could be zstd's, the key, a code object of at
/// most `maxCodeObject` bytes. Errors: badInput, unsupported.
Result<void> checkEntryHead(ByteView head, uint64_t fileSize, const CacheKey *expected,
                            uint64_t maxCodeObject);
/// Checks everything but that the metadata unpacks. `expected` may be null (`meld cache verify`
/// compares with the file name itself).
Result<CacheEntry> readEntry(ByteView file, const CacheKey *expected);
/// So many of the file's bytes are the entry; the rest is a seal. Errors: badInput, unsupported (not
/// an entry by its head and its size).
Result<uint64_t> entrySize(ByteView file);
/// The same entry, without a seal, with another verdict that has a payload, too.
Result<Bytes> withVerdict(Bytes file, Verdict verdict);
/// Checks everything but that the code object unpacks.
Result<CacheEntryHeader> readEntryHeader(ByteView file);

} // namespace meld
