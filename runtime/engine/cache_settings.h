// What the settings say of the cache's layers, for the engine and the command line.
#pragma once

#include "runtime/cache/layers.h"
#include "runtime/settings/settings.h"

namespace meld {

/// `libmeldPath`: libmeld.so, beside which a site may have put a layer; may be empty.
LayersWanted layersWanted(const Settings &settings, const std::string &libmeldPath);

} // namespace meld
