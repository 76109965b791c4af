// Keys that sign cache entries: for `meld cache keygen` and `meld cache sign`. Nothing that runs in an
// application signs.
//
//   a file with a secret key:   ed25519-secret <64 hexadecimal digits>     the seed of RFC 8032
//
// Thread rule: any thread. All errors: unsupported where built without libsodium.
#pragma once

#include "runtime/cache/signature.h"

namespace meld {

class SigningKey {
public:
  /// A new one, from the system's random numbers.
  static Result<SigningKey> make();
  /// Errors: badInput.
  static Result<SigningKey> parse(std::string_view text);

  const PublicKey &publicKey() const { return public_; }
  std::string secretText() const;
  /// `whose`: for people; what is behind a line's end is left out.
  std::string publicText(std::string_view whose) const;

  /// The entry's file with our seal in the place of the one that it may have. Errors: badInput (the
  /// file is no entry, or a damaged one).
  Result<Bytes> sign(ByteView file) const;

private:
  static Result<SigningKey> fromSeed(const std::array<uint8_t, 32> &seed);

  std::array<uint8_t, 32> seed_{};
  std::array<uint8_t, 64> secret_{}; ///< as libsodium has it
  PublicKey public_{};
};

} // namespace meld
