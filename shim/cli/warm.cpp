// meld warm: everything that runs of a program would compile, compiled before: on a login node, without
// a GPU, into a layer of the cache.
//
//   meld warm ./app            the device code in the file, for each processor there is code for
//   meld warm -- ./app ARGS    also what the program loads when it runs, on the software GPU: libraries
//                              that it opens, code that it compiles (hiprtc)
//
// What a run asks for depends on MELD_ADAPT. With `on` these are versions of each kernel, tried in the
// order of jit/variant/recipes.h until MELD_VERSIONS differ, and, where launches cannot be seen, the
// whole object; otherwise the whole object alone. Versions for facts of launches (MELD_SPECIALIZE) only
// a run can know.
#include "jit/variant/recipes.h"
#include "runtime/codeobject/choice.h"
#include "runtime/host/whole_file.h"
#include "shim/cli/cache_layers.h"
#include "shim/cli/launch.h"
#include "shim/cli/progress.h"
#include "shim/cli/recorded.h"
#include "shim/cli/verify_run.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

namespace meld::cli {
namespace {

struct WarmOptions {
  std::vector<std::string> files;
  std::string targets, layer = "user";
  unsigned jobs = 1;
};

/// One kernel's versions, or one whole object.
struct Task {
  const Bytes *object = nullptr;
  std::string kernel; ///< empty: the whole
};

struct Sum {
  std::atomic<size_t> compiled{0}, there{0}, replaced{0}, failed{0};
  std::mutex lock;
  std::vector<std::string> problems; ///< guarded by lock
};

/// The devices of "gfx906,gfx90a:xnack-".
Result<std::vector<Isa>> devicesOf(const std::string &targets) {
  std::vector<Isa> devices;
  for (size_t from = 0; from < targets.size();) {
    const size_t comma = std::min(targets.find(',', from), targets.size());
    devices.push_back(MELD_TRY(parseTargetId(targets.substr(from, comma - from))));
    from = comma + 1;
  }
  return devices;
}

/// Objects with bitcode that one of the devices would load (choice.h), each once; those of all
/// processors where no device is asked for.
class Objects {
public:
  Objects(std::vector<Isa> devices) : devices_(std::move(devices)) {}

  /// False: there is nothing for us in it, `why`.
  bool addFile(const std::string &file, std::string &why) {
    const auto bytes = readWholeFile(file);
    const auto images = bytes ? deviceImages(*bytes)
                              : Result<std::vector<DeviceImage>>(tl::unexpected(bytes.error()));
    if (!images) {
      why = bytes ? file + ": " + images.error().message : images.error().message;
      return false;
    }
    bool any = false, code = false;
    for (size_t from = 0; from < images->size();) {
      std::vector<CodeObject> bundle;
      const size_t number = (*images)[from].bundle;
      for (; from < images->size() && (*images)[from].bundle == number; ++from)
        if (auto object = CodeObject::parse((*images)[from].bytes))
          bundle.push_back(std::move(*object));
      for (size_t place : wantedOf(bundle)) {
        code = true;
        any |= add(bundle[place].elf.bytes(), bundle[place]);
      }
    }
    if (!any)
      why = file + (code ? ": no bitcode; compile with -Xclang -fembed-bitcode=all"
                         : ": no device code for the targets that are asked for");
    return any;
  }
  const std::vector<std::unique_ptr<Bytes>> &all() const { return all_; }

private:
  std::set<size_t> wantedOf(const std::vector<CodeObject> &bundle) const {
    std::set<size_t> wanted;
    std::vector<Isa> codes;
    for (const CodeObject &object : bundle) {
      if (devices_.empty())
        wanted.insert(codes.size());
      codes.push_back(object.isa);
    }
    for (const Isa &device : devices_)
      for (size_t place : chosenFor(device, codes))
        wanted.insert(place);
    return wanted;
  }

  bool add(ByteView bytes, const CodeObject &object) {
    if (object.bitcode().empty())
      return false;
    const auto same = [&](const auto &known) { return std::ranges::equal(*known, bytes); };
    if (std::ranges::none_of(all_, same))
      all_.push_back(std::make_unique<Bytes>(bytes.begin(), bytes.end()));
    return true;
  }

