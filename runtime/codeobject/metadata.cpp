#include "runtime/codeobject/metadata.h"

#include <nlohmann/json.hpp>

#include <unordered_map>

namespace meld {
namespace {

using Json = nlohmann::json;

constexpr uint32_t kNoteMetadata = 32; // NT_AMDGPU_METADATA
constexpr size_t kMaxDepth = 32;       // of arrays and maps in each other

template <class Record> struct NumberField {
  std::string_view key;
  uint64_t Record::*member;
  bool required = true;
};
template <class Record> struct TextField {
  std::string_view key;
  std::string Record::*member;
  bool required = true;
};

constexpr NumberField<KernelMetadata> kKernelNumbers[] = {
    {".kernarg_segment_size", &KernelMetadata::kernargSize},
    {".kernarg_segment_align", &KernelMetadata::kernargAlign},
    {".group_segment_fixed_size", &KernelMetadata::groupSize},
    {".private_segment_fixed_size", &KernelMetadata::privateSize},
    {".wavefront_size", &KernelMetadata::wavefrontSize},
    {".sgpr_count", &KernelMetadata::sgprs},
    {".vgpr_count", &KernelMetadata::vgprs},
    {".agpr_count", &KernelMetadata::agprs, false},
    {".sgpr_spill_count", &KernelMetadata::sgprSpills, false},
    {".vgpr_spill_count", &KernelMetadata::vgprSpills, false},
    {".max_flat_workgroup_size", &KernelMetadata::maxFlatWorkgroupSize},
};
constexpr TextField<KernelMetadata> kKernelTexts[] = {
    {".name", &KernelMetadata::name},
    {".symbol", &KernelMetadata::symbol},
};
constexpr NumberField<KernelArg> kArgNumbers[] = {
    {".offset", &KernelArg::offset},
    {".size", &KernelArg::size},
};
constexpr TextField<KernelArg> kArgTexts[] = {
    {".value_kind", &KernelArg::valueKind},
    {".address_space", &KernelArg::addressSpace, false},
};

/// A value that is no array and no map, or stands for one where none is expected.
struct Value {
  enum class Kind : uint8_t { number, text, flag, other } kind = Kind::other;
  uint64_t number = 0;
  std::string *text = nullptr;
};

/// One map of known keys: fills the record, and knows what is missing or of a wrong type. Only the
/// first problem is kept.
template <class Record> class Fields {
public:
  using Numbers = std::span<const NumberField<Record>>;
  using Texts = std::span<const TextField<Record>>;
  Fields(Numbers numbers, Texts texts) : numbers_(numbers), texts_(texts) {}

  void begin() {
    seen_ = 0;
    problem_.clear();
  }
  /// Keys that are not in the tables are not this map's.
  void set(Record &record, std::string_view key, const Value &value) {
    for (size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i].key == key) {
        seen_ |= uint32_t(1) << i;
        if (value.kind != Value::Kind::number)
          return problem(key, "is not an unsigned number");
        record.*numbers_[i].member = value.number;
        return;
      }
    for (size_t i = 0; i < texts_.size(); ++i)
      if (texts_[i].key == key) {
        seen_ |= uint32_t(1) << (numbers_.size() + i);
        if (value.kind != Value::Kind::text)
          return problem(key, "is not a string");
        record.*texts_[i].member = std::move(*value.text);
        return;
      }
  }
  void problem(std::string_view key, const char *what) {
    if (problem_.empty())
      problem_ = std::string(key) + " " + what;
  }
  /// Empty when all is well.
  const std::string &end() {
    for (size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i].required && !(seen_ >> i & 1))
        problem(numbers_[i].key, "is missing");
    for (size_t i = 0; i < texts_.size(); ++i)
      if (texts_[i].required && !(seen_ >> (numbers_.size() + i) & 1))
        problem(texts_[i].key, "is missing");
    return problem_;
  }

private:
  Numbers numbers_;
  Texts texts_;
  uint32_t seen_ = 0;
  std::string problem_;
};

/// Fills the records while the bytes are read: every load of a code object passes here, and a tree
/// of the metadata takes five times as long as reading it.
class Reader final : public nlohmann::json_sax<Json> {
public:
  Result<CodeObjectMetadata> result() {
    if (!error_.empty())
      return fail(ErrorCode::badInput, error_);
    if (!hasVersion_)
      return fail(ErrorCode::badInput, "metadata: amdhsa.version is not a pair of numbers");
    return std::move(out_);
  }

