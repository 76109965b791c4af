// Who may put code into this process: public keys, and the check of a signed entry against them.
//
// A folder of one's own is protected by its owner and mode. A folder that a whole site uses and a
// server that anybody on the network can write to are not: what comes from there is used only with a
// signature (seal.h) of one of the trusted keys, where there are any. Ed25519 is libsodium's; it is
// linked into what needs it and shows no symbol. Built without it, nothing that needs a signature is
// used, and the error says so.
//
//   a file of public keys, lines:   ed25519 <64 hexadecimal digits> [whose it is]
//                                   # a comment
//
// Thread rule: any thread; a TrustedKeys does not change.
#pragma once

#include "runtime/cache/seal.h"

#include <map>

namespace meld {

using PublicKey = std::array<uint8_t, 32>;

KeyId idOf(const PublicKey &key);

class TrustedKeys {
public:
  /// Of the text of a file. Errors: badInput, with the line.
  static Result<TrustedKeys> parse(std::string_view text);
  /// Of one file or several, with colons between them. Errors: badInput (also where others than the
  /// owner can write into a file, or there is no key in them), io, unsupported (built without libsodium).
  static Result<TrustedKeys> read(const std::string &files);

  /// Whether the entry is that of this key, and signed by one of us. Looks at head, checksum and seal:
  /// that the checksum is the content's is readEntry()'s part, and both are needed. Errors: badInput
  /// (not signed, by an unknown key, wrongly, another key's entry), unsupported.
  Result<void> check(ByteView file, const CacheKey &key) const;
  size_t size() const { return keys_.size(); }
  /// The key's name for people: whose it is, or its id.
  std::string nameOf(const KeyId &id) const;

private:
  struct Known {
    PublicKey key;
    std::string name;
  };
  std::map<KeyId, Known> keys_;
};

/// False: built without libsodium.
bool hasSignatures() noexcept;

} // namespace meld
