// An HTTP server that keeps what is put, by libcurl: GET, HEAD, PUT, as ccache and sccache use one.
//
//   http://host/meld  +  key 3f09...  ->  /meld/3f/09...
//
// 2xx is success, 404 and 410 are "not there"; a redirect is followed at most three times, to the same
// host alone and never from https to http, with the time that is left. 403, 405 and 501 for what
// changes something are "unsupported": a server may be for reading only.
//
// A claim is an entry of its own, KEY.claim, put with If-None-Match: * (RFC 9110, 13.1.2), which a
// server answers with 412 where there is one. How old a claim is, the server's own clock tells (Date
// and Last-Modified of it); one that is too old is put again without a condition: two that do so at the
// same moment both compile. A server that ignores the condition would give everybody the claim, so
// the first one that we are given is asked for twice.
#include "runtime/cache/remote/stores.h"
#include "runtime/host/text.h"

#include <algorithm>
#include <cstring>
#include <curl/curl.h>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRedirects = 3;
constexpr size_t kMostHeaderBytes = 64 << 10;
constexpr size_t kMostTextBytes = 64 << 10; ///< of an answer that is no entry
constexpr std::string_view kPeer = "the HTTP server";

struct FreeHandle {
  void operator()(CURL *handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist *list) const { curl_slist_free_all(list); }
};
struct FreeUrl {
  void operator()(CURLU *url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, FreeUrl>;

/// A part of it, in lower case; empty where there is none.
std::string partOf(CURLU *url, CURLUPart part, unsigned flags = 0) {
  char *text = nullptr;
  if (curl_url_get(url, part, &text, flags))
    return {};
  std::string out = text;
  curl_free(text);
  for (char &c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

/// The same host, and no less encrypted.
bool mayFollow(const std::string &from, const std::string &to) {
  const Url a(curl_url()), b(curl_url());
  if (!a || !b || curl_url_set(a.get(), CURLUPART_URL, from.c_str(), 0) ||
      curl_url_set(b.get(), CURLUPART_URL, to.c_str(), 0))
    return false;
  const std::string before = partOf(a.get(), CURLUPART_SCHEME),
                    after = partOf(b.get(), CURLUPART_SCHEME);
  const bool portToo = before == after;
  return (after == "https" || (after == "http" && before == "http")) &&
         partOf(a.get(), CURLUPART_HOST) == partOf(b.get(), CURLUPART_HOST) &&
         (!portToo || partOf(a.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT) ==
                          partOf(b.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

struct Answer {
  long status = 0;
  Bytes body;
  time_t date = -1, changed = -1; ///< by the server's clock; -1: it does not say
};

enum class Method { get, head, put, remove };

/// "the HTTP server answers with status 500"
tl::unexpected<Error> wrong(std::string_view what, std::string_view detail = {},
                            ErrorCode code = ErrorCode::io) {
  std::string message(kPeer);
  (message += what) += detail;
  return fail(code, std::move(message));
}

class HttpStore : public RemoteStore {
public:
  HttpStore(RemoteUrl url, const RemoteLimits &limits, std::string token)
      : url_(std::move(url)), limits_(limits), token_(std::move(token)) {
    base_ = url_.scheme + "://" + url_.host;
    if (url_.port)
      base_ += ":" + std::to_string(url_.port);
    base_ += url_.path;
    curl_global_init(CURL_GLOBAL_DEFAULT);
  }
  ~HttpStore() override { rest(); }

  Result<std::optional<Bytes>> get(std::string_view key) override {
    Answer answer = MELD_TRY(ask(Method::get, placeOf(key), limits_.entryBytes));
    if (answer.status == 404 || answer.status == 410)
      return std::nullopt;
    if (answer.status != 200)
      return unexpected(answer);
    return std::move(answer.body);
  }

  Result<bool> has(std::string_view key) override {
    const Answer answer = MELD_TRY(ask(Method::head, placeOf(key), kMostTextBytes));
    if (answer.status == 404 || answer.status == 410)
      return false;
    if (answer.status != 200)
      return unexpected(answer);
    return true;
  }

  Result<void> put(std::string_view key, ByteView bytes) override {
    const Answer answer = MELD_TRY(ask(Method::put, placeOf(key), kMostTextBytes, bytes));
    if (!done(answer))
      return unexpected(answer);
    return {};
  }

  Result<bool> claim(std::string_view key, std::chrono::seconds expiry) override {
    const std::string place = placeOf(key) + std::string(kClaimEnding);
    if (claims_ == Claims::ignored)
      return ignoresClaims();
    Answer answer = MELD_TRY(putToken(place, true));
    if (answer.status != 412)
      return MELD_TRY(givenTo(answer, place));
    claims_ = Claims::known;
    answer = MELD_TRY(ask(Method::get, place, kMostTextBytes));
    if (answer.status == 404 || answer.status == 410) // released meanwhile, by who has compiled
      return false;
    if (answer.status != 200)
      return unexpected(answer);
    if (std::string(answer.body.begin(), answer.body.end()) == token_)
      return true;
    if (answer.date < 0 || answer.changed < 0)
      return wrong(" does not say how old a claim is", {}, ErrorCode::unsupported);
    if (answer.date - answer.changed < expiry.count())
      return false;
    answer = MELD_TRY(putToken(place, false));
    if (!done(answer))
      return unexpected(answer);
    return true;
  }

  Result<void> release(std::string_view key) override {
    const std::string place = placeOf(key) + std::string(kClaimEnding);
    Answer answer = MELD_TRY(ask(Method::get, place, kMostTextBytes));
    if (answer.status != 200 || std::string(answer.body.begin(), answer.body.end()) != token_)
      return {}; // nobody's, or somebody else's by now
    answer = MELD_TRY(ask(Method::remove, place, kMostTextBytes));
    if (!done(answer) && answer.status != 404 && answer.status != 410)
      return unexpected(answer);
    return {};
  }

  void rest() noexcept override { handle_.reset(); }

private:
  enum class Claims { unknown, known, ignored };

  std::string placeOf(std::string_view key) const {
    return base_ + "/" + std::string(key.substr(0, 2)) + "/" + std::string(key.substr(2));
  }
  static bool done(const Answer &answer) { return answer.status >= 200 && answer.status < 300; }

  tl::unexpected<Error> ignoresClaims() const {
    return wrong(" ignores If-None-Match: no node knows what another compiles", {},
                 ErrorCode::unsupported);
  }

  Result<Answer> putToken(const std::string &place, bool onlyIfNone) {
    const ByteView bytes(reinterpret_cast<const uint8_t *>(token_.data()), token_.size());
    return ask(Method::put, place, kMostTextBytes, bytes, onlyIfNone);
  }

  /// The server gave us a claim. Would it give anybody any?
  Result<bool> givenTo(const Answer &first, const std::string &place) {
    if (!done(first))
      return unexpected(first);
    if (claims_ == Claims::known)
      return true;
    const Answer second = MELD_TRY(putToken(place, true));
    claims_ = second.status == 412 ? Claims::known : Claims::ignored;
    if (claims_ == Claims::known)
      return true;
    MELD_TRY(ask(Method::remove, place, kMostTextBytes));
    return ignoresClaims();
  }

  tl::unexpected<Error> unexpected(const Answer &answer) const {
    const bool forReading = answer.status == 403 || answer.status == 405 || answer.status == 501;
    return wrong(" answers with status ", std::to_string(answer.status),
                 forReading ? ErrorCode::unsupported : ErrorCode::io);
  }

  Result<Answer> ask(Method method, std::string place, size_t most, ByteView body = {},
                     bool onlyIfNone = false) {
    const auto until = Clock::now() + limits_.connect + limits_.request;
    for (int redirects = 0;; ++redirects) {
      std::string elsewhere;
      Answer answer = MELD_TRY(askOnce(method, place, most, body, onlyIfNone, until, elsewhere));
      const bool redirected = answer.status == 301 || answer.status == 302 ||
                              answer.status == 307 || answer.status == 308;
      if (!redirected)
        return answer;
      if (redirects == kMostRedirects)
        return wrong(" redirects for ever");
      if (!mayFollow(place, elsewhere))
        return wrong(" redirects to another host");
      place = std::move(elsewhere);
    }
  }

  struct Transfer {
    Answer answer;
    size_t most = 0, headerBytes = 0;
    bool tooLarge = false, headersEnded = false;
    ByteView body; ///< to send
    size_t sent = 0;
  };

  static size_t receive(char *data, size_t one, size_t count, void *argument) {
    auto &transfer = *static_cast<Transfer *>(argument);
    const size_t size = one * count;
    if (size > transfer.most - transfer.answer.body.size()) {
      transfer.tooLarge = true;
      return size + 1;
    }
    const auto *bytes = reinterpret_cast<const uint8_t *>(data);
    transfer.answer.body.insert(transfer.answer.body.end(), bytes, bytes + size);
    return size;
  }

  static size_t receiveHeader(char *data, size_t one, size_t count, void *argument) {
    auto &transfer = *static_cast<Transfer *>(argument);
    const size_t size = one * count;
    if ((transfer.headerBytes += size) > kMostHeaderBytes) {
      transfer.tooLarge = true;
      return size + 1;
    }
    const std::string_view line(data, size);
    transfer.headersEnded = line == "\r\n" || line == "\n";
    if (line.size() > 5 && strncasecmp(line.data(), "date:", 5) == 0)
      transfer.answer.date = curl_getdate(std::string(line.substr(5)).c_str(), nullptr);
    return size;
  }

  static size_t send(char *room, size_t one, size_t count, void *argument) {
    auto &transfer = *static_cast<Transfer *>(argument);
    const size_t size = std::min(one * count, transfer.body.size() - transfer.sent);
    if (size)
      std::memcpy(room, transfer.body.data() + transfer.sent, size);
    transfer.sent += size;
    return size;
  }

  /// A connection that was kept may turn out to be closed: then libcurl begins again on a new one.
  static int sendAgain(void *argument, curl_off_t offset, int origin) {
    auto &transfer = *static_cast<Transfer *>(argument);
    if (origin != SEEK_SET || offset < 0 || size_t(offset) > transfer.body.size())
      return CURL_SEEKFUNC_FAIL;
    transfer.sent = size_t(offset);
    return CURL_SEEKFUNC_OK;
  }

  Result<Answer> askOnce(Method method, const std::string &place, size_t most, ByteView body,
                         bool onlyIfNone, Clock::time_point until, std::string &elsewhere) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0)
      return wrong(" did not answer in time");
    if (!handle_)
      handle_.reset(curl_easy_init());
    CURL *handle = handle_.get();
    if (!handle)
      return fail(ErrorCode::io, "libcurl does not start");
    curl_easy_reset(handle); // keeps the connection
    Transfer transfer;
    transfer.most = most;
    transfer.body = body;
    // An empty "Expect:" keeps libcurl from waiting a second for servers that do not know it.
    curl_slist *list = curl_slist_append(nullptr, "Expect:");
    if (onlyIfNone)
      list = curl_slist_append(list, "If-None-Match: *");
    const std::unique_ptr<curl_slist, FreeList> headers(list);
    auto set = [handle](CURLoption option, auto value) {
      return curl_easy_setopt(handle, option, value) == CURLE_OK;
    };
    bool good = set(CURLOPT_URL, place.c_str()) && set(CURLOPT_PROTOCOLS_STR, "http,https") &&
                set(CURLOPT_NOSIGNAL, 1L) && set(CURLOPT_NOPROGRESS, 1L) &&
                set(CURLOPT_USERAGENT, "libmeld") && set(CURLOPT_HTTPHEADER, headers.get()) &&
                set(CURLOPT_CONNECTTIMEOUT_MS, std::min<long>(left, limits_.connect.count())) &&
                set(CURLOPT_TIMEOUT_MS, long(left)) && set(CURLOPT_MAXCONNECTS, 1L) &&
                set(CURLOPT_FOLLOWLOCATION, 0L) && set(CURLOPT_FILETIME, 1L) &&
                set(CURLOPT_WRITEFUNCTION, &receive) && set(CURLOPT_WRITEDATA, &transfer) &&
                set(CURLOPT_HEADERFUNCTION, &receiveHeader) && set(CURLOPT_HEADERDATA, &transfer);
    if (!url_.user.empty() || !url_.password.empty())
      good = good && set(CURLOPT_HTTPAUTH, long(CURLAUTH_BASIC)) &&
             set(CURLOPT_USERNAME, url_.user.c_str()) &&
             set(CURLOPT_PASSWORD, url_.password.c_str());
    if (method == Method::head)
      good = good && set(CURLOPT_NOBODY, 1L);
    if (method == Method::remove)
      good = good && set(CURLOPT_CUSTOMREQUEST, "DELETE");
    if (method == Method::put)
      good = good && set(CURLOPT_UPLOAD, 1L) && set(CURLOPT_READFUNCTION, &send) &&
             set(CURLOPT_READDATA, &transfer) && set(CURLOPT_SEEKFUNCTION, &sendAgain) &&
             set(CURLOPT_SEEKDATA, &transfer) &&
             set(CURLOPT_INFILESIZE_LARGE, curl_off_t(body.size()));
    if (!good)
      return fail(ErrorCode::unsupported, "this libcurl lacks what a remote cache needs of it");
    const CURLcode code = curl_easy_perform(handle);
    if (transfer.tooLarge)
      return wrong(" answers more than the limit", {}, ErrorCode::badInput);
    if (code != CURLE_OK)
      return wrong(": ", curl_easy_strerror(code));
    if (!transfer.headersEnded) // libcurl takes a connection that ends there for an empty answer
      return wrong(" has closed the connection");
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.answer.status);
    curl_off_t changed = -1;
    curl_easy_getinfo(handle, CURLINFO_FILETIME_T, &changed);
    transfer.answer.changed = time_t(changed);
    char *location = nullptr;
    curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &location);
    elsewhere = location ? location : "";
    return std::move(transfer.answer);
  }

  const RemoteUrl url_;
  const RemoteLimits limits_;
  const std::string token_;
  std::string base_;
  Claims claims_ = Claims::unknown;
  std::unique_ptr<CURL, FreeHandle> handle_;
};

} // namespace

std::unique_ptr<RemoteStore> openHttp(RemoteUrl url, const RemoteLimits &limits,
                                      std::string token) {
  return std::make_unique<HttpStore>(std::move(url), limits, std::move(token));
}

} // namespace meld
