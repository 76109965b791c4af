#include "runtime/engine/cache_settings.h"

#include "runtime/engine/identity.h"

namespace meld {

LayersWanted layersWanted(const Settings &settings, const std::string &libmeldPath) {
  LayersWanted wanted;
  wanted.layers = settings.cacheLayers;
  wanted.cacheDir = settings.cacheDir;
  wanted.node = settings.cacheNode;
  wanted.site = settings.cacheSite;
  wanted.remote = settings.cacheRemote;
  wanted.trust = settings.cacheTrust;
  wanted.maxSize = settings.cacheMaxSize;
  wanted.readonly = settings.cacheReadonly;
  wanted.library = libmeldPath;
  if (!libmeldPath.empty())
    wanted.shared = folderOf(libmeldPath) + "/" MELD_SHARED_FOLDER;
  return wanted;
}

} // namespace meld
