// The two kinds of remote stores, by the libraries that speak with their servers. In meld-remote alone.
#pragma once

#include "runtime/cache/remote/remote.h"
#include "runtime/cache/remote/url.h"

#include <string>

namespace meld {

/// hiredis for the protocol; sockets and time limits are ours (redis_store.cpp). Left out where there
/// is no hiredis.
std::unique_ptr<RemoteStore> openRedis(RemoteUrl url, const RemoteLimits &limits,
                                       std::string token);

/// libcurl. Left out where there is none.
std::unique_ptr<RemoteStore> openHttp(RemoteUrl url, const RemoteLimits &limits, std::string token);

} // namespace meld
