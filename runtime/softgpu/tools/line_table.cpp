// What: each unit of .debug_line holds a byte code; running it gives rows (address, file, line) in
// ascending address order, in sequences that end with a row of their own:
//
//   0x1000 a.hip:7     0x1008 a.hip:9     0x1020 end    |    0x2000 b.hip:1 ...
//
// An address belongs to the last row at or before it, unless that row ends a sequence. Every
// operation consumes at least one byte, so running terminates; the cost is linear in the section.
#include "runtime/softgpu/tools/line_table.h"

#include <algorithm>
#include <elf.h>
#include <map>

namespace meld::softgpu {

namespace {

/// Reads little-endian values one after the other; after the first bad read everything is 0.
class Cursor {
public:
  Cursor(ByteView bytes, uint64_t at, uint64_t end) : bytes_(bytes), at_(at), end_(end) {}

  template <class T> T get() {
    if (bad_ || end_ - at_ < sizeof(T)) {
      bad_ = true;
      return 0;
    }
    T x;
    std::memcpy(&x, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return x;
  }
  uint64_t uleb() {
    uint64_t x = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = get<uint8_t>();
      if (shift < 64)
        x |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80) || bad_)
        return x;
    }
  }
  int64_t sleb() {
    uint64_t x = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
      byte = get<uint8_t>();
      if (shift < 64)
        x |= uint64_t(byte & 0x7f) << shift;
      shift += 7;
    } while ((byte & 0x80) && !bad_);
    if (shift < 64 && (byte & 0x40))
      x |= ~0ull << shift;
    return int64_t(x);
  }
  uint64_t offset(bool is64) { return is64 ? get<uint64_t>() : get<uint32_t>(); }
  std::string_view text() {
    const char *begin = reinterpret_cast<const char *>(bytes_.data()) + at_;
    const size_t n = strnlen(begin, end_ - at_);
    if (bad_ || n == end_ - at_) {
      bad_ = true;
      return {};
    }
    at_ += n + 1;
    return {begin, n};
  }
  void skip(uint64_t n) {
    if (bad_ || end_ - at_ < n)
      bad_ = true;
    else
      at_ += n;
  }
  uint64_t at() const { return at_; }
  uint64_t left() const { return end_ - at_; }
  bool bad() const { return bad_; }

private:
  ByteView bytes_;
  uint64_t at_, end_;
  bool bad_ = false;
};

enum Form : uint64_t {
  formBlock = 0x09,
  formData1 = 0x0b,
  formData2 = 0x05,
  formData4 = 0x06,
  formData8 = 0x07,
  formData16 = 0x1e,
  formString = 0x08,
  formStrp = 0x0e,
  formUdata = 0x0f,
  formLineStrp = 0x1f,
};
enum Content : uint64_t { contentPath = 1, contentDirectory = 2 };

std::string joined(std::string_view folder, std::string_view file) {
  if (folder.empty() || file.starts_with('/'))
    return std::string(file);
  return std::string(folder) + "/" + std::string(file);
}

} // namespace

/// One unit of .debug_line.
class LineProgram {
public:
  LineProgram(LineTable &out, const Elf &elf, ByteView section)
      : out_(out), section_(section), strings_(bytesOf(elf, ".debug_str")),
        lineStrings_(bytesOf(elf, ".debug_line_str")) {}

  /// Reads the unit at `at` and moves it to the next one. Empty, or what was wrong.
  std::string run(uint64_t &at) {
    Cursor c(section_, at, section_.size());
    uint64_t length = c.get<uint32_t>();
    const bool is64 = length == 0xffffffff;
    if (is64)
      length = c.get<uint64_t>();
    if (c.bad() || length > c.left())
      return "a unit reaches past the end of the section";
    Cursor unit(section_, c.at(), c.at() + length);
    at = c.at() + length;
    return readUnit(unit, is64);
  }

private:
  struct Entry {
    std::string_view path;
    uint64_t folder = 0;
  };

