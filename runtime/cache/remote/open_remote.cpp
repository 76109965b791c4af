#include "runtime/cache/remote/stores.h"

namespace meld {

Result<std::unique_ptr<RemoteStore>> openRemote(std::string_view text, const RemoteLimits &limits,
                                                std::string_view token) {
  RemoteUrl url = MELD_TRY(parseRemoteUrl(text));
  if (url.kind == RemoteUrl::Kind::http) {
#ifdef MELD_HAVE_CURL
    return openHttp(std::move(url), limits, std::string(token));
#else
    return fail(ErrorCode::unsupported,
                "this libmeld was built without libcurl, which http:// needs");
#endif
  }
#ifdef MELD_HAVE_HIREDIS
  return openRedis(std::move(url), limits, std::string(token));
#else
  return fail(ErrorCode::unsupported,
              "this libmeld was built without hiredis, which redis:// needs");
#endif
}

} // namespace meld
