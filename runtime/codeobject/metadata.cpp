#include "runtime/codeobject/metadata.h"

#include "runtime/codeobject/msgpack.h"

#include <nlohmann/json.hpp>

namespace meld {
namespace {

using Json = nlohmann::json;

constexpr uint32_t kNoteMetadata = 32; // NT_AMDGPU_METADATA

/// Reads fields of one map; the first problem sticks, so that a record is read without a check per
/// line.
class Fields {
public:
  Fields(const Json &map, std::string where) : map_(map), where_(std::move(where)) {}

  uint64_t number(const char *key, bool required = true) {
    const Json *value = find(key, required);
    if (!value)
      return 0;
    if (!value->is_number_unsigned() &&
        !(value->is_number_integer() && value->get<int64_t>() >= 0)) {
      problem(std::string(key) + " is not an unsigned number");
      return 0;
    }
    return value->get<uint64_t>();
  }

  std::string text(const char *key, bool required = true) {
    const Json *value = find(key, required);
    if (!value)
      return {};
    if (!value->is_string()) {
      problem(std::string(key) + " is not a string");
      return {};
    }
    return value->get<std::string>();
  }

  bool flag(const char *key) {
    const Json *value = find(key, false);
    return value && value->is_boolean() && value->get<bool>();
  }

  const Json *array(const char *key) {
    const Json *value = find(key, false);
    if (value && !value->is_array()) {
      problem(std::string(key) + " is not an array");
      return nullptr;
    }
    return value;
  }

  void problem(const std::string &what) {
    if (error_.empty())
      error_ = where_ + ": " + what;
  }
  const std::string &error() const { return error_; }

private:
  const Json *find(const char *key, bool required) {
    auto it = map_.find(key);
    if (it == map_.end()) {
      if (required)
        problem(std::string(key) + " is missing");
      return nullptr;
    }
    return &*it;
  }

  const Json &map_;
  std::string where_, error_;
};

Result<KernelArg> readArg(const Json &map, const std::string &where) {
  if (!map.is_object())
    return fail(ErrorCode::badInput, where + " is not a map");
  Fields f(map, where);
  KernelArg arg;
  arg.offset = f.number(".offset");
  arg.size = f.number(".size");
  arg.valueKind = f.text(".value_kind");
  arg.addressSpace = f.text(".address_space", false);
  if (!f.error().empty())
    return fail(ErrorCode::badInput, f.error());
  return arg;
}

Result<KernelMetadata> readKernel(const Json &map, size_t index) {
  std::string where = "metadata of kernel " + std::to_string(index);
  if (!map.is_object())
    return fail(ErrorCode::badInput, where + " is not a map");
  Fields f(map, where);
  KernelMetadata k;
  k.name = f.text(".name");
  k.symbol = f.text(".symbol");
  k.kernargSize = f.number(".kernarg_segment_size");
  k.kernargAlign = f.number(".kernarg_segment_align");
  k.groupSize = f.number(".group_segment_fixed_size");
  k.privateSize = f.number(".private_segment_fixed_size");
  k.wavefrontSize = f.number(".wavefront_size");
  k.sgprs = f.number(".sgpr_count");
  k.vgprs = f.number(".vgpr_count");
  k.agprs = f.number(".agpr_count", false);
  k.sgprSpills = f.number(".sgpr_spill_count", false);
  k.vgprSpills = f.number(".vgpr_spill_count", false);
  k.maxFlatWorkgroupSize = f.number(".max_flat_workgroup_size");
  k.usesDynamicStack = f.flag(".uses_dynamic_stack");
  if (const Json *size = f.array(".reqd_workgroup_size")) {
    std::array<uint64_t, 3> value{};
    if (size->size() != 3)
      f.problem(".reqd_workgroup_size has " + std::to_string(size->size()) + " elements");
    else
      for (size_t i = 0; i < 3; ++i) {
        if (!(*size)[i].is_number_unsigned())
          f.problem(".reqd_workgroup_size is not made of numbers");
        else
          value[i] = (*size)[i].get<uint64_t>();
      }
    k.reqdWorkgroupSize = value;
  }
  const Json *args = f.array(".args");
  if (!f.error().empty())
    return fail(ErrorCode::badInput, f.error());
  if (args)
    for (size_t i = 0; i < args->size(); ++i) {
      auto arg = readArg((*args)[i], "argument " + std::to_string(i) + " of kernel " + k.name);
      if (!arg)
        return tl::unexpected(arg.error());
      k.cooperative |= arg->valueKind == "hidden_multigrid_sync_arg";
      k.args.push_back(std::move(*arg));
    }
  return k;
}

} // namespace

const KernelMetadata *CodeObjectMetadata::find(std::string_view name) const {
  for (const KernelMetadata &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

Result<CodeObjectMetadata> parseMetadata(ByteView description) {
  if (auto ok = checkMsgPack(description); !ok)
    return tl::unexpected(ok.error());
  Json root = Json::from_msgpack(description.begin(), description.end(), /*strict=*/true,
                                 /*allow_exceptions=*/false);
  if (!root.is_object())
    return fail(ErrorCode::badInput, "metadata is not a MessagePack map");
  CodeObjectMetadata metadata;
  Fields f(root, "metadata");
  const Json *version = f.array("amdhsa.version");
  metadata.target = f.text("amdhsa.target", false);
  const Json *kernels = f.array("amdhsa.kernels");
  if (!f.error().empty())
    return fail(ErrorCode::badInput, f.error());
  if (!version || version->size() != 2 || !(*version)[0].is_number_unsigned() ||
      !(*version)[1].is_number_unsigned())
    return fail(ErrorCode::badInput, "metadata: amdhsa.version is not a pair of numbers");
  metadata.versionMajor = (*version)[0].get<unsigned>();
  metadata.versionMinor = (*version)[1].get<unsigned>();
  if (kernels)
    for (size_t i = 0; i < kernels->size(); ++i) {
      auto kernel = readKernel((*kernels)[i], i);
      if (!kernel)
        return tl::unexpected(kernel.error());
      metadata.kernels.push_back(std::move(*kernel));
    }
  return metadata;
}

Result<CodeObjectMetadata> readMetadata(const Elf &elf) {
  auto notes = elf.notes();
  if (!notes)
    return tl::unexpected(notes.error());
  for (const ElfNote &note : *notes) {
    if (note.owner != "AMDGPU" || note.type != kNoteMetadata)
      continue;
    auto metadata = parseMetadata(note.description);
    if (!metadata)
      return fail(metadata.error().code,
                  "note at offset " + hexOffset(note.offset) + ": " + metadata.error().message);
    return metadata;
  }
  return fail(ErrorCode::notFound, "no AMDGPU metadata note");
}

} // namespace meld
