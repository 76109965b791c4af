// meld profile: how often a program's kernels run, for MELD_PROFILE. The program runs on the software
// GPU, which counts, or on hardware under rocprofv3, which samples.
#include "shim/cli/kernel_runs.h"
#include "shim/cli/recorded.h"
#include "shim/cli/verify_run.h"

#include "runtime/engine/known_profile.h"
#include "runtime/host/new_file.h"
#include "runtime/host/whole_file.h"

#include <algorithm>
#include <filesystem>

namespace meld::cli {
namespace {

struct ProfileOptions {
  std::string device = "auto", output = "meld.meldprof";
  SamplingOptions sampling;
};

constexpr int kProgramFailed = 3; ///< or it ran no kernel that a profile could be of

/// Folders of one recording.
struct Recording {
  std::string folder;
  std::string objects() const { return folder + "/objects"; }
  std::string cache() const { return folder + "/cache"; }
  std::string samples() const { return folder + "/samples"; }
};

Environment recordingEnvironment(const Recording &recording, Environment environment) {
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

/// Nothing where the kernel could not be marked.
std::optional<MarkedKernel> markedKernel(Engine &engine, const CodeObject &object,
                                         const std::string &name) {
  if (!engine.disk())
    return std::nullopt;
  const CacheKey key =
      engine.keyOf(object.elf.bytes(), object.isa.targetId(), countedVersion(name));
  const auto entry = engine.disk()->header(key.hex());
  if (!entry)
    return std::nullopt;
  const Json metadata = Json::parse(entry->metadata, nullptr, false);
  if (!metadata.is_object() || !metadata.contains("marks"))
    return std::nullopt;
  return MarkedKernel{metadata["marks"].dump(), entry->rawSize};
}

profile::Profile profileOf(const Recording &recording, const KernelRuns &runs) {
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
      profile::Kernel kernel = runs.launchesOf(metadata.name, object.isa.processor);
      if (kernel.ran() && objectsWith[placeOf(object, metadata)] == 1)
        if (const auto marked = markedKernel(*engine, object, metadata.name))
          runs.addBlocks(kernel, object.isa.processor, *marked);
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
                " launches, " + std::to_string(kernel.waves) + " waves" +
                (kernel.sampled ? ", " + std::to_string(kernel.sampled->samples) + " samples" +
                                      (kernel.sampled->samples < profile::kEnoughSamples
                                           ? ": too few to be used"
                                           : "")
                                : "") +
                "\n";
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

/// Runs the program; `status`: how it ended, as a shell has it.
Result<std::unique_ptr<KernelRuns>>
countRuns(const Recording &recording, const std::vector<std::string> &command, int &status) {
  Environment environment =
      recordingEnvironment(recording, MELD_TRY(runEnvironment(/*software=*/true, /*plain=*/false)));
  environment.emplace_back("MELD_GPU_PROFILE", recording.folder + "/%p.json");
  status = runAndWait(environment, command);
  return countedRuns(softgpu::mergedKernels(MELD_TRY(recordedProfiles(recording.folder))));
}

Result<std::unique_ptr<KernelRuns>> sampleRuns(const Recording &recording,
                                               const SamplingOptions &options,
                                               const std::vector<std::string> &command,
                                               int &status) {
  const std::string rocprof = MELD_TRY(findRocprof());
  const Environment environment = recordingEnvironment(
      recording, MELD_TRY(runEnvironment(/*software=*/false, /*plain=*/false)));
  status = runAndWait(environment, samplingCommand(rocprof, options, recording.samples(), command));
  return sampledRuns(MELD_TRY(readTraces(recording.samples())));
}

int record(const Cli &cli, const ProfileOptions &o, const std::vector<std::string> &command) {
  if (command.empty())
    return complain("profile: give a program, meld profile [options] -- ./app [arguments]", kUsage);
  if (o.output != "auto")
    if (auto may = mayWrite(o.output); !may) // before the program has run for hours
      return complain("profile: " + may.error().message);
  const auto folder = temporaryFolder("meld-profile");
  if (!folder)
    return complain("profile: " + folder.error().message);
  const Recording recording{*folder};
  std::error_code error;
  std::filesystem::create_directory(recording.objects(), error);
  std::filesystem::create_directory(recording.samples(), error);
  int status = 0;
  const auto runs = usesSoftwareGpu(o.device) ? countRuns(recording, command, status)
                                              : sampleRuns(recording, o.sampling, command, status);
  profile::Profile profile;
  if (runs)
    profile = profileOf(recording, **runs);
  std::filesystem::remove_all(recording.folder, error);
  if (!runs)
    return complain("profile: " + runs.error().message);
  if (profile.objects.empty())
    return complain("profile: the program loaded no device code with bitcode; compile it with "
                    "-Xclang -fembed-bitcode=all",
                    kProgramFailed);
  if (auto written = writeProfile(profile, o.output); !written)
    return complain("profile: " + written.error().message);
  if (cli.json())
    print(profile::profileText(profile));
  else // the program's own output stays apart
    std::fputs((summary(profile) + (*runs)->remarks() +
                (o.output == "auto" ? "kept in the cache folder; run with MELD_PROFILE=auto\n"
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
               "On the software GPU everything is counted, and the program runs some hundred "
               "times slower\n"
               "than it would otherwise: give it a small problem that does what large ones do.\n"
               "On hardware (--device gpu) launches are counted and the rest is estimated from "
               "samples of the\n"
               "program counter, by rocprofv3 of ROCm 6.4 or later: give it a problem that keeps "
               "the device busy\n"
               "for some seconds. What has too few samples is not used.\n\n"
               "Exit status: 0 fine, 1 a problem, 2 wrong usage, 3 the program failed or "
               "loaded no device\n"
               "code that a profile could be of.\n");
  auto o = std::make_shared<ProfileOptions>();
  sub->add_option("-o,--output", o->output,
                  "Write to this file; auto: into the cache folder (default: meld.meldprof)")
      ->option_text("FILE");
  sub->add_option("--device", o->device,
                  "software: count; gpu: sample on hardware (default: the software GPU where there "
                  "is no other)")
      ->check(CLI::IsMember({"auto", "gpu", "software"}))
      ->option_text("auto|gpu|software");
  sub->add_option("--sampling", o->sampling.method,
                  "How hardware samples (default: stochastic where the device has it)")
      ->check(CLI::IsMember({"auto", "host_trap", "stochastic"}))
      ->option_text("auto|host_trap|stochastic");
  sub->add_option("--interval", o->sampling.interval,
                  "Between samples: microseconds with host_trap (default: 100), cycles, a power of "
                  "two, with stochastic (default: 65536)")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 31))
      ->option_text("N");
  sub->prefix_command();
  sub->callback([&cli, sub, o] {
    cli.action = [&cli, sub, o] {
      return record(cli, *o, cli.command.empty() ? sub->remaining() : cli.command);
    };
  });
}

} // namespace meld::cli
