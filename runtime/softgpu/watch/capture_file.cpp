// The file of a captured dispatch: a line that names the format, the size of what follows, and one
// zstd frame of little-endian fields, each list preceded by its length.
#include "runtime/softgpu/watch/capture.h"

#include "runtime/host/new_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <zstd.h>

namespace meld::softgpu {

namespace {

constexpr char kMagic[] = "MELD-GPU-CAPTURE 1\n";
constexpr size_t kMagicSize = sizeof(kMagic) - 1;

class Writer {
public:
  std::string bytes;
  template <class T> void put(const T &x) {
    bytes.append(reinterpret_cast<const char *>(&x), sizeof(x));
  }
  void put(const std::string &x) {
    put(uint64_t(x.size()));
    bytes += x;
  }
  void put(const std::map<uint64_t, CapturePage> &pages) {
    put(uint64_t(pages.size()));
    for (const auto &[n, page] : pages) {
      put(n);
      put(page);
    }
  }
};

class Reader {
public:
  explicit Reader(const std::string &bytes) : bytes_(bytes) {}
  template <class T> void get(T &x) {
    if (bad || bytes_.size() - at_ < sizeof(x)) {
      bad = true;
      return;
    }
    std::memcpy(&x, bytes_.data() + at_, sizeof(x));
    at_ += sizeof(x);
  }
  void get(std::string &x) {
    uint64_t n = 0;
    get(n);
    if (bad || bytes_.size() - at_ < n) {
      bad = true;
      return;
    }
    x.assign(bytes_, at_, n);
    at_ += n;
  }
  void get(std::map<uint64_t, CapturePage> &pages) {
    uint64_t count = 0, n = 0;
    get(count);
    for (; count && !bad; --count) {
      get(n);
      get(pages[n]);
    }
  }
  bool bad = false;
  bool atEnd() const { return at_ == bytes_.size(); }

private:
  const std::string &bytes_;
  size_t at_ = 0;
};

/// Every field in the order of the file.
template <class Archive, class C> void fields(Archive &&a, C &c) {
  a(c.device);
  a(c.kernel);
  a(c.message);
  a(c.computeUnits);
  a(c.ldsBase);
  a(c.scratchBase);
  a(c.packet);
  a(c.descriptor);
  a(c.queueAddress);
  a(c.packetAddress);
  a(c.dispatchId);
  a(c.code);
  a(c.instructions);
  a(c.waves);
}

} // namespace

Result<uint64_t> Capture::write(const std::string &file) const {
  Writer w;
  fields([&](const auto &x) { w.put(x); }, *this);
  w.put(uint64_t(ranges.size()));
  for (const CapturedRange &r : ranges) {
    w.put(r.address);
    w.put(r.size);
    w.put(r.before);
    w.put(r.after);
  }
  std::string packed(ZSTD_compressBound(w.bytes.size()), '\0');
  const size_t n = ZSTD_compress(packed.data(), packed.size(), w.bytes.data(), w.bytes.size(), 3);
  if (ZSTD_isError(n))
    return fail(ErrorCode::internal, file + ": " + ZSTD_getErrorName(n));
  const uint64_t plain = w.bytes.size();
  std::string whole(kMagic, kMagicSize);
  whole.append(reinterpret_cast<const char *>(&plain), sizeof(plain));
  whole.append(packed, 0, n);
  MELD_TRY(writeWholePath(file, whole));
  return uint64_t(kMagicSize + 8 + n);
}

Result<Capture> Capture::read(const std::string &file) {
  std::FILE *f = std::fopen(file.c_str(), "rb");
  if (!f)
    return fail(ErrorCode::io, file + ": " + std::strerror(errno));
  std::string packed;
  char part[65536];
  for (size_t n; (n = std::fread(part, 1, sizeof(part), f)) > 0;)
    packed.append(part, n);
  std::fclose(f);
  auto bad = [&](const char *what) { return fail(ErrorCode::badInput, file + ": " + what); };
  if (packed.size() < kMagicSize + 8 || packed.compare(0, kMagicSize, kMagic) != 0)
    return bad("not a captured dispatch");
  uint64_t plain = 0;
  std::memcpy(&plain, packed.data() + kMagicSize, 8);
  const char *frame = packed.data() + kMagicSize + 8;
  const size_t frameSize = packed.size() - kMagicSize - 8;
  if (ZSTD_getFrameContentSize(frame, frameSize) != plain || plain > (1ull << 40))
    return bad("damaged: the sizes do not agree");
  std::string bytes;
  try {
    bytes.resize(plain);
  } catch (const std::exception &) {
    return bad("does not fit in memory");
  }
  if (ZSTD_decompress(bytes.data(), plain, frame, frameSize) != plain)
    return bad("damaged: does not unpack");
  Capture c;
  Reader r(bytes);
  fields([&](auto &x) { r.get(x); }, c);
  uint64_t count = 0;
  r.get(count);
  for (; count && !r.bad; --count) {
    CapturedRange range;
    r.get(range.address);
    r.get(range.size);
    r.get(range.before);
    r.get(range.after);
    for (const auto *pages : {&range.before, &range.after})
      if (!pages->empty() && pages->rbegin()->first >= range.size / kCapturePage)
        return bad("damaged: a page lies outside its range");
    c.ranges.push_back(std::move(range));
  }
  if (r.bad || !r.atEnd())
    return bad("damaged: too short or too long");
  return c;
}

} // namespace meld::softgpu
