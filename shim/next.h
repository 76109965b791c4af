// The definition behind ours: what a call would have reached without libmeld.
#pragma once

namespace meld {

/// dlsym(RTLD_NEXT), then the libraries named in `fallback` (space-separated sonames) where they
/// are loaded already: RTLD_NEXT does not look into libraries that were opened RTLD_LOCAL. Null
/// when there is none.
void *nextSymbol(const char *name, const char *fallback) noexcept;

inline constexpr const char *kHsaLibraries = "libhsa-runtime64.so.1";
inline constexpr const char *kHipLibraries = "libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7 "
                                             "libhiprtc.so.5 libhiprtc.so.6 libhiprtc.so.7";

} // namespace meld
