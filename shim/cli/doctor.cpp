// meld doctor: will libmeld work here, and on this program?
#include "shim/cli/cli.h"

#include "runtime/engine/identity.h"
#include "runtime/engine/jit_library.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace meld::cli {
namespace {

enum class Health { good, note, bad };

struct Check {
  Health health;
  std::string name, text;
};

const char *healthName(Health health) {
  return health == Health::good ? "ok" : health == Health::note ? "note" : "PROBLEM";
}

class Doctor {
public:
  void good(const std::string &name, const std::string &text) {
    checks_.push_back({Health::good, name, text});
  }
  void note(const std::string &name, const std::string &text) {
    checks_.push_back({Health::note, name, text});
  }
  void bad(const std::string &name, const std::string &text) {
    checks_.push_back({Health::bad, name, text});
  }
  const std::vector<Check> &checks() const { return checks_; }

private:
  std::vector<Check> checks_;
};

void libraries(Doctor &doctor, const Install &install) {
  if (install.libmeld.empty())
    doctor.bad("libmeld.so", "not found next to this program (../lib)");
  else
    doctor.good("libmeld.so", install.libmeld);
  if (install.jit.empty()) {
    doctor.bad("libmeld-jit.so", "not found: nothing can be recompiled");
  } else if (auto library = JitLibrary::open(install.jit); library) {
    doctor.good("libmeld-jit.so", (*library)->version());
  } else {
    doctor.bad("libmeld-jit.so", library.error().message);
  }
  if (install.softgpu.empty())
    doctor.note("libmeld-softgpu.so", "not found: no software GPU");
  else
    doctor.good("libmeld-softgpu.so", install.softgpu);
}

void stack(Doctor &doctor, const Install &install) {
  auto report = [&](const char *what, std::initializer_list<const char *> names, bool needed) {
    for (const char *name : names)
      if (std::string path = findLibrary(name, {"/opt/rocm/lib"}); !path.empty())
        return doctor.good(what, path);
    needed ? doctor.bad(what, "not found") : doctor.note(what, "not found");
  };
  report("HIP runtime", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}, true);
  report("ROCr", {"libhsa-runtime64.so.1"}, true);
  report("comgr", {"libamd_comgr.so.3", "libamd_comgr.so.2"}, true);
  if (!::access("/dev/kfd", R_OK | W_OK))
    doctor.good("GPU driver", "/dev/kfd is usable");
  else if (!install.softgpu.empty())
    doctor.note("GPU driver", "/dev/kfd is not usable; `meld run` takes the software GPU");
  else
    doctor.bad("GPU driver", "/dev/kfd is not usable and there is no software GPU");
}

void environment(Doctor &doctor) {
  const LoadedSettings &loaded = settings();
  const std::vector<std::string> warnings = loaded.allWarnings();
  for (const std::string &warning : warnings)
    doctor.bad("settings", warning);
  if (warnings.empty())
    doctor.good("settings", "no bad or unknown MELD_ variable");
  if (loaded.settings.disable)
    doctor.note("MELD_DISABLE", "set: libmeld does nothing");
  if (const char *tools = std::getenv("HSA_TOOLS_LIB"); tools && *tools)
    doctor.note("HSA_TOOLS_LIB", std::string(tools) + " (kept; libmeld adds itself)");
  const char *rocprofiler = std::getenv("ROCP_TOOL_LIBRARIES");
  const char *wanted = std::getenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS");
  if (rocprofiler && *rocprofiler && wanted && !std::strcmp(wanted, "0"))
    doctor.note("rocprofiler",
                "HSA_TOOLS_ROCPROFILER_V1_TOOLS=0 keeps ROCr from loading libmeld next "
                "to it; leave it unset, libmeld sets it");
}

