#include "runtime/cache/transfer.h"

#include <set>

namespace meld {
namespace {

/// So many entries are pushed before the list is written again: who breaks off loses no more.
constexpr size_t kListEvery = 500;
constexpr size_t kMostListed = size_t(1) << 20;

/// Keys, by the text of a list. What is no key is left out: the text is a stranger's.
std::set<std::string> parseManifest(ByteView bytes) {
  std::set<std::string> keys;
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  while (!text.empty() && keys.size() < kMostListed) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (CacheKey::fromHex(text.substr(0, end)))
      keys.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys;
}

Result<std::set<std::string>> manifestOf(RemoteStore &store) {
  const auto bytes = MELD_TRY(store.get(kManifest));
  return bytes ? parseManifest(*bytes) : std::set<std::string>();
}

Result<void> writeManifest(RemoteStore &store, const std::set<std::string> &keys) {
  Bytes text;
  for (const std::string &key : keys) {
    text.insert(text.end(), key.begin(), key.end());
    text.push_back('\n');
  }
  return store.put(kManifest, text);
}

Result<void> checked(ByteView file, const CacheKey &key, const TransferWish &wish) {
  if (wish.trusted)
    MELD_TRY(wish.trusted->check(file, key));
  MELD_TRY(checkEntryHead(file, file.size(), &key, kMaxCodeObject));
  MELD_TRY(readEntry(file, &key));
  return {};
}

/// An error that says something about the store, not about the entry.
bool endsAll(const Error &error) { return error.code == ErrorCode::io; }

void leaveOut(Transferred &sum, const std::string &name, const Error &error) {
  sum.problems.push_back(name + ": " + error.message);
}

} // namespace

Result<Transferred> pushEntries(DiskCache &from, RemoteStore &to, const TransferWish &wish) {
  const auto files = MELD_TRY(from.list());
  std::set<std::string> listed = MELD_TRY(manifestOf(to));
  const size_t before = listed.size();
  Transferred sum;
  size_t done = 0, unlisted = 0;
  for (const CacheFile &one : files) {
    if (wish.progress)
      wish.progress(done++, files.size());
    if (one.temporary)
      continue;
    const auto file = from.file(one.name);
    if (!file) {
      if (file.error().code != ErrorCode::notFound) // gone meanwhile
        leaveOut(sum, one.name, file.error());
      continue;
    }
    const CacheKey key = *CacheKey::fromHex(one.name); // list() has no other
    if (readEntryHeader(*file)->verdict == Verdict::measured) {
      ++sum.other;
      continue;
    }
    if (const auto good = checked(*file, key, wish); !good) {
      leaveOut(sum, one.name, good.error());
      continue;
    }
    const auto has = to.has(one.name);
    Result<void> put;
    if (has && !*has && !wish.dryRun)
      put = to.put(one.name, *file);
    const Error *problem = !has ? &has.error() : !put ? &put.error() : nullptr;
    if (problem && endsAll(*problem)) {
      sum.broken = *problem;
      break;
    }
    if (problem) {
      leaveOut(sum, one.name, *problem);
      continue;
    }
    if (*has) {
      ++sum.there;
    } else {
      ++sum.moved;
      sum.bytes += file->size();
    }
    unlisted += listed.insert(one.name).second;
    if (unlisted >= kListEvery && !wish.dryRun && writeManifest(to, listed))
      unlisted = 0;
  }
  if (listed.size() > before && unlisted && !wish.dryRun)
    if (const auto ok = writeManifest(to, listed); !ok && !sum.broken)
      sum.broken = ok.error();
  return sum;
}

Result<Transferred> pullEntries(RemoteStore &from, DiskCache &to, const TransferWish &wish) {
  const std::set<std::string> listed = MELD_TRY(manifestOf(from));
  Transferred sum;
  size_t done = 0;
  for (const std::string &name : listed) {
    if (wish.progress)
      wish.progress(done++, listed.size());
    if (const auto here = to.file(name)) {
      ++sum.there;
      continue;
    }
    const auto file = from.get(name);
    if (!file && endsAll(file.error())) {
      sum.broken = file.error();
      break;
    }
    const CacheKey key = *CacheKey::fromHex(name);
    if (!file)
      leaveOut(sum, name, file.error());
    else if (!*file)
      leaveOut(sum, name, {ErrorCode::notFound, "it is in the list and not in the store"});
    else if (const auto good = checked(**file, key, wish); !good)
      leaveOut(sum, name, good.error());
    else if (readEntryHeader(**file)->verdict == Verdict::measured)
      ++sum.other;
    else if (!wish.dryRun && !to.storeFile(key, **file)) {
      sum.broken = Error{ErrorCode::io, "writing into " + to.directory() + " failed"};
      break;
    } else {
      ++sum.moved;
      sum.bytes += (*file)->size();
    }
  }
  return sum;
}

} // namespace meld
