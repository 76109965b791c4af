// Which layers the cache has in this process, and what is done with each. A plan: nothing is opened or
// made yet.
//
//   layer     where                                       read    written
//   process   the engine's memory                         first   always
//   node      /dev/shm/libmeld-UID, or in $TMPDIR         second  yes
//   user      MELD_CACHE_DIR, or ~/.cache/libmeld         third   not in a job whose home a file server has
//   site      MELD_CACHE_SITE, PREFIX/share/libmeld/cache fourth  never
//   remote    MELD_CACHE_REMOTE                           last    in the background
//
//   MELD_CACHE_LAYERS=auto, no batch system: user, and what of site and remote is there. As without
//   layers. In a job (batchSystem()): node, too; and a user folder on a file server is read, not written,
//   unless MELD_CACHE_DIR names it. Else: the layers that are listed, in the order above, each written
//   that can be.
//
// Whose entries are used. Node and user folder: they belong to this user, and nobody else can write
// into them (directory.h). Site and remote: with trusted keys, only what one of them has signed; without
// any, a site folder is believed when it belongs to root, to us, or to whoever owns libmeld.so, who could
// do anything here anyhow, and the remote is believed as whoever set it does.
//
// Example, in a job of SLURM with the home on Lustre: node /dev/shm/libmeld-1000, written; user
// /home/a/.cache/libmeld, read by path alone; site, if there is one.
//
// Thread rule: any thread.
#pragma once

#include "runtime/cache/signature.h"
#include "runtime/cache/surroundings.h"

#include <memory>
#include <sys/types.h>
#include <vector>

namespace meld {

enum class LayerKind : uint8_t { node, user, site };
const char *layerName(LayerKind kind);

struct PlannedLayer {
  LayerKind kind = LayerKind::user;
  std::string folder; ///< absolute; empty only of a user layer without any, which is off
  bool written = false;
  bool network = false;      ///< on a file server
  bool cleaned = true;       ///< when a process ends that wrote into it
  bool mustBeSigned = false; ///< by a trusted key
  uint64_t maxSize = 0;      ///< bytes; 0: no limit
  std::string why; ///< for people, what is not as usual: "NFS, read only in a job (SLURM)"
};

struct CachePlan {
  std::vector<PlannedLayer> layers; ///< in the order in which they are read
  std::string remote;               ///< URL; empty: none
  bool remoteWritten = false;
  std::string batch;                          ///< batchSystem()
  std::shared_ptr<const TrustedKeys> trusted; ///< null: no keys are set
  std::vector<uid_t> siteOwners;
  std::vector<std::string> warnings;
};

/// What the settings say.
struct LayersWanted {
  std::string layers = "auto"; ///< MELD_CACHE_LAYERS: "auto", "none", or names with commas between
  std::string cacheDir, node, site, remote, trust;
  uint64_t maxSize = 0;
  bool readonly = false;
  /// PREFIX/share/libmeld of the installed library; empty: nowhere. There may be `cache` in it, and
  /// `trusted-keys`, which count where the settings name nothing else.
  std::string shared;
  std::string library; ///< libmeld.so
};

/// How the plan sees the machine; tests have their own.
struct Surroundings {
  Variable variable;
  std::function<FileSystem(const std::string &folder)> fileSystem;
  /// The owner and mode of a folder or file, links followed; nothing where there is none.
  struct Found {
    uid_t owner = 0;
    bool folder = false, othersWrite = false;
  };
  std::function<std::optional<Found>(const std::string &path)> look;
  /// Whether there may be something of that name, even if it cannot be looked at: a link to nowhere, a
  /// folder that cannot be entered, a file server that is away.
  std::function<bool(const std::string &path)> exists;
  uid_t user = 0;

  /// Of this process; variables as secure_getenv() has them.
  static Surroundings real();
};

/// Never fails: what is not to be had is a warning, and the rest of the plan.
CachePlan planLayers(const LayersWanted &wanted, const Surroundings &surroundings);

} // namespace meld
