#include "runtime/cache/remote/url.h"

#include "runtime/host/text.h"

#include <algorithm>
#include <charconv>

namespace meld {
namespace {

constexpr size_t kMostUrl = 4096;
constexpr size_t kLeastKey = 3, kMostKey = 128;

bool plain(char c) { return c > 0x20 && c < 0x7f; }
bool letterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

tl::unexpected<Error> wrong(std::string_view url, const std::string &why) {
  return fail(ErrorCode::badInput,
              "'" + shown(shownUrl(url), 200) + "' is no remote cache's URL: " + why);
}

int hexDigit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

/// %41 -> A. False where a percent sign is followed by something else, or a zero byte comes out.
bool decode(std::string_view text, std::string &out) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      out += text[at];
      continue;
    }
    const int high = at + 2 < text.size() ? hexDigit(text[at + 1]) : -1;
    const int low = at + 2 < text.size() ? hexDigit(text[at + 2]) : -1;
    if (high < 0 || low < 0 || high + low == 0)
      return false;
    out += char(high * 16 + low);
    at += 2;
  }
  return true;
}

bool number(std::string_view text, unsigned least, unsigned most, unsigned &out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out >= least && out <= most;
}

/// host, host:port, [address], [address]:port
bool hostAndPort(std::string_view text, RemoteUrl &url) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos)
    return false;
  const size_t colon = text.find(':', bracket);
  url.host = text.substr(0, colon);
  if (url.host.empty() || url.host == "[]" || (bracket && url.host.size() != bracket + 1))
    return false;
  for (const char c : std::string_view(url.host))
    if (!letterOrDigit(c) && c != '.' && c != '-' && c != '_' &&
        !(bracket && (c == ':' || c == '[' || c == ']')))
      return false;
  return colon == std::string_view::npos || number(text.substr(colon + 1), 1, 65535, url.port);
}

} // namespace

std::string shownUrl(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  // The last one: who has not encoded the @ or the / of a password would have part of it shown.
  const size_t at = url.rfind('@');
  if (at == std::string_view::npos || at < begin)
    return std::string(url);
  return std::string(url.substr(0, begin)) + std::string(url.substr(at + 1));
}

Result<RemoteUrl> parseRemoteUrl(std::string_view text) {
  if (text.size() > kMostUrl)
    return wrong(text, "more than " + std::to_string(kMostUrl) + " bytes");
  if (!std::all_of(text.begin(), text.end(), plain))
    return wrong(text, "a blank, a control character or one that is not ASCII");
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos)
    return wrong(text, "no scheme (redis://, redis+unix://, http://, https://)");
  RemoteUrl url;
  for (const char c : text.substr(0, colon))
    url.scheme += c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  if (url.scheme == "redis")
    url.kind = RemoteUrl::Kind::redis;
  else if (url.scheme == "redis+unix")
    url.kind = RemoteUrl::Kind::redisUnix;
  else if (url.scheme == "http" || url.scheme == "https")
    url.kind = RemoteUrl::Kind::http;
  else
    return wrong(text, "the scheme is none of redis, redis+unix, http, https");

  std::string_view rest = text.substr(colon + 3);
  if (rest.find('#') != std::string_view::npos)
    return wrong(text, "a fragment (#)");
  if (const size_t query = rest.find('?'); query != std::string_view::npos) {
    const std::string_view value = rest.substr(query);
    if (url.kind != RemoteUrl::Kind::redisUnix || !value.starts_with("?db=") ||
        !number(value.substr(4), 0, 1u << 20, url.database))
      return wrong(text, "a query (?) that has no meaning here");
    rest = rest.substr(0, query);
  }
  const std::string_view authority = rest.substr(0, rest.find('/'));
  std::string_view path = rest.substr(authority.size());
  std::string_view host = authority;
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = authority.substr(0, at);
    host = authority.substr(at + 1);
    const size_t parted = who.find(':');
    const bool both = parted != std::string_view::npos;
    if (!decode(who.substr(0, parted), url.user) ||
        (both && !decode(who.substr(parted + 1), url.password)))
      return wrong(text, "a wrong %-sequence in user or password");
  }
  if (url.kind == RemoteUrl::Kind::redisUnix) {
    if (!host.empty() || path.size() < 2 || !decode(path, url.path))
      return wrong(text, "no path of a socket (redis+unix:///path)");
    return url;
  }
  if (!hostAndPort(host, url))
    return wrong(text, "no host, or no right port");
  if (url.kind == RemoteUrl::Kind::redis) {
    if (path.size() > 1 && !number(path.substr(1), 0, 1u << 20, url.database))
      return wrong(text, "the path is no number of a database");
    return url;
  }
  while (path.ends_with('/'))
    path.remove_suffix(1);
  url.path = path;
  return url;
}

Result<void> checkRemoteKey(std::string_view key) {
  auto allowed = [](char c) { return letterOrDigit(c) || c == '.' || c == '_' || c == '-'; };
  if (key.size() < kLeastKey || key.size() > kMostKey || key.starts_with('.') ||
      key.ends_with(kClaimEnding) || !std::all_of(key.begin(), key.end(), allowed))
    return fail(ErrorCode::badInput, "'" + shown(key, 140) + "' is no key of a remote cache");
  return {};
}

} // namespace meld
