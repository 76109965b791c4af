// Which kernels can be recompiled: those whose IR is embedded in their code object.
//
// The sections tell in microseconds whether there is any; which kernels it covers, and whether the
// recorded options can be repeated, libmeld-jit.so tells (meld_jit_survey), as only LLVM reads its
// bitcode. Libraries of the program bring kernels, too; of those, what the linker would load is read.
#include "shim/cli/doctor/checks.h"

#include "runtime/codeobject/codeobject.h"
#include "runtime/codeobject/hostfile.h"
#include "runtime/engine/side_bitcode.h"
#include "runtime/host/text.h"
#include "runtime/host/whole_file.h"

#include <algorithm>

namespace meld::doctor {
namespace {

constexpr char kAdvice[] = "compile with -Xclang -fembed-bitcode=all";
constexpr size_t kNamed = 3; ///< kernels that a line names; JSON has all

using Json = nlohmann::ordered_json;

struct Kernel {
  std::string name, why; ///< why: it has no IR that could be used; empty: it has
};

/// Errors: the object cannot be read.
Result<std::vector<Kernel>> kernelsOf(ByteView object, const JitLibrary *jit) {
  const CodeObject parsed = MELD_TRY(CodeObject::parse(object));
  std::vector<Kernel> kernels;
  if (jit && hasBitcode(object)) {
    auto text = jit->survey(object);
    if (!text && text.error().code != ErrorCode::unsupported) // no IR that could be used, then
      for (const KernelMetadata &kernel : parsed.metadata.kernels)
        kernels.push_back({kernel.name, text.error().message});
    if (text) {
      const Json told = Json::parse(*text, nullptr, false);
      if (!told.is_object() || !told.contains("kernels"))
        return fail(ErrorCode::internal, "libmeld-jit.so: not understood: " + shown(*text));
      for (const Json &kernel : told["kernels"])
        kernels.push_back({kernel.value("name", ""), kernel.value("why", "")});
    }
    if (!kernels.empty())
      return kernels;
  }
  const std::string why = hasBitcode(object) ? "" : "no bitcode";
  for (const KernelMetadata &kernel : parsed.metadata.kernels)
    kernels.push_back({kernel.name, why});
  return kernels;
}

/// "a, b and 7 more: no bitcode; c: compiled with -O0"
std::string named(const std::vector<Kernel> &kernels) {
  std::vector<std::string> reasons;
  for (const Kernel &kernel : kernels)
    if (!kernel.why.empty() &&
        std::find(reasons.begin(), reasons.end(), kernel.why) == reasons.end())
      reasons.push_back(kernel.why);
  std::string out;
  for (const std::string &why : reasons) {
    size_t count = 0;
    std::string names;
    for (const Kernel &kernel : kernels)
      if (kernel.why == why && ++count <= kNamed)
        names += (names.empty() ? "" : ", ") + demangled(kernel.name);
    if (count > kNamed)
      names += " and " + std::to_string(count - kNamed) + " more";
    out += (out.empty() ? "" : "; ") + names + ": " + why;
  }
  return out;
}

Finding judge(const std::string &name, const std::vector<Kernel> &kernels) {
  Finding finding;
  finding.check = "kernels";
  finding.details = Json::array();
  for (const Kernel &kernel : kernels)
    finding.details.push_back({{"name", kernel.name},
                               {"demangled", demangled(kernel.name)},
                               {"ir", kernel.why.empty()},
                               {"why", kernel.why}});
  const auto with = size_t(std::count_if(kernels.begin(), kernels.end(),
                                         [](const Kernel &kernel) { return kernel.why.empty(); }));
  const std::string of = std::to_string(with) + " of " + std::to_string(kernels.size());
  if (kernels.empty()) {
    finding.text = name + ": no kernels";
  } else if (with == kernels.size()) {
    finding.text = name + ": " + of + " kernels carry IR";
  } else {
    finding.health = with ? Health::warn : Health::problem;
    finding.text = name + ": " + of + " kernels carry IR that can be used; " + named(kernels);
    if (std::any_of(kernels.begin(), kernels.end(), [](const Kernel &kernel) {
          return kernel.why.find("bitcode") != std::string::npos;
        }))
      finding.advice = kAdvice;
  }
  return finding;
}

/// What is read of images that carry no bitcode, where there is some beside.
struct Beside {
  std::string path;           ///< MELD_BITCODE_PATH
  size_t wanted = 0, has = 0; ///< images without bitcode; those of them for which there was some
};

/// kernelsOf() an image; with what lies beside, where it carries nothing.
Result<std::vector<Kernel>> kernelsOf(const DeviceImage &image, const JitLibrary *jit,
                                      Beside &beside) {
  if (image.bytes.empty())
    return fail(ErrorCode::unsupported, image.note);
  if (beside.path.empty() || hasBitcode(image.bytes))
    return kernelsOf(image.bytes, jit);
  ++beside.wanted;
  const auto found = findSideBitcode(image.bytes, beside.path);
  if (!found) { // the original is used
    auto kernels = MELD_TRY(kernelsOf(image.bytes, nullptr));
    for (Kernel &kernel : kernels)
      kernel.why = found.error().message;
    return kernels;
  }
  beside.has += found->has_value();
  return kernelsOf(*found ? ByteView((*found)->object) : image.bytes, jit);
}

/// One finding for each processor: a file has a bundle for each of its translation units. And one for
/// each image that cannot be read.
Findings judgeImages(const std::string &where, const std::vector<DeviceImage> &images,
                     const JitLibrary *jit, Beside &beside) {
  Findings out;
  std::vector<std::pair<std::string, std::vector<Kernel>>> processors; // in the file's order
  for (const DeviceImage &image : images) {
    auto kernels = kernelsOf(image, jit, beside);
    if (!kernels) {
      out.push_back(
          {Health::warn, "kernels", where + image.id + ": " + kernels.error().message, ""});
      continue;
    }
    auto place = std::find_if(processors.begin(), processors.end(),
                              [&](const auto &entry) { return entry.first == image.id; });
    if (place == processors.end())
      place = processors.insert(place, {image.id, {}});
    place->second.insert(place->second.end(), kernels->begin(), kernels->end());
  }
  for (const auto &[id, kernels] : processors)
    out.push_back(judge(where + id, kernels));
  return out;
}

} // namespace

Findings checkKernels(const std::string &path, const Closure &closure, const JitLibrary *jit,
                      const std::string &bitcodePath) {
  Findings out;
  Beside beside{bitcodePath};
  const Bytes bytes = readWholeFile(path).value_or(Bytes());
  auto images = findDeviceImages(bytes);
  if (images)
    out = judgeImages("", *images, jit, beside);
  bool any = !out.empty(), hip = false;
  for (const LoadedFile &file : closure.files) {
    hip |= file.name.find("libamdhip64.so") != std::string::npos;
    if (file.path.empty() || file.path.find("libamdhip64") != std::string::npos)
      continue;
    // Most libraries have no device code, and some of those that have are large: look first.
    if (!hasSection(file.path, ".hip_fatbin"))
      continue;
    const Bytes library = readWholeFile(file.path).value_or(Bytes());
    if (auto found = findDeviceImages(library))
      for (Finding &finding : judgeImages(file.path + ": ", *found, jit, beside)) {
        if (finding.health == Health::problem) // of the program, this is a part
          finding.health = Health::warn;
        out.push_back(std::move(finding));
        any = true;
      }
  }
  if (!any)
    out.push_back({Health::warn, "kernels",
                   (images ? path + ": no device code" : path + ": " + images.error().message) +
                       (hip ? "; its kernels may come from hiprtc or from libraries that it opens"
                            : "; and it is not linked with HIP"),
                   ""});
  if (beside.wanted)
    out.push_back({beside.has ? Health::ok : Health::warn, kSideBitcodeCheck,
                   "has files for " + std::to_string(beside.has) + " of " +
                       std::to_string(beside.wanted) + " code objects without bitcode",
                   beside.has ? "" : kNameAdvice});
  return out;
}

} // namespace meld::doctor
