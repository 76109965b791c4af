#include "runtime/cache/signing.h"

#include "runtime/host/text.h"

#include <algorithm>
#include <cerrno>
#include <sys/random.h>

#ifdef MELD_SODIUM
#include <sodium/crypto_sign_ed25519.h>
#endif

namespace meld {
namespace {

constexpr std::string_view kKind = "ed25519-secret ";
#ifndef MELD_SODIUM
constexpr char kWithout[] = "this libmeld was built without libsodium and signs nothing";
#endif

std::string hexText(const std::array<uint8_t, 32> &bytes) { return CacheKey{bytes}.hex(); }

} // namespace

Result<SigningKey> SigningKey::fromSeed(const std::array<uint8_t, 32> &seed) {
#ifdef MELD_SODIUM
  SigningKey key;
  key.seed_ = seed;
  crypto_sign_ed25519_seed_keypair(key.public_.data(), key.secret_.data(), seed.data());
  return key;
#else
  return fail(ErrorCode::unsupported, kWithout);
#endif
}

Result<SigningKey> SigningKey::make() {
  std::array<uint8_t, 32> seed;
  if (::getrandom(seed.data(), seed.size(), 0) != static_cast<ssize_t>(seed.size()))
    return fail(ErrorCode::io, errnoText("getrandom", errno));
  return fromSeed(seed);
}

Result<SigningKey> SigningKey::parse(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  if (!text.starts_with(kKind))
    return fail(ErrorCode::badInput, "not 'ed25519-secret', a space and a key");
  const auto seed = MELD_TRY(CacheKey::fromHex(text.substr(kKind.size())));
  return fromSeed(seed.bytes);
}

std::string SigningKey::secretText() const { return std::string(kKind) + hexText(seed_) + "\n"; }

std::string SigningKey::publicText(std::string_view whose) const {
  std::string text = "ed25519 " + hexText(public_);
  if (!whose.empty())
    text += " " + std::string(whose.substr(0, whose.find('\n')));
  return text + "\n";
}

Result<Bytes> SigningKey::sign(ByteView file) const {
#ifdef MELD_SODIUM
  const CacheEntry entry = MELD_TRY(readEntry(file, nullptr));
  Seal seal;
  seal.keyId = idOf(public_);
  const Bytes text = signedText(file, entry.key);
  crypto_sign_ed25519_detached(seal.signature.data(), nullptr, text.data(), text.size(),
                               secret_.data());
  return withSeal(file, seal);
#else
  return fail(ErrorCode::unsupported, kWithout);
#endif
}

} // namespace meld