  bool null() override { return value({}); }
  bool boolean(bool is) override { return value({Value::Kind::flag, is, nullptr}); }
  bool number_integer(int64_t number) override {
    return value({number < 0 ? Value::Kind::other : Value::Kind::number, uint64_t(number), {}});
  }
  bool number_unsigned(uint64_t number) override {
    return value({Value::Kind::number, number, nullptr});
  }
  bool number_float(double, const std::string &) override { return value({}); }
  bool string(std::string &text) override { return value({Value::Kind::text, 0, &text}); }
  bool binary(Json::binary_t &) override { return value({}); }
  bool key(std::string &name) override {
    key_.swap(name);
    return true;
  }
  bool start_object(size_t) override { return start(true); }
  bool start_array(size_t) override { return start(false); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(size_t at, const std::string &, const Json::exception &) override {
    return stop("metadata: no MessagePack at byte " + std::to_string(at));
  }

private:
  enum class Level : uint8_t { outside, root, version, kernels, kernel, size, args, arg, other };

  Level level() const { return levels_.empty() ? Level::outside : levels_.back(); }
  /// The first problem ends the reading.
  bool stop(std::string what) {
    if (error_.empty())
      error_ = std::move(what);
    return false;
  }
  std::string thisKernel() const {
    return "metadata of kernel " + std::to_string(out_.kernels.size());
  }
  /// Told at the end of the kernel, whose name comes after its arguments.
  bool argumentProblem(const std::string &what) {
    if (argProblem_.empty())
      argProblem_ = "argument " + std::to_string(kernel_.args.size()) + what;
    return true;
  }

  bool value(const Value &value) {
    switch (level()) {
    case Level::outside:
      return stop("metadata is not a MessagePack map");
    case Level::root:
      if (key_ == "amdhsa.target") {
        if (value.kind != Value::Kind::text)
          return stop("metadata: amdhsa.target is not a string");
        out_.target = std::move(*value.text);
      } else if (key_ == "amdhsa.kernels" || key_ == "amdhsa.version") {
        return stop("metadata: " + key_ + " is not an array");
      }
      return true;
    case Level::version:
    case Level::size:
      numbersOnly_ &= value.kind == Value::Kind::number;
      numbers_.push_back(value.number);
      return true;
    case Level::kernels:
      return stop(thisKernel() + " is not a map");
    case Level::kernel:
      if (key_ == ".uses_dynamic_stack")
        kernel_.usesDynamicStack = value.kind == Value::Kind::flag && value.number;
      else if (key_ == ".args" || key_ == ".reqd_workgroup_size")
        kernelFields_.problem(key_, "is not an array");
      else
        kernelFields_.set(kernel_, key_, value);
      return true;
    case Level::args:
      return argumentProblem(" is not a map");
    case Level::arg:
      argFields_.set(arg_, key_, value);
      return true;
    case Level::other:
      return true;
    }
    return true;
  }

  /// An array or a map: one that is known here, or a value that no key of ours may have.
  bool start(bool map) {
    Level next = Level::other;
    switch (level()) {
    case Level::outside:
      next = map ? Level::root : Level::other;
      break;
    case Level::root:
      if (!map && key_ == "amdhsa.kernels")
        next = Level::kernels;
      else if (!map && key_ == "amdhsa.version")
        next = Level::version;
      else if (key_ == "amdhsa.printf")
        out_.printf = true;
      break;
    case Level::kernels:
      next = map ? Level::kernel : Level::other;
      break;
    case Level::kernel:
      if (!map && key_ == ".args")
        next = Level::args;
      else if (!map && key_ == ".reqd_workgroup_size")
        next = Level::size;
      break;
    case Level::args:
      next = map ? Level::arg : Level::other;
      break;
    default:
      break;
    }
    if (next == Level::other && !value({}))
      return false;
    if (levels_.size() == kMaxDepth) // the library's reader recurses
      return stop("metadata: nested deeper than " + std::to_string(kMaxDepth));
    levels_.push_back(next);
    if (next == Level::kernel) {
      kernel_ = {};
      kernelFields_.begin();
      argProblem_.clear();
    } else if (next == Level::args) {
      kernel_.args.clear();
    } else if (next == Level::arg) {
      arg_ = {};
      argFields_.begin();
    } else if (next == Level::version || next == Level::size) {
      numbers_.clear();
      numbersOnly_ = true;
    }
    return true;
  }

  bool end() {
    const Level ended = level();
    levels_.pop_back();
    if (ended == Level::version) {
      hasVersion_ = numbersOnly_ && numbers_.size() == 2;
      if (hasVersion_) {
        out_.versionMajor = unsigned(numbers_[0]);
        out_.versionMinor = unsigned(numbers_[1]);
      }
    } else if (ended == Level::size) {
      if (numbers_.size() != 3 || !numbersOnly_)
        kernelFields_.problem(".reqd_workgroup_size", "is not made of three numbers");
      else
        kernel_.reqdWorkgroupSize = {numbers_[0], numbers_[1], numbers_[2]};
    } else if (ended == Level::arg) {
      if (const std::string &problem = argFields_.end(); !problem.empty())
        argumentProblem(": " + problem);
      kernel_.cooperative |= arg_.valueKind == "hidden_multigrid_sync_arg";
      kernel_.args.push_back(std::move(arg_));
    } else if (ended == Level::kernel) {
      if (const std::string &problem = kernelFields_.end(); !problem.empty())
        return stop(thisKernel() + ": " + problem);
      if (!argProblem_.empty())
        return stop(thisKernel() + " (" + kernel_.name + "): " + argProblem_);
      out_.kernels.push_back(std::move(kernel_));
    }
    return true;
  }

  CodeObjectMetadata out_;
  std::string error_;
  std::vector<Level> levels_;
  std::string key_; ///< the last one: in a map, that of the value at hand
  std::vector<uint64_t> numbers_;
  bool numbersOnly_ = true, hasVersion_ = false;
  KernelMetadata kernel_;
  Fields<KernelMetadata> kernelFields_{kKernelNumbers, kKernelTexts};
  KernelArg arg_;
  Fields<KernelArg> argFields_{kArgNumbers, kArgTexts};
  std::string argProblem_;
};

/// Takes the kernels of a further note. Returns why not, or nothing.
std::string merge(CodeObjectMetadata &all, CodeObjectMetadata &more) {
  if (all.versionMajor != more.versionMajor || all.versionMinor != more.versionMinor)
    return "another version than in the first one";
  if (all.printf && more.printf)
    return "a second list of printf's formats";
  std::unordered_map<std::string_view, const KernelMetadata *> known;
  for (const KernelMetadata &kernel : all.kernels)
    known[kernel.name] = &kernel;
  std::vector<KernelMetadata *> fresh;
  for (KernelMetadata &kernel : more.kernels)
    if (const auto twin = known.find(kernel.name); twin == known.end())
      fresh.push_back(&kernel);
    else if (twin->second->symbol != kernel.symbol || twin->second->args != kernel.args)
      return "kernel " + kernel.name + " with other arguments than in another one";
  for (KernelMetadata *kernel : fresh) // after the last look at `known`, whose names move
    all.kernels.push_back(std::move(*kernel));
  all.printf |= more.printf;
  return {};
}

} // namespace

const KernelMetadata *CodeObjectMetadata::find(std::string_view name) const {
  for (const KernelMetadata &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

Result<CodeObjectMetadata> parseMetadata(ByteView description) {
  Reader reader;
  Json::sax_parse(description.begin(), description.end(), &reader, Json::input_format_t::msgpack);
  return reader.result();
}

Result<CodeObjectMetadata> readMetadata(const Elf &elf) {
  const std::vector<ElfNote> notes = MELD_TRY(elf.notes());
  std::optional<CodeObjectMetadata> all;
  for (const ElfNote &note : notes) {
    if (note.owner != "AMDGPU" || note.type != kNoteMetadata)
      continue;
    auto metadata = parseMetadata(note.description);
    if (!metadata)
      return fail(metadata.error().code,
                  "note at offset " + hexOffset(note.offset) + ": " + metadata.error().message);
    if (!all)
      all = std::move(*metadata);
    else if (const std::string why = merge(*all, *metadata); !why.empty() && all->unmerged.empty())
      all->unmerged = "metadata note at offset " + hexOffset(note.offset) + ": " + why;
  }
  if (!all)
    return fail(ErrorCode::notFound, "no AMDGPU metadata note");
  return std::move(*all);
}

} // namespace meld
