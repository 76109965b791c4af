// Listings of the folders of ours: opendir, fdopendir, readdir and their kin on lists in memory.
//
// A listing is an object of ours behind a DIR pointer. All live ones are in a registry; while it is
// empty, which is nearly always, every call goes straight on.
#include "runtime/softgpu/kfd/descriptors.h"
#include "runtime/softgpu/kfd/next.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <mutex>
#include <pthread.h>
#include <set>
#include <unistd.h>

using namespace meld::softgpu;

namespace {

struct Listing {
  const Node *node;
  int fd;
  size_t position = 0;
  dirent entry;
  dirent64 entry64;
};

std::atomic<int> live{0};

struct Registry {
  std::mutex mutex;
  std::set<Listing *> listings;
};
Registry &registry() {
  static auto *r = [] {
    auto *fresh = new Registry; // leaked
    // A fork while another thread holds the lock must not leave it held in the child.
    ::pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                     [] { registry().mutex.unlock(); });
    return fresh;
  }();
  return *r;
}

Listing *ours(DIR *dir) {
  if (live.load(std::memory_order_acquire) == 0)
    return nullptr;
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  auto *candidate = reinterpret_cast<Listing *>(dir);
  return r.listings.count(candidate) ? candidate : nullptr;
}

DIR *makeListing(const Node &node, int fd) {
  auto *listing = new Listing{&node, fd, 0, {}, {}};
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.listings.insert(listing);
  live.fetch_add(1, std::memory_order_release);
  return reinterpret_cast<DIR *>(listing);
}

template <class Entry> Entry *advance(Listing &listing, Entry &entry) {
  const auto &names = listing.node->children;
  if (listing.position >= names.size() + 2)
    return nullptr;
  const size_t i = listing.position++;
  const std::string name = i == 0 ? "." : i == 1 ? ".." : names[i - 2];
  std::memset(&entry, 0, sizeof entry);
  entry.d_ino = i + 1;
  entry.d_off = static_cast<off_t>(i + 1);
  entry.d_reclen = sizeof entry;
  entry.d_type = DT_DIR;
  if (i >= 2)
    if (const Node *child = Tree::process().find(listing.node->path + "/" + name))
      entry.d_type = child->kind == Node::Kind::directory                                  ? DT_DIR
                     : child->kind == Node::Kind::kfd || child->kind == Node::Kind::render ? DT_CHR
                                                                                           : DT_REG;
  std::strncpy(entry.d_name, name.c_str(), sizeof entry.d_name - 1);
  return &entry;
}

Next<DIR *(*)(const char *)> nextOpendir("opendir");
Next<DIR *(*)(int)> nextFdopendir("fdopendir");
Next<dirent *(*)(DIR *)> nextReaddir("readdir");
Next<dirent64 *(*)(DIR *)> nextReaddir64("readdir64");
Next<int (*)(DIR *)> nextClosedir("closedir"), nextDirfd("dirfd");
Next<void (*)(DIR *)> nextRewinddir("rewinddir");
Next<long (*)(DIR *)> nextTelldir("telldir");
Next<void (*)(DIR *, long)> nextSeekdir("seekdir");

} // namespace

MELD_EXPORT DIR *opendir(const char *path) {
  const Node *node = resolve(path);
  if (!node)
    return nextOpendir(path);
  if (node->kind != Node::Kind::directory) {
    errno = ENOTDIR;
    return nullptr;
  }
  const int fd = openNode(*node, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return fd < 0 ? nullptr : makeListing(*node, fd);
}

MELD_EXPORT DIR *fdopendir(int fd) {
  const Node *node = nodeOf(fd);
  if (!node)
    return nextFdopendir(fd);
  if (node->kind != Node::Kind::directory) {
    errno = ENOTDIR;
    return nullptr;
  }
  return makeListing(*node, fd);
}

MELD_EXPORT dirent *readdir(DIR *dir) {
  Listing *listing = ours(dir);
  return listing ? advance(*listing, listing->entry) : nextReaddir(dir);
}

MELD_EXPORT dirent64 *readdir64(DIR *dir) {
  Listing *listing = ours(dir);
  return listing ? advance(*listing, listing->entry64) : nextReaddir64(dir);
}

MELD_EXPORT int closedir(DIR *dir) {
  Listing *listing = ours(dir);
  if (!listing)
    return nextClosedir(dir);
  {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    r.listings.erase(listing);
    live.fetch_sub(1, std::memory_order_release);
  }
  const int fd = listing->fd;
  delete listing;
  return ::close(fd);
}

MELD_EXPORT int dirfd(DIR *dir) noexcept {
  Listing *listing = ours(dir);
  return listing ? listing->fd : nextDirfd(dir);
}

MELD_EXPORT void rewinddir(DIR *dir) noexcept {
  if (Listing *listing = ours(dir))
    listing->position = 0;
  else
    nextRewinddir(dir);
}

MELD_EXPORT long telldir(DIR *dir) noexcept {
  Listing *listing = ours(dir);
  return listing ? static_cast<long>(listing->position) : nextTelldir(dir);
}

MELD_EXPORT void seekdir(DIR *dir, long position) noexcept {
  if (Listing *listing = ours(dir))
    listing->position = static_cast<size_t>(position);
  else
    nextSeekdir(dir, position);
}