/// How libmeld will get into ROCr's calls.
void attachPath(Doctor &doctor) {
  const std::string path = findLibrary("libhsa-runtime64.so.1", {"/opt/rocm/lib"});
  if (path.empty())
    return; // said above
  auto bytes = readWholeFile(path);
  if (!bytes)
    return doctor.note("attach", bytes.error().message);
  // ROCr names what it looks for.
  const std::string_view symbol = "HSA_AMD_TOOL_PRIORITY";
  const bool scans =
      std::search(bytes->begin(), bytes->end(), symbol.begin(), symbol.end()) != bytes->end();
  doctor.good("attach",
              scans ? "ROCr finds the preloaded library by its symbol " + std::string(symbol)
                    : "through HSA_TOOLS_LIB, which the preloaded library adds itself to");
}

void cache(Doctor &doctor) {
  const Settings &s = settings().settings;
  if (!s.cache)
    return doctor.note("cache", "off (MELD_CACHE)");
  DiskCacheOptions options;
  options.directory =
      DiskCache::chooseDirectory(s.cacheDir, std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  if (options.directory.empty())
    return doctor.bad("cache",
                      "no folder: MELD_CACHE_DIR, XDG_CACHE_HOME and HOME give no absolute path");
  DiskCache disk(options);
  auto directory = openCacheDirectory(options.directory, false);
  if (!directory && directory.error().code != ErrorCode::notFound)
    return doctor.bad("cache", directory.error().message);
  auto totals = disk.totals();
  if (!totals)
    return doctor.bad("cache", totals.error().message);
  std::string text = options.directory + ": " + std::to_string(totals->entries) + " entries, " +
                     humanSize(totals->bytes);
  if (totals->damaged)
    doctor.bad("cache",
               text + ", " + std::to_string(totals->damaged) + " damaged; run `meld cache verify`");
  else
    doctor.good("cache", text);
}

void program(Doctor &doctor, const std::string &path) {
  auto bytes = readWholeFile(path);
  if (!bytes)
    return doctor.bad("program", bytes.error().message);
  bool hip = false;
  for (const std::string &name : neededLibraries(path))
    hip |= name.rfind("libamdhip64", 0) == 0;
  auto images = findDeviceImages(*bytes);
  if (!images) {
    doctor.note("program",
                images.error().message + (hip ? "; its kernels may come from libraries or hiprtc"
                                              : "; and it is not linked with HIP"));
    return;
  }
  for (const DeviceImage &image : *images) {
    if (image.bytes.empty())
      doctor.note("program", image.id + ": " + image.note);
    else if (hasBitcode(image.bytes))
      doctor.good("program", image.id + ": has bitcode");
    else
      doctor.bad("program", image.id + ": no bitcode; compile with -Xclang -fembed-bitcode=all");
  }
}

int examine(const Cli &cli, const std::string &path) {
  Doctor doctor;
  Install install = findInstall();
  libraries(doctor, install);
  stack(doctor, install);
  attachPath(doctor);
  environment(doctor);
  cache(doctor);
  if (!path.empty())
    program(doctor, path);
  bool bad = false;
  Json out = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Check &check : doctor.checks()) {
    bad |= check.health == Health::bad;
    out.push_back(
        {{"check", check.name}, {"health", healthName(check.health)}, {"text", check.text}});
    rows.push_back({healthName(check.health), check.name, check.text});
  }
  cli.json() ? print(Json{{"healthy", !bad}, {"checks", out}}) : print(table(rows));
  return bad ? kProblem : kOk;
}

} // namespace

void addDoctor(Cli &cli) {
  CLI::App *sub = cli.verb("doctor", "Check libraries, ROCm, settings, cache, and a program",
                           "  meld doctor\n  meld doctor ./app\n  meld doctor --format=json\n");
  auto path = std::make_shared<std::string>();
  sub->add_option("program", *path, "A HIP program to look at");
  sub->callback([&cli, path] { cli.action = [&cli, path] { return examine(cli, *path); }; });
}

} // namespace meld::cli
