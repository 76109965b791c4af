#include "runtime/engine/wire.h"

#include <cstring>

namespace meld::wire {
namespace {

class Writer {
public:
  explicit Writer(Kind kind) : kind_(kind) { bytes_.resize(sizeof(Header)); }
  void number(uint64_t value) { append(&value, sizeof value); }
  void text(const void *data, size_t size) {
    number(size);
    append(data, size);
  }
  void put(bool value) { number(value); }
  void put(uint32_t value) { number(value); }
  void put(uint64_t value) { number(value); }
  void put(int value) { number(uint64_t(int64_t(value))); }
  void put(CompileMode value) { number(uint64_t(value)); }
  void put(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    number(bits);
  }
  void put(const std::string &value) { text(value.data(), value.size()); }
  void put(ByteView value) { text(value.data(), value.size()); }
  Bytes finish() {
    const Header header{kMagic, uint32_t(kind_), bytes_.size() - sizeof(Header)};
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

private:
  void append(const void *data, size_t size) {
    const auto *from = static_cast<const uint8_t *>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  Kind kind_;
  Bytes bytes_;
};

class Reader {
public:
  explicit Reader(ByteView bytes) : left_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    if (left_.size() < sizeof value) {
      good_ = false;
      return 0;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_ = left_.subspan(sizeof value);
    return value;
  }
  ByteView text() {
    const uint64_t size = number();
    if (!good_ || size > left_.size()) {
      good_ = false;
      return {};
    }
    ByteView out = left_.first(size);
    left_ = left_.subspan(size);
    return out;
  }
  void get(bool &value) { value = number() != 0; }
  void get(uint32_t &value) { value = uint32_t(number()); }
  void get(uint64_t &value) { value = number(); }
  void get(int &value) { value = int(int64_t(number())); }
  void get(CompileMode &value) { value = number() ? CompileMode::async : CompileMode::sync; }
  void get(double &value) {
    const uint64_t bits = number();
    std::memcpy(&value, &bits, sizeof value);
  }
  void get(std::string &value) {
    const ByteView bytes = text();
    value.assign(bytes.begin(), bytes.end());
  }
  void get(Bytes &value) {
    const ByteView bytes = text();
    value.assign(bytes.begin(), bytes.end());
  }
  bool complete() const { return good_ && left_.empty(); }

private:
  ByteView left_;
  bool good_ = true;
};

} // namespace

Bytes encode(ByteView codeObject, const std::string &isa, const Settings &settings,
             const VersionWanted &version) {
  Writer out(Kind::request);
  out.put(isa);
#define MELD_GPU_SETTING(...)
#define MELD_SETTING(kind, field, name, ...) out.put(settings.field);
#include "runtime/settings/table.h"
  out.put(version.kernel);
  out.put(version.recipe);
  out.put(version.facts);
  out.put(version.profile);
  out.put(codeObject);
  return out.finish();
}

Bytes encode(const LogLine &line) {
  Writer out(Kind::log);
  out.put(line.level);
  out.put(line.text.substr(0, kMostLog - 2 * sizeof(uint64_t)));
  return out.finish();
}

Bytes encode(const Reply &reply) {
  Writer out(Kind::reply);
  out.put(int(reply.outcome.status));
  out.put(reply.outcome.permanent);
  out.put(reply.outcome.reason);
  out.put(reply.outcome.metadata);
  out.put(reply.version);
  out.put(ByteView(reply.outcome.codeObject));
  return out.finish();
}

std::optional<Header> decodeHeader(ByteView bytes) {
  Header header;
  if (bytes.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const uint64_t most = header.kind == uint32_t(Kind::request) ? kMostRequest
                        : header.kind == uint32_t(Kind::log)   ? kMostLog
                        : header.kind == uint32_t(Kind::reply) ? kMostReply
                                                               : 0;
  if (header.magic != kMagic || !most || header.size > most)
    return std::nullopt;
  return header;
}

std::optional<Request> decodeRequest(ByteView body) {
  Reader in(body);
  Request request;
  in.get(request.isa);
#define MELD_GPU_SETTING(...)
#define MELD_SETTING(kind, field, name, ...) in.get(request.settings.field);
#include "runtime/settings/table.h"
  in.get(request.version.kernel);
  in.get(request.version.recipe);
  in.get(request.version.facts);
  in.get(request.version.profile);
  in.get(request.codeObject);
  return in.complete() ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<LogLine> decodeLog(ByteView body) {
  Reader in(body);
  LogLine line{};
  in.get(line.level);
  in.get(line.text);
  return in.complete() ? std::optional(std::move(line)) : std::nullopt;
}

std::optional<Reply> decodeReply(ByteView body) {
  Reader in(body);
  Reply reply;
  int status = -1;
  in.get(status);
  in.get(reply.outcome.permanent);
  in.get(reply.outcome.reason);
  in.get(reply.outcome.metadata);
  in.get(reply.version);
  in.get(reply.outcome.codeObject);
  if (!in.complete() || status < MELD_JIT_REPLACED || status > MELD_JIT_FAILED)
    return std::nullopt;
  reply.outcome.status = MeldJitStatus(status);
  return reply;
}

} // namespace meld::wire
