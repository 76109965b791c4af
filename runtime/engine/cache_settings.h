// What the settings say of the cache's layers, for the engine and the command line.
#pragma once

#include "runtime/cache/layers.h"
#include "runtime/settings/settings.h"

namespace meld {

/// PREFIX/share/libmeld of an installed library, PREFIX/lib/libmeld/libmeld.so (lib64,
/// lib/x86_64-linux-gnu). Empty of one in a build. A question of names: no file is looked at.
std::string sharedFolder(const std::string &libmeldPath);

/// `libmeldPath`: libmeld.so, beside which a site may have put a layer; may be empty.
LayersWanted layersWanted(const Settings &settings, const std::string &libmeldPath);

} // namespace meld
