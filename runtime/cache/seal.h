// A signed cache entry: the entry as it is (entry.h), and a seal behind it.
//
//   sealed    := entry seal
//   seal      := magic "MELDSEAL"  version:u32  zero:u32  keyId:8 bytes  signature:64 bytes
//   keyId     := the first 8 bytes of BLAKE3-256 of the public key: which key to try
//   signature := Ed25519 (RFC 8032) over the text  "libmeld entry 1\n" cacheKey:32 checksum:32
//
// The checksum is the entry's own, BLAKE3-256 of everything before it; a reader has compared it with
// the content before it asks for the signature. So the signature covers the key and every byte of the
// entry, and signing or checking costs the same for any size. An entry without a seal is an entry as
// ever; one whose content changes (the verdict, when ROCr has loaded it) loses its seal.
//
// Who checks signatures, and of what: signature.h. Thread rule: any thread.
#pragma once

#include "runtime/cache/entry.h"

#include <optional>

namespace meld {

inline constexpr size_t kSignatureSize = 64;

using KeyId = std::array<uint8_t, 8>;

struct Seal {
  KeyId keyId{};
  std::array<uint8_t, kSignatureSize> signature{};
};

std::string hexOf(const KeyId &id);

/// Nothing: the file does not end in a seal. Errors: badInput, unsupported (a seal that is none of
/// this version).
Result<std::optional<Seal>> sealOf(ByteView file);
/// The file without its seal, where it has one.
ByteView withoutSeal(ByteView file);
/// An entry's file with this seal, in the place of the one that it may have had.
Bytes withSeal(ByteView file, const Seal &seal);
/// What is signed. `file`: a whole entry (readEntry() accepts it), with or without a seal.
Bytes signedText(ByteView file, const CacheKey &key);

} // namespace meld
