#include "runtime/cache/signature.h"

#include "runtime/host/descriptor.h"
#include "runtime/host/text.h"
#include "runtime/read.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

#ifdef MELD_SODIUM
#include <sodium/crypto_sign_ed25519.h>
#endif

namespace meld {
namespace {

constexpr std::string_view kKind = "ed25519 ";
constexpr off_t kLargestFile = 64 << 10;
constexpr char kWithout[] = "this libmeld was built without libsodium and checks no signature";

bool isSignedBy(const PublicKey &key, const Seal &seal, ByteView text) {
#ifdef MELD_SODIUM
  return crypto_sign_ed25519_verify_detached(seal.signature.data(), text.data(), text.size(),
                                             key.data()) == 0;
#else
  return false;
#endif
}

Result<std::string> readKeyFile(const std::string &path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info;
  if (!file || ::fstat(file.get(), &info))
    return fail(ErrorCode::io, errnoText(path, errno));
  if (!S_ISREG(info.st_mode) || info.st_size > kLargestFile)
    return fail(ErrorCode::badInput, path + " is not a file of keys");
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return fail(ErrorCode::badInput, path + " can be written by others than its owner");
  std::string text(static_cast<size_t>(info.st_size), '\0');
  const ssize_t got = readAll(file.get(), text.data(), text.size());
  if (got < 0)
    return fail(ErrorCode::io, errnoText("reading " + path, errno));
  text.resize(static_cast<size_t>(got));
  return text;
}

} // namespace

bool hasSignatures() noexcept {
#ifdef MELD_SODIUM
  return true;
#else
  return false;
#endif
}

KeyId idOf(const PublicKey &key) {
  const auto sum = blake3(key);
  KeyId id;
  std::copy_n(sum.begin(), id.size(), id.begin());
  return id;
}

Result<TrustedKeys> TrustedKeys::parse(std::string_view text) {
  TrustedKeys trusted;
  for (unsigned number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
      line.remove_suffix(1);
    if (line.empty() || line.front() == '#')
      continue;
    constexpr size_t digits = 64;
    const auto bad = [&](const char *why) {
      return fail(ErrorCode::badInput, "line " + std::to_string(number) + ": " + why);
    };
    if (!line.starts_with(kKind))
      return bad("not 'ed25519', a space and a public key");
    line.remove_prefix(kKind.size());
    const auto key = CacheKey::fromHex(line.substr(0, digits));
    if (!key || (line.size() > digits && line[digits] != ' '))
      return bad("not a public key of 64 hexadecimal digits");
    const PublicKey bytes = key->bytes;
    const KeyId id = idOf(bytes);
    line.remove_prefix(std::min(digits + 1, line.size()));
    trusted.keys_[id] = {bytes, line.empty() ? hexOf(id) : shown(line)};
  }
  return trusted;
}

Result<TrustedKeys> TrustedKeys::read(const std::string &files) {
  if (!hasSignatures())
    return fail(ErrorCode::unsupported, kWithout);
  TrustedKeys all;
  for (size_t from = 0; from <= files.size();) {
    const size_t colon = std::min(files.find(':', from), files.size());
    const std::string path = files.substr(from, colon - from);
    from = colon + 1;
    if (path.empty())
      continue;
    const std::string text = MELD_TRY(readKeyFile(path));
    auto keys = parse(text);
    if (!keys)
      return fail(keys.error().code, path + ": " + keys.error().message);
    all.keys_.merge(keys->keys_);
  }
  if (all.keys_.empty())
    return fail(ErrorCode::badInput, "no public key in " + shown(files));
  return all;
}

Result<void> TrustedKeys::check(ByteView file, const CacheKey &key) const {
  if (!hasSignatures())
    return fail(ErrorCode::unsupported, kWithout);
  MELD_TRY(checkEntryHead(file, file.size(), &key, kMaxCodeObject));
  const auto seal = MELD_TRY(sealOf(file));
  if (!seal)
    return fail(ErrorCode::badInput, "it is not signed");
  const auto known = keys_.find(seal->keyId);
  if (known == keys_.end())
    return fail(ErrorCode::badInput,
                "it is signed by the key " + hexOf(seal->keyId) + ", which is not trusted");
  if (!isSignedBy(known->second.key, *seal, signedText(file, key)))
    return fail(ErrorCode::badInput, "its signature by " + known->second.name + " is wrong");
  return {};
}

std::string TrustedKeys::nameOf(const KeyId &id) const {
  const auto known = keys_.find(id);
  return known == keys_.end() ? hexOf(id) : known->second.name;
}

} // namespace meld
