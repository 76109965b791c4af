#include "runtime/cache/layers.h"

#include "runtime/cache/disk.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

/// What is kept in a node's memory, and what has to be free there before anything is.
constexpr uint64_t kNodeSize = uint64_t(256) << 20, kNodeRoom = uint64_t(64) << 20;

bool lists(std::string_view layers, std::string_view name) {
  for (size_t from = 0; from <= layers.size();) {
    const size_t comma = std::min(layers.find(',', from), layers.size());
    if (layers.substr(from, comma - from) == name)
      return true;
    from = comma + 1;
  }
  return false;
}

class Planner {
public:
  Planner(const LayersWanted &wanted, const Surroundings &around)
      : wanted_(wanted), around_(around), auto_(lists(wanted.layers, "auto")) {
    plan_.batch = batchSystem(around.variable);
  }

  CachePlan plan() {
    trust();
    if (auto_ ? !plan_.batch.empty() || !wanted_.node.empty() : lists(wanted_.layers, "node"))
      node();
    if (auto_ || lists(wanted_.layers, "user"))
      user();
    if (auto_ || lists(wanted_.layers, "site"))
      site();
    if (auto_ || lists(wanted_.layers, "remote"))
      remote();
    const bool any = !plan_.layers.empty() || !plan_.remote.empty();
    if (any && !wanted_.readonly && !plan_.batch.empty() &&
        std::none_of(plan_.layers.begin(), plan_.layers.end(), isWritten))
      warn("nothing is kept in the cache: no folder on this node can hold it, and the user's is on "
           "a "
           "file server (MELD_CACHE_NODE names one, MELD_CACHE_LAYERS=user writes there)");
    return std::move(plan_);
  }

private:
  static bool isWritten(const PlannedLayer &layer) { return layer.written; }
  void warn(std::string text) { plan_.warnings.push_back(std::move(text)); }

  void trust() {
    std::string files = wanted_.trust;
    if (files.empty() && !wanted_.shared.empty() &&
        around_.exists(wanted_.shared + "/trusted-keys"))
      files = wanted_.shared + "/trusted-keys";
    if (files.empty())
      return;
    if (auto keys = TrustedKeys::read(files)) {
      plan_.trusted = std::make_shared<const TrustedKeys>(std::move(*keys));
    } else {
      warn("the keys that entries of site and remote have to be signed with cannot be read, so "
           "neither is used: " +
           keys.error().message);
      untrusting_ = true;
    }
  }

  /// "/dev/shm/libmeld-1000" where it is ours or not there yet.
  std::string nodeFolderIn(const char *base) const {
    if (!base || base[0] != '/')
      return {};
    const FileSystem system = around_.fileSystem(base);
    const auto parent = around_.look(base);
    if (!parent || !parent->folder || system.kind == FileSystemClass::network ||
        system.freeBytes < kNodeRoom)
      return {};
    const std::string folder = std::string(base) + "/libmeld-" + std::to_string(around_.user);
    const auto found = around_.look(folder);
    if (!found && around_.exists(folder)) // a link to nowhere
      return {};
    return !found || (found->folder && found->owner == around_.user && !found->othersWrite)
               ? folder
               : std::string();
  }

  void node() {
    PlannedLayer layer;
    layer.kind = LayerKind::node;
    layer.folder = wanted_.node;
    if (!layer.folder.empty() && layer.folder[0] != '/')
      return warn("MELD_CACHE_NODE " + shown(layer.folder) + " is not an absolute path");
    for (const char *base : {"/dev/shm", around_.variable("TMPDIR")})
      if (layer.folder.empty())
        layer.folder = nodeFolderIn(base);
    if (layer.folder.empty())
      return;
    layer.written = !wanted_.readonly;
    layer.maxSize = wanted_.maxSize ? std::min(wanted_.maxSize, kNodeSize) : kNodeSize;
    if (!plan_.batch.empty())
      layer.why = plan_.batch + " job";
    plan_.layers.push_back(std::move(layer));
  }

