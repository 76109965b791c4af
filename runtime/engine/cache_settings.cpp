#include "runtime/engine/cache_settings.h"

#include "runtime/engine/identity.h"

namespace meld {

std::string sharedFolder(const std::string &libmeldPath) {
  const std::string own = folderOf(libmeldPath);
  if (fileNameOf(own) != "libmeld")
    return {};
  std::string libraries = folderOf(own);
  if (fileNameOf(libraries) == MELD_LIBRARY_ARCHITECTURE)
    libraries = folderOf(libraries);
  return folderOf(libraries) + "/" MELD_SHARED_FOLDER;
}

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
  wanted.shared = sharedFolder(libmeldPath);
  return wanted;
}

} // namespace meld