  const std::vector<Isa> devices_;
  std::vector<std::unique_ptr<Bytes>> all_;
};

/// The processors of "gfx906,gfx90a:xnack-" that the software GPU can be; the others are told.
std::vector<std::string> emulated(const std::string &targets) {
  std::string known;
  for (const SettingValue &value : settings().values)
    if (std::string_view(value.name) == "MELD_GPU")
      known = ", " + std::string(value.allowed) + ",";
  std::vector<std::string> devices;
  for (size_t from = 0; from < targets.size();) {
    const size_t comma = std::min(targets.find(',', from), targets.size());
    const std::string target = targets.substr(from, comma - from);
    const std::string device = target.substr(0, target.find(':'));
    if (device.empty() || known.find(", " + device + ",") == std::string::npos)
      complain("warm: the software GPU is no '" + shown(device) +
               "': of what the program loads for it, only its own file is known");
    else
      devices.push_back(device);
    from = comma + 1;
  }
  return devices;
}

/// Runs the program on the software GPU, for one target after the other, as it is; what it loads is
/// kept in `folder`. Its exit status, the worst of them.
int record(const std::vector<std::string> &command, const std::string &targets,
           const std::string &folder) {
  auto environment = runEnvironment(/*software=*/true, /*plain=*/false);
  if (!environment)
    return complain("warm: " + environment.error().message);
  environment->emplace_back("MELD_DISABLE", "0");
  environment->emplace_back("MELD_OBSERVE", "1");
  environment->emplace_back("MELD_CACHE", "0");
  environment->emplace_back("MELD_PROFILE_DIR", folder);
  if (targets.empty())
    return runAndWait(*environment, command);
  int status = 0;
  for (const std::string &device : emulated(targets)) {
    Environment one = *environment;
    one.emplace_back("MELD_GPU", device);
    status = std::max(status, runAndWait(one, command));
  }
  return status;
}

void count(Sum &sum, const Decision &decision, const std::string &what) {
  sum.compiled += decision.source == meld::Source::compiled;
  sum.there += decision.source == meld::Source::disk;
  sum.replaced += decision.outcome == Outcome::replaced;
  if (!decision.isTransient())
    return;
  ++sum.failed;
  const std::lock_guard guard(sum.lock);
  sum.problems.push_back(what + ": " + decision.reason);
}

/// As the maker of versions goes (shim/adapt/version_maker.h).
void warmVersions(Engine &engine, const Bytes &bytes, const std::string &kernel, Sum &sum) {
  const size_t most = std::clamp(engine.options().settings.versions, 1u, 8u) - 1;
  std::vector<std::shared_ptr<const Bytes>> made;
  for (const jit::Recipe &recipe : jit::recipes) {
    if (recipe.specialized || made.size() >= most)
      continue;
    const Decision decision =
        engine.decide(bytes, {kernel, std::string(recipe.name)}, Patience::untilDone);
    count(sum, decision, demangle(kernel) + " as " + std::string(recipe.name));
    const auto object = decision.replacement ? CodeObject::parse(*decision.replacement)
                                             : Result<CodeObject>(fail(ErrorCode::notFound, ""));
    if (object && std::ranges::none_of(
                      made, [&](const auto &known) { return isLoadedAlike(*object, *known); }))
      made.push_back(decision.replacement);
  }
}

void work(Engine &engine, const std::vector<Task> &tasks, unsigned jobs, Sum &sum) {
  std::atomic<size_t> next{0}, done{0};
  Progress progress("compiling");
  std::mutex shown;
  const auto run = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++) {
      const Task &task = tasks[i];
      {
        const std::lock_guard guard(shown);
        progress.show(done, tasks.size(),
                      task.kernel.empty() ? "whole code object" : demangle(task.kernel));
      }
      if (task.kernel.empty())
        count(sum, engine.decide(*task.object, {}, Patience::untilDone), "a code object");
      else
        warmVersions(engine, *task.object, task.kernel, sum);
      ++done;
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::min<size_t>(jobs, tasks.size()); ++i)
    others.emplace_back(run);
  run();
  for (std::thread &other : others)
    other.join();
}

Settings warmSettings(const WarmOptions &o, const std::string &folder) {
  Settings s = settings().settings;
  s.cache = true;
  s.cacheLayers = "user"; // that folder, and no other
  s.cacheDir = folder;
  s.cacheReadonly = false;
  s.compileBudgetMs = 0;
  s.compileMode = CompileMode::sync;
  s.jobs = o.jobs;
  if (o.jobs > 1)
    s.compiler = "process"; // the same bytes; in threads comgr compiles one at a time
  return s;
}

int warm(const Cli &cli, const WarmOptions &o, const std::vector<std::string> &command) {
  if (o.files.empty() && command.empty())
    return complain("warm: give files, or a program: meld warm [options] FILE... or -- ./app",
                    kUsage);
  const auto folder = layerFolder(o.layer);
  if (!folder || folder->empty())
    return complain("warm: " + (folder ? "there is no cache folder" : folder.error().message));
  if (auto opened = openCacheDirectory(*folder, /*create=*/true); !opened)
    return complain("warm: " + opened.error().message);
  auto devices = devicesOf(o.targets);
  if (!devices)
    return complain("warm: " + devices.error().message, kUsage);
  Objects objects(std::move(*devices));
  bool fine = true;
  for (const std::string &file : o.files)
    if (std::string why; !objects.addFile(file, why))
      fine = false, complain("warm: " + why);
  if (!command.empty()) {
    const auto recorded = temporaryFolder("meld-warm");
    if (!recorded)
      return complain("warm: " + recorded.error().message);
    if (const int status = record(command, o.targets, *recorded))
      fine = false, complain("warm: the program ended with status " + std::to_string(status) +
                             "; what it had loaded is compiled");
    std::string why;
    for (const std::string &file : filesIn(*recorded))
      objects.addFile(file, why);
    // For the other processors that it has code for.
    if (const std::string &program = command[0]; program.find('/') != std::string::npos)
      objects.addFile(program, why);
    std::error_code error;
    std::filesystem::remove_all(*recorded, error);
    if (objects.all().empty())
      return complain("warm: the program loaded no device code with bitcode");
  }
  if (objects.all().empty())
    return kProblem;

  const Settings s = warmSettings(o, *folder);
  std::vector<Task> tasks;
  for (const auto &bytes : objects.all()) {
    tasks.push_back({bytes.get(), ""});
    const auto object = CodeObject::parse(*bytes);
    if (object && s.adapt == "on")
      for (const KernelMetadata &kernel : object->metadata.kernels)
        tasks.push_back({bytes.get(), kernel.name});
  }
  const auto engine = makeEngine(s);
  Sum sum;
  work(*engine, tasks, o.jobs, sum);
  engine->finish(std::chrono::milliseconds(0));
  fine &= !sum.failed;
  if (cli.json())
    print(Json{{"path", *folder},
               {"objects", objects.all().size()},
               {"compiled", sum.compiled.load()},
               {"there", sum.there.load()},
               {"replaced", sum.replaced.load()},
               {"problems", sum.problems}});
  else
    print(*folder + ": " + std::to_string(sum.compiled) + " compiled, " +
          std::to_string(sum.there) +
          " were there; code objects: " + std::to_string(objects.all().size()) + "\n");
  std::ranges::sort(sum.problems);
  for (const std::string &problem : sum.problems)
    complain("warm: " + problem);
  return fine ? kOk : kProblem;
}

} // namespace

void addWarm(Cli &cli) {
  CLI::App *sub = cli.verb(
      "warm", "Compile before a program runs: meld warm [OPTIONS] FILE... [-- PROGRAM [ARGUMENTS]]",
      "  meld warm ./app libkernels.so\n"
      "  meld warm --target gfx90a --jobs 8 --layer /apps/meld/cache ./app\n"
      "  meld warm -- ./app --size small    # also what it loads at run time\n\n"
      "No GPU is needed. Settings that change what is compiled (MELD_PASSES, "
      "MELD_ADAPT, ...) have to be\nas they will be when the program runs, and so has "
      "libmeld.\n");
  auto o = std::make_shared<WarmOptions>();
  sub->add_option("files", o->files, "Programs, libraries, code objects");
  sub->add_option(
         "--target", o->targets,
         "Only what these devices would load, \"gfx90a,gfx908:xnack-\" (default: all there is)")
      ->option_text("gfx...");
  addLayerOption(sub, o->layer);
  sub->add_option("--jobs", o->jobs, "So many compiles at a time, each in a process")
      ->check(CLI::Range(1, 64))
      ->option_text("N");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return warm(cli, *o, cli.command); }; });
}

} // namespace meld::cli