  void user() {
    PlannedLayer layer;
    layer.kind = LayerKind::user;
    layer.folder = DiskCache::chooseDirectory(wanted_.cacheDir, around_.variable("XDG_CACHE_HOME"),
                                              around_.variable("HOME"));
    if (layer.folder.empty() && !plan_.layers.empty())
      return;
    layer.maxSize = wanted_.maxSize;
    layer.written = !wanted_.readonly;
    const FileSystem system =
        layer.folder.empty() ? FileSystem{} : around_.fileSystem(layer.folder);
    layer.network = system.kind == FileSystemClass::network;
    if (layer.network) {
      layer.why = system.name;
      // A job's processes end in the same second; each would list the whole folder.
      layer.cleaned = plan_.batch.empty();
      if (auto_ && !plan_.batch.empty() && wanted_.cacheDir.empty() && layer.written) {
        layer.written = false;
        layer.why += ", only read in a job (" + plan_.batch + ")";
      }
    }
    plan_.layers.push_back(std::move(layer));
  }

  void site() {
    if (untrusting_)
      return;
    plan_.siteOwners = {0};
    if (const auto library = around_.look(wanted_.library))
      plan_.siteOwners.push_back(library->owner);
    if (!wanted_.site.empty())
      addSite(wanted_.site, "MELD_CACHE_SITE");
    if (!wanted_.shared.empty() && wanted_.shared + "/cache" != wanted_.site)
      addSite(wanted_.shared + "/cache", "");
  }

  void addSite(const std::string &folder, const std::string &setting) {
    PlannedLayer layer;
    layer.kind = LayerKind::site;
    layer.folder = folder;
    if (folder[0] != '/')
      return warn(setting + " " + shown(folder) + " is not an absolute path");
    const auto found = around_.look(folder);
    if (!found || !found->folder) {
      if (!setting.empty())
        warn(setting + " " + shown(folder) + " is not a folder");
      return;
    }
    layer.mustBeSigned = plan_.trusted != nullptr;
    const auto &owners = plan_.siteOwners;
    const bool known = found->owner == around_.user ||
                       std::find(owners.begin(), owners.end(), found->owner) != owners.end();
    if (!layer.mustBeSigned && (!known || found->othersWrite))
      return warn("the site layer " + shown(folder) + " is not used: " +
                  (known ? "others than its owner can write into it"
                         : "it belongs to user " + std::to_string(found->owner)) +
                  ", and no keys are trusted (MELD_CACHE_TRUST)");
    const FileSystem system = around_.fileSystem(folder);
    layer.network = system.kind == FileSystemClass::network;
    layer.why = layer.network ? system.name : "";
    plan_.layers.push_back(std::move(layer));
  }

  void remote() {
    if (untrusting_)
      return;
    plan_.remote = wanted_.remote;
    // Nobody would use what we send without a signature.
    plan_.remoteWritten = !plan_.remote.empty() && !wanted_.readonly && !plan_.trusted;
  }

  const LayersWanted &wanted_;
  const Surroundings &around_;
  const bool auto_;
  bool untrusting_ = false; ///< keys are asked for, and there are none
  CachePlan plan_;
};

} // namespace

const char *layerName(LayerKind kind) {
  switch (kind) {
  case LayerKind::node:
    return "node";
  case LayerKind::user:
    return "user";
  case LayerKind::site:
    return "site";
  }
  return "?";
}

Surroundings Surroundings::real() {
  Surroundings around;
  around.variable = [](const char *name) -> const char * { return ::secure_getenv(name); };
  around.fileSystem = fileSystemOf;
  around.look = [](const std::string &path) -> std::optional<Found> {
    struct stat info;
    if (path.empty() || ::stat(path.c_str(), &info))
      return std::nullopt;
    return Found{info.st_uid, S_ISDIR(info.st_mode), (info.st_mode & (S_IWGRP | S_IWOTH)) != 0};
  };
  around.exists = [](const std::string &path) {
    struct stat info;
    return !path.empty() &&
           (!::lstat(path.c_str(), &info) || (errno != ENOENT && errno != ENOTDIR));
  };
  around.user = ::geteuid();
  return around;
}

CachePlan planLayers(const LayersWanted &wanted, const Surroundings &surroundings) {
  return Planner(wanted, surroundings).plan();
}

} // namespace meld
