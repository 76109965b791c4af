// meld inspect: the device code in a file, and what libmeld would do with it.
#include "runtime/engine/gated_compile.h"
#include "runtime/engine/side_bitcode.h"
#include "runtime/gpu/occupancy.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/cli.h"

namespace meld::cli {
namespace {

Json kernelJson(const KernelMetadata &k, const std::string &processor) {
  Json out = {{"name", k.name},
              {"demangled", demangle(k.name)},
              {"vgprs", k.vgprs},
              {"agprs", k.agprs},
              {"sgprs", k.sgprs},
              {"vgpr_spills", k.vgprSpills},
              {"sgpr_spills", k.sgprSpills},
              {"group_bytes", k.groupSize},
              {"private_bytes", k.privateSize},
              {"kernarg_bytes", k.kernargSize},
              {"wavefront_size", k.wavefrontSize},
              {"max_workgroup_size", k.maxFlatWorkgroupSize}};
  auto waves =
      wavesPerSimd(processor, static_cast<unsigned>(k.wavefrontSize), {k.vgprs, k.agprs, k.sgprs});
  out["waves_per_simd"] = waves ? Json(*waves) : Json(nullptr);
  return out;
}

/// Is there a verdict in the cache already?
Json cacheJson(Engine &engine, ByteView bytes, const std::string &isa) {
  CacheKey key = engine.keyOf(bytes, isa);
  Json out = {{"key", key.hex()}, {"verdict", nullptr}};
  if (!engine.disk())
    return out;
  auto entry = engine.disk()->header(key.hex());
  if (!entry)
    return out;
  out["verdict"] = verdictName(entry->verdict);
  out["reason"] = entry->reason;
  return out;
}

Json gateJson(ByteView original, ByteView replacement) {
  auto findings = gate(original, replacement, lowerOccupancy(settings().settings));
  if (!findings)
    return {{"accepted", false}, {"findings", Json::array({findings.error().message})}};
  Json list = Json::array();
  for (const GateFinding &finding : *findings)
    list.push_back({{"reason", gateReasonName(finding.reason)},
                    {"subject", finding.subject},
                    {"text", finding.text}});
  return {{"accepted", findings->empty()}, {"findings", list}};
}

Json imageJson(Engine &engine, const DeviceImage &image, const Bytes *replacement) {
  Json out = {{"id", image.id}, {"offset", image.offset}, {"bytes", image.bytes.size()}};
  if (image.bytes.empty()) {
    out["problem"] = image.note;
    return out;
  }
  out["hash"] = sideBitcodeHash(image.bytes);
  const auto with = withSideBitcode(image.bytes, settings().settings.bitcodePath);
  const ByteView bytes = with ? ByteView(*with) : image.bytes;
  auto object = CodeObject::parse(bytes);
  if (!object) {
    out["problem"] = object.error().message;
    return out;
  }
  out["isa"] = object->isa.targetId();
  out["code_object_version"] = object->isa.codeObjectVersion;
  out["bitcode_bytes"] = object->bitcode().size();
  out["bitcode_beside"] = with.has_value();
  out["kernels"] = Json::array();
  for (const KernelMetadata &kernel : object->metadata.kernels)
    out["kernels"].push_back(kernelJson(kernel, object->isa.processor));
  if (!object->bitcode().empty())
    out["cache"] = cacheJson(engine, bytes, object->isa.targetId());
  if (replacement)
    out["gate"] = gateJson(image.bytes, *replacement);
  return out;
}

std::string text(const Json &image) {
  std::string out = image["id"].get<std::string>() + "  (" +
                    humanSize(image["bytes"].get<uint64_t>()) + " at offset " +
                    hexOffset(image["offset"].get<uint64_t>()) + ")\n";
  if (image.contains("problem"))
    return out + "  not readable: " + image["problem"].get<std::string>() + "\n";
  uint64_t bitcode = image["bitcode_bytes"];
  out += "  code object version " + std::to_string(image["code_object_version"].get<unsigned>()) +
         ", " +
         (bitcode ? "bitcode " + humanSize(bitcode) +
                        (image["bitcode_beside"].get<bool>() ? " from MELD_BITCODE_PATH" : "")
                  : "no bitcode: passes through unchanged (compile with -Xclang "
                    "-fembed-bitcode=all)") +
         "\n";
  if (!bitcode || image["bitcode_beside"].get<bool>())
    out += "  hash " + image["hash"].get<std::string>() + "\n";
  if (image.contains("cache")) {
    const Json &cache = image["cache"];
    out += "  cache " + cache["key"].get<std::string>().substr(0, 16) + ": ";
    if (cache["verdict"].is_null())
      out += "not compiled yet\n";
    else
      out += cache["verdict"].get<std::string>() +
             (cache["reason"].get<std::string>().empty()
                  ? ""
                  : " (" + cache["reason"].get<std::string>() + ")") +
             "\n";
  }
  if (image.contains("gate")) {
    out += image["gate"]["accepted"].get<bool>() ? "  gate: accepted\n" : "  gate: refused\n";
    for (const Json &finding : image["gate"]["findings"])
      out += "    " +
             (finding.is_string() ? finding.get<std::string>()
                                  : finding["reason"].get<std::string>() + " [" +
                                        finding["subject"].get<std::string>() +
                                        "]: " + finding["text"].get<std::string>()) +
             "\n";
  }
  std::vector<std::vector<std::string>> rows = {
      {"  KERNEL", "VGPR", "AGPR", "SGPR", "LDS", "SCRATCH", "KERNARG", "WAVE", "WAVES/SIMD"}};
  for (const Json &k : image["kernels"]) {
    auto number = [&](const char *key) {
      return k[key].is_null() ? std::string("?") : std::to_string(k[key].get<uint64_t>());
    };
    rows.push_back({"  " + k["demangled"].get<std::string>(), number("vgprs"), number("agprs"),
                    number("sgprs"), number("group_bytes"), number("private_bytes"),
                    number("kernarg_bytes"), number("wavefront_size"), number("waves_per_simd")});
  }
  return out + (rows.size() > 1 ? table(rows) : "  no kernels\n");
}

int inspect(const Cli &cli, const std::string &path, const std::string &against) {
  auto bytes = readWholeFile(path);
  if (!bytes)
    return complain(bytes.error().message);
  auto images = findDeviceImages(*bytes);
  if (!images)
    return complain(path + ": " + images.error().message);
  Bytes replacement;
  if (!against.empty()) {
    auto read = readWholeFile(against);
    if (!read)
      return complain(read.error().message);
    replacement = std::move(*read);
    if (images->size() != 1)
      return complain("--gate needs a file with one device image, " + path + " has " +
                          std::to_string(images->size()),
                      kUsage);
  }
  auto engine = makeEngine(settings().settings);
  Json out = {{"file", path}, {"images", Json::array()}};
  bool problem = false;
  for (const DeviceImage &image : *images) {
    Json one = imageJson(*engine, image, against.empty() ? nullptr : &replacement);
    problem |=
        one.contains("problem") || (one.contains("gate") && !one["gate"]["accepted"].get<bool>());
    out["images"].push_back(std::move(one));
  }
  if (cli.json())
    print(out);
  else
    for (const Json &image : out["images"])
      print(text(image));
  return problem ? kProblem : kOk;
}

} // namespace

void addInspect(Cli &cli) {
  CLI::App *sub = cli.verb(
      "inspect", "Kernels, resources and bitcode of an executable, fat binary or code object",
      "  meld inspect ./app\n"
      "  meld inspect kernel.co --gate melded.co   # would the gate accept it?\n"
      "  meld inspect --format=json libfoo.so\n");
  auto path = std::make_shared<std::string>(), against = std::make_shared<std::string>();
  sub->add_option("file", *path, "File to look at")->required();
  sub->add_option("--gate", *against, "Compare with this code object as a replacement")
      ->option_text("FILE");
  sub->callback([&cli, path, against] {
    cli.action = [&cli, path, against] { return inspect(cli, *path, *against); };
  });
}

} // namespace meld::cli
