// meld profile: how often a program's kernels run, for MELD_PROFILE. The program runs on the software
// GPU, which counts.
#include "shim/cli/recorded.h"
#include "shim/cli/verify_run.h"

#include "runtime/engine/known_profile.h"
#include "runtime/host/new_file.h"
#include "runtime/profile/marks.h"
#include "runtime/softgpu/isa/decoder.h"

#include <algorithm>
#include <filesystem>

namespace meld::cli {
namespace {

struct ProfileOptions {
  std::string device = "auto", output = "meld.meldprof";
};

constexpr int kProgramFailed = 3; ///< or it ran no kernel that a profile could be of

/// Folders of one recording.
struct Recording {
  std::string folder;
  std::string objects() const { return folder + "/objects"; }
  std::string cache() const { return folder + "/cache"; }
};

Environment recordingEnvironment(const Recording &recording, Environment environment) {
  environment.emplace_back("MELD_GPU_PROFILE", recording.folder + "/%p.json");
  environment.emplace_back("MELD_PROFILE_DIR", recording.objects());
  for (const char *off : {"MELD_DISABLE", "MELD_VERIFY_RUNS", "MELD_RECACHE"})
    environment.emplace_back(off, "0");
  environment.emplace_back("MELD_OBSERVE", "0");
  environment.emplace_back("MELD_SERVE", countedVersion("").recipe);
  environment.emplace_back("MELD_COMPILE_BUDGET_MS", "0");
  environment.emplace_back("MELD_COMPILE_MODE", "sync");
  environment.emplace_back("MELD_CACHE", "1");
  environment.emplace_back("MELD_CACHE_READONLY", "0");
  environment.emplace_back("MELD_CACHE_DIR", recording.cache());
  environment.emplace_back("MELD_CACHE_LAYERS", "user");
  environment.emplace_back("MELD_PROFILE", "");
  environment.emplace_back("MELD_ADAPT", "static");
  return environment;
}

/// As the recorded program had them, so that the same entries are found.
std::unique_ptr<Engine> recordingEngine(const Recording &recording) {
  Settings s = settings().settings;
  s.profile.clear();
  s.cache = true;
  s.cacheDir = recording.cache();
  s.cacheLayers = "user";
  return makeEngine(s);
}

/// Executions of the markers; those without any lane are none.
profile::MarkCounts markCounts(const std::string &name, const std::string &processor,
                               const std::vector<softgpu::KernelProfile> &recorded) {
  profile::MarkCounts counts;
  for (const softgpu::KernelProfile &one : recorded) {
    if (one.kernel != name || softgpu::isa::targetName(one.device) != processor)
      continue;
    for (const auto &[offset, instruction] : one.instructions)
      if (const auto mark = profile::markOf(instruction.text))
        counts[*mark].add({instruction.executions - instruction.execZero, instruction.lanes});
  }
  return counts;
}

/// The counts of a kernel's blocks; none where it was not marked, or its launches went elsewhere too.
std::vector<profile::Function> countsOf(Engine &engine, const CodeObject &object,
                                        const profile::Kernel &kernel,
                                        const std::vector<softgpu::KernelProfile> &recorded) {
  if (!engine.disk() || !kernel.ran())
    return {};
  const CacheKey key =
      engine.keyOf(object.elf.bytes(), object.isa.targetId(), countedVersion(kernel.name));
  const auto entry = engine.disk()->header(key.hex());
  if (!entry)
    return {};
  const Json metadata = Json::parse(entry->metadata, nullptr, false);
  if (!metadata.is_object() || !metadata.contains("marks"))
    return {};
  return profile::functionsOf(metadata["marks"].dump(),
                              markCounts(kernel.name, object.isa.processor, recorded), kernel.name,
                              kernel.waves);
}

/// Of a kernel's launches, from whichever code object: names are all that a dispatch tells.
profile::Kernel kernelOf(const std::string &name, const std::string &processor,
                         const std::vector<softgpu::KernelProfile> &recorded) {
  profile::Kernel kernel{name, 0, 0, 0, {}};
  constexpr unsigned simds = 4; // of a compute unit, in all that there is software for
  double perSimd = 0;           // summed over launches
  for (const softgpu::KernelProfile &one : recorded)
    if (one.kernel == name && softgpu::isa::targetName(one.device) == processor) {
      kernel.launches += one.dispatches;
      kernel.waves += one.waves;
      if (one.computeUnits)
        perSimd += double(one.waves) / (simds * one.computeUnits);
    }
  if (kernel.launches)
    kernel.wavesPerSimd = perSimd / double(kernel.launches);
  return kernel;
}

profile::Profile profileOf(const Recording &recording,
                           const std::vector<softgpu::KernelProfile> &recorded) {
  profile::Profile profile;
  profile.tool = "libmeld " MELD_VERSION;
  const auto engine = recordingEngine(recording);
  std::map<std::string, unsigned> objectsWith; // by processor and kernel
  std::vector<Bytes> files;
  for (const std::string &file : filesIn(recording.objects()))
    if (auto bytes = readWholeFile(file))
      files.push_back(std::move(*bytes));
    else
      complain("profile: " + bytes.error().message);
  const auto placeOf = [](const CodeObject &object, const KernelMetadata &kernel) {
    return object.isa.processor + " " + kernel.name;
  };
  std::vector<std::pair<CodeObject, std::string>> objects; // with their hashes
  for (const Bytes &bytes : files)
    if (auto object = CodeObject::parse(bytes)) {
      for (const KernelMetadata &kernel : object->metadata.kernels)
        ++objectsWith[placeOf(*object, kernel)];
      objects.emplace_back(std::move(*object), profiledHash(bytes));
    }
  for (const auto &[object, hash] : objects) {
    profile::Object one{hash, object.isa.targetId(), {}};
    for (const KernelMetadata &metadata : object.metadata.kernels) {
      profile::Kernel kernel = kernelOf(metadata.name, object.isa.processor, recorded);
      if (objectsWith[placeOf(object, metadata)] == 1)
        kernel.functions = countsOf(*engine, object, kernel, recorded);
      one.kernels.push_back(std::move(kernel));
    }
    profile.objects.push_back(std::move(one));
  }
  return profile;
}

std::string summary(const profile::Profile &profile) {
  std::string text;
  for (const profile::Object &object : profile.objects) {
    const auto ran = std::ranges::count_if(object.kernels, &profile::Kernel::ran);
    text += object.isa + " " + object.hash.substr(0, 12) + ": " + std::to_string(ran) + " of " +
            std::to_string(object.kernels.size()) + " kernels ran\n";
    for (const profile::Kernel &kernel : object.kernels)
      if (kernel.ran())
        text += "  " + demangle(kernel.name) + ": " + std::to_string(kernel.launches) +
                " launches, " + std::to_string(kernel.waves) + " waves\n";
  }
  return text;
}

/// To the file, or for `auto` each object's part into the cache folder, where MELD_PROFILE=auto looks.
Result<void> writeProfile(const profile::Profile &profile, const std::string &output) {
  if (output != "auto")
    return writeWholePath(output, profile::profileText(profile));
  const std::string folder = profileFolder(settings().settings);
  if (folder.empty())
    return fail(ErrorCode::notFound, "there is no cache folder (MELD_CACHE_DIR)");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const profile::Object &object : profile.objects)
    if (auto written = writeWholePath(folder + "/" + object.hash + ".meldprof",
                                      profile::profileText({profile.tool, {object}}));
        !written)
      return written;
  return {};
}

int record(const Cli &cli, const ProfileOptions &o, const std::vector<std::string> &command) {
  if (command.empty())
    return complain("profile: give a program, meld profile [options] -- ./app [arguments]", kUsage);
  if (!usesSoftwareGpu(o.device))
    return complain("profile: only the software GPU counts what runs (--device software)", kUsage);
  auto environment = runEnvironment(/*software=*/true, /*plain=*/false);
  if (!environment)
    return complain("profile: " + environment.error().message);
  const auto folder = temporaryFolder("meld-profile");
  if (!folder)
    return complain("profile: " + folder.error().message);
  const Recording recording{*folder};
  std::error_code error;
  std::filesystem::create_directory(recording.objects(), error);
  const int status = runAndWait(recordingEnvironment(recording, std::move(*environment)), command);
  auto recorded = recordedProfiles(recording.folder);
  profile::Profile profile;
  if (recorded)
    profile = profileOf(recording, softgpu::mergedKernels(std::move(*recorded)));
  std::filesystem::remove_all(recording.folder, error);
  if (!recorded)
    return complain("profile: " + recorded.error().message);
  if (profile.objects.empty())
    return complain("profile: the program loaded no device code with bitcode; compile it with "
                    "-Xclang -fembed-bitcode=all",
                    kProgramFailed);
  if (auto written = writeProfile(profile, o.output); !written)
    return complain("profile: " + written.error().message);
  if (cli.json())
    print(profile::profileText(profile));
  else // the program's own output stays apart
    std::fputs((summary(profile) + (o.output == "auto"
                                        ? "kept in the cache folder; run with MELD_PROFILE=auto\n"
                                        : "written to " + o.output + "; run with MELD_PROFILE=" +
                                              absolutePath(o.output) + "\n"))
                   .c_str(),
               stderr);
  if (status)
    complain("profile: the program ended with status " + std::to_string(status));
  return status ? kProgramFailed : kOk;
}

} // namespace

void addProfile(Cli &cli) {
  CLI::App *sub =
      cli.verb("profile", "Record which kernels and branches run, for MELD_PROFILE",
               "  meld profile -- ./app --size 1024\n"
               "  MELD_PROFILE=meld.meldprof meld run -- ./app\n"
               "  meld profile -o auto -- ./app       # then MELD_PROFILE=auto\n\n"
               "The program runs on the software GPU, some hundred times slower than it "
               "would otherwise:\n"
               "give it a small problem that does what large ones do.\n\n"
               "Exit status: 0 fine, 1 a problem, 2 wrong usage, 3 the program failed or "
               "loaded no device\n"
               "code that a profile could be of.\n");
  auto o = std::make_shared<ProfileOptions>();
  sub->add_option("-o,--output", o->output,
                  "Write to this file; auto: into the cache folder (default: meld.meldprof)")
      ->option_text("FILE");
  sub->add_option("--device", o->device, "Only the software GPU can tell")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|software");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      return record(cli, *o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