  static ByteView bytesOf(const Elf &elf, std::string_view name) {
    const ElfSection *s = elf.section(name);
    return s ? s->bytes : ByteView{};
  }

  std::string readUnit(Cursor &c, bool is64) {
    version_ = c.get<uint16_t>();
    if (version_ < 2 || version_ > 5)
      return "version " + std::to_string(version_) + " is not one of 2 to 5";
    if (version_ >= 5)
      c.skip(2); // sizes of addresses and segments; addresses come with their own length
    const uint64_t headerLength = c.offset(is64);
    const uint64_t program = c.at() + headerLength;
    if (c.bad() || headerLength > c.left())
      return "a header reaches past its unit";
    step_ = c.get<uint8_t>();
    if (version_ >= 4)
      c.skip(1); // operations per instruction: 1 but for VLIW machines
    c.skip(1);   // is_stmt
    lineBase_ = int8_t(c.get<uint8_t>());
    lineRange_ = c.get<uint8_t>();
    opcodeBase_ = c.get<uint8_t>();
    if (!lineRange_ || !opcodeBase_)
      return "a line range or opcode base of 0";
    lengths_.assign(1, 0);
    for (unsigned k = 1; k < opcodeBase_; ++k)
      lengths_.push_back(c.get<uint8_t>());
    const std::string problem = version_ >= 5 ? readTables5(c, is64) : readTables2(c);
    if (!problem.empty())
      return problem;
    if (c.bad() || c.at() > program)
      return "a header is longer than it says";
    c.skip(program - c.at());
    return execute(c);
  }

  std::string readTables2(Cursor &c) {
    folders_.assign(1, {}); // 0: the folder of the compilation, not in this section
    files_.assign(1, {});
    while (!c.bad()) {
      const std::string_view folder = c.text();
      if (folder.empty())
        break;
      folders_.push_back(folder);
    }
    while (!c.bad()) {
      Entry e;
      e.path = c.text();
      if (e.path.empty())
        break;
      e.folder = c.uleb();
      c.uleb(); // time
      c.uleb(); // size
      files_.push_back(e);
    }
    return {};
  }

  std::string readTables5(Cursor &c, bool is64) {
    std::vector<Entry> folders;
    if (std::string problem = readEntries(c, is64, folders); !problem.empty())
      return problem;
    folders_.clear();
    for (const Entry &e : folders)
      folders_.push_back(e.path);
    return readEntries(c, is64, files_);
  }

  std::string readEntries(Cursor &c, bool is64, std::vector<Entry> &out) {
    std::vector<std::pair<uint64_t, uint64_t>> format(c.get<uint8_t>());
    for (auto &[content, form] : format)
      content = c.uleb(), form = c.uleb();
    const uint64_t count = c.uleb();
    out.clear();
    for (uint64_t k = 0; k < count && !c.bad(); ++k) {
      Entry e;
      for (const auto &[content, form] : format) {
        uint64_t number = 0;
        std::string_view text;
        switch (form) {
        case formString:
          text = c.text();
          break;
        case formLineStrp:
          text = stringAt(lineStrings_, c.offset(is64));
          break;
        case formStrp:
          text = stringAt(strings_, c.offset(is64));
          break;
        case formUdata:
          number = c.uleb();
          break;
        case formData1:
          number = c.get<uint8_t>();
          break;
        case formData2:
          number = c.get<uint16_t>();
          break;
        case formData4:
          number = c.get<uint32_t>();
          break;
        case formData8:
          number = c.get<uint64_t>();
          break;
        case formData16:
          c.skip(16);
          break;
        case formBlock:
          c.skip(c.uleb());
          break;
        default:
          return "form " + hexOffset(form) + " in a file table";
        }
        if (content == contentPath)
          e.path = text;
        else if (content == contentDirectory)
          e.folder = number;
      }
      if (format.empty())
        break; // a count of empty entries
      out.push_back(e);
    }
    return {};
  }

  static std::string_view stringAt(ByteView table, uint64_t offset) {
    if (offset >= table.size())
      return {};
    const char *begin = reinterpret_cast<const char *>(table.data()) + offset;
    return {begin, strnlen(begin, table.size() - offset)};
  }

  uint32_t source(uint64_t file, uint64_t line) {
    auto [it, fresh] = known_.try_emplace({file, line}, uint32_t(out_.sources_.size()));
    if (fresh) {
      SourceLine s;
      if (file < files_.size()) {
        const Entry &e = files_[file];
        s.file = joined(e.folder < folders_.size() ? folders_[e.folder] : "", e.path);
      }
      s.line = uint32_t(line);
      out_.sources_.push_back(std::move(s));
    }
    return it->second;
  }

  std::string execute(Cursor &c) {
    known_.clear();
    uint64_t address = 0, file = 1, line = 1;
    auto emit = [&](bool end) {
      out_.rows_.push_back({address, end ? LineTable::kNone : source(file, line)});
    };
    while (c.left() && !c.bad()) {
      const uint8_t op = c.get<uint8_t>();
      if (op >= opcodeBase_) {
        address += uint64_t((op - opcodeBase_) / lineRange_) * step_;
        line += uint64_t(int64_t(lineBase_) + (op - opcodeBase_) % lineRange_);
        emit(false);
        continue;
      }
      switch (op) {
      case 0: { // extended
        const uint64_t size = c.uleb();
        if (!size || size > c.left())
          return "an extended operation reaches past its unit";
        const uint64_t next = c.at() + size;
        switch (c.get<uint8_t>()) {
        case 1: // end_sequence
          emit(true);
          address = 0, file = 1, line = 1;
          break;
        case 2: // set_address
          address = size == 9 ? c.get<uint64_t>() : size == 5 ? c.get<uint32_t>() : 0;
          break;
        default:
          break;
        }
        if (c.at() > next)
          return "an extended operation is shorter than its contents";
        c.skip(next - c.at());
        break;
      }
      case 1: // copy
        emit(false);
        break;
      case 2: // advance_pc
        address += c.uleb() * step_;
        break;
      case 3: // advance_line
        line += uint64_t(c.sleb());
        break;
      case 4: // set_file
        file = c.uleb();
        break;
      case 8: // const_add_pc
        address += uint64_t((255 - opcodeBase_) / lineRange_) * step_;
        break;
      case 9: // fixed_advance_pc
        address += c.get<uint16_t>();
        break;
      default:
        for (unsigned k = 0; k < lengths_[op]; ++k)
          c.uleb();
        break;
      }
    }
    return c.bad() ? "a line program reaches past its unit" : "";
  }

  LineTable &out_;
  ByteView section_, strings_, lineStrings_;
  unsigned version_ = 0, step_ = 1, lineRange_ = 1, opcodeBase_ = 1;
  int lineBase_ = 0;
  std::vector<uint8_t> lengths_;
  std::vector<std::string_view> folders_;
  std::vector<Entry> files_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> known_;
};

Result<LineTable> LineTable::read(const Elf &elf) {
  const ElfSection *section = elf.section(".debug_line");
  if (!section)
    return fail(ErrorCode::notFound, "no .debug_line section: compile with -g");
  if (section->flags & SHF_COMPRESSED)
    return fail(ErrorCode::unsupported, ".debug_line is compressed");
  LineTable table;
  LineProgram program(table, elf, section->bytes);
  for (uint64_t at = 0; at < section->bytes.size();) {
    const uint64_t unit = at;
    if (std::string problem = program.run(at); !problem.empty())
      return fail(ErrorCode::badInput, ".debug_line unit at " + hexOffset(unit) + ": " + problem);
  }
  std::ranges::stable_sort(table.rows_, {}, [](const Row &r) {
    // An end at the address where another sequence starts comes first.
    return std::pair(r.address, r.source != kNone);
  });
  return table;
}

const SourceLine *LineTable::at(uint64_t address) const {
  auto it = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  if (it == rows_.begin())
    return nullptr;
  const Row &row = *--it;
  return row.source == kNone || !sources_[row.source].line ? nullptr : &sources_[row.source];
}

} // namespace meld::softgpu
