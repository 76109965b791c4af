// meld doctor: will libmeld work here, on this program, in that process?
#include "shim/cli/cache_layers.h"
#include "shim/cli/cli.h"
#include "shim/cli/doctor/checks.h"

#include "runtime/engine/compiler_identity.h"
#include "runtime/engine/identity.h"
#include "runtime/engine/jit_library.h"
#include "runtime/host/whole_file.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <sys/stat.h>

namespace meld::cli {
namespace {

using doctor::Closure;
using doctor::Finding;
using doctor::Findings;
using doctor::Health;

void append(Findings &all, Findings more) {
  for (Finding &finding : more)
    all.push_back(std::move(finding));
}

/// The installation itself. `jit`: opened, where it can be.
Findings libraries(const Install &install, std::shared_ptr<JitLibrary> &jit) {
  const std::string advice = "install libmeld whole: its libraries lie in one folder";
  Findings out;
  if (install.libmeld.empty())
    out.push_back(
        {Health::problem, "libmeld.so", "not found (../lib/libmeld of this program)", advice});
  else
    out.push_back({Health::ok, "libmeld.so", install.libmeld, ""});
  if (install.jit.empty()) {
    out.push_back(
        {Health::problem, "libmeld-jit.so", "not found: nothing can be recompiled", advice});
  } else if (auto library = JitLibrary::open(install.jit); library) {
    jit = *library;
    out.push_back({Health::ok, "libmeld-jit.so", jit->version(), ""});
  } else {
    out.push_back({Health::problem, "libmeld-jit.so", library.error().message,
                   "install what it needs, or a libmeld that was built for this system"});
  }
  if (install.softgpu.empty())
    out.push_back({Health::warn, "libmeld-softgpu.so", "not found: no software GPU", advice});
  else
    out.push_back({Health::ok, "libmeld-softgpu.so", install.softgpu, ""});
  return out;
}

/// ROCm as a program without paths of its own would find it. `comgr`: what libmeld compiles with.
Findings stack(std::string &comgr) {
  Findings out;
  auto report = [&](const char *what, std::initializer_list<const char *> names) -> std::string {
    for (const char *name : names)
      if (std::string path = findLibrary(name, {"/opt/rocm/lib"}); !path.empty()) {
        out.push_back({Health::ok, what, path, ""});
        return path;
      }
    out.push_back({Health::problem, what, "not found",
                   "install ROCm, or name its folder in LD_LIBRARY_PATH"});
    return {};
  };
  report("HIP runtime", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"});
  const std::string rocr = report("ROCr", {"libhsa-runtime64.so.1"});
  comgr = report("comgr", {comgrLibrary()});
  if (char path[PATH_MAX]; ::realpath(comgr.c_str(), path))
    comgr = path;
  if (auto bytes = rocr.empty() ? Result<Bytes>(Bytes()) : readWholeFile(rocr); !bytes) {
    out.push_back({Health::warn, "attach", bytes.error().message, ""});
  } else if (!bytes->empty()) {
    // ROCr names what it looks for.
    const std::string_view symbol = "HSA_AMD_TOOL_PRIORITY";
    const bool scans =
        std::search(bytes->begin(), bytes->end(), symbol.begin(), symbol.end()) != bytes->end();
    out.push_back({Health::ok, "attach",
                   scans ? "ROCr finds the preloaded library by its symbol " + std::string(symbol)
                         : "through HSA_TOOLS_LIB, which the preloaded library adds itself to",
                   ""});
  }
  return out;
}

Findings ourSettings() {
  const LoadedSettings &loaded = settings();
  Findings out;
  const std::vector<std::string> warnings = loaded.allWarnings();
  for (const std::string &warning : warnings)
    out.push_back({Health::problem, "settings", warning, "meld config lists all settings"});
  if (warnings.empty())
    out.push_back({Health::ok, "settings", "no bad or unknown MELD_ variable", ""});
  if (loaded.settings.disable)
    out.push_back({Health::problem, "MELD_DISABLE", "set: libmeld does nothing", "unset it"});
  return out;
}

Findings cache() {
  if (!settings().settings.cache)
    return {{Health::warn, "cache", "off (MELD_CACHE=0): every run compiles again", "unset it"}};
  return doctor::checkCache(cachePlan());
}

int tell(const Cli &cli, const Findings &findings) {
  const auto problems = std::count_if(findings.begin(), findings.end(), [](const Finding &finding) {
    return finding.health == Health::problem;
  });
  Json checks = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const Finding &finding : findings) {
    Json check = {{"check", finding.check},
                  {"health", healthName(finding.health)},
                  {"text", finding.text},
                  {"advice", finding.advice}};
    if (!finding.details.is_null())
      check["details"] = finding.details;
    checks.push_back(std::move(check));
    rows.push_back({healthName(finding.health), finding.check,
                    finding.text + (finding.advice.empty() ? "" : " -> " + finding.advice)});
  }
  if (cli.json())
    print(Json{{"healthy", problems == 0}, {"checks", checks}});
  else
    print(table(rows));
  return problems ? kProblem : kOk;
}

struct DoctorOptions {
  std::string program;
  int pid = 0;
};

int examine(const Cli &cli, const DoctorOptions &o) {
  const doctor::Machine machine = doctor::here();
  const Install install = findInstall();
  Findings all;
  // Before anything is loaded here: the linker's own list comes first in a search for libraries.
  Result<Closure> closure = Closure();
  struct stat info;
  const bool readable =
      !o.program.empty() && !::stat(o.program.c_str(), &info) && S_ISREG(info.st_mode);
  if (readable)
    closure = doctor::closureOf(machine, o.program);
  std::shared_ptr<JitLibrary> jit;
  std::string comgr;
  append(all, libraries(install, jit));
  append(all, stack(comgr));
  append(all, doctor::checkDevice(machine, !install.softgpu.empty()));
  append(all, ourSettings());
  const bool linked = readable && closure;
  append(all, doctor::checkTools(o.pid ? doctor::ofProcess("", o.pid) : machine,
                                 linked ? &*closure : nullptr));
  append(all, doctor::checkBatch(machine));
  append(all, cache());
  append(all, doctor::checkSideBitcode(settings().settings.bitcodePath));
  if (!o.program.empty())
    append(all, doctor::checkProgramFile(machine, o.program));
  if (linked)
    append(all, doctor::checkRocm(*closure, comgr));
  if (readable)
    append(all, doctor::checkKernels(o.program, closure ? *closure : Closure(), jit.get(),
                                     settings().settings.bitcodePath));
  if (o.pid)
    append(all, doctor::checkMapped("", o.pid, comgr));
  return tell(cli, all);
}

} // namespace

void addDoctor(Cli &cli) {
  CLI::App *sub = cli.verb(
      "doctor", "What would stop libmeld from working: here, on a program, in a process",
      "  meld doctor\n"
      "  meld doctor ./app                   # its kernels, libraries and rights, too\n"
      "  meld doctor --pid 4711              # what a running process has loaded\n"
      "  meld doctor --format=json ./app | jq '.checks[] | select(.health == \"problem\")'\n\n"
      "One line for each check: ok, warn (works, but less well) or problem, and what to do.\n"
      "Exit status: 0 nothing stops libmeld, 1 something does, 2 wrong usage.\n");
  auto o = std::make_shared<DoctorOptions>();
  sub->add_option("program", o->program,
                  "A HIP program, library or code object to look at; it is not run");
  sub->add_option("--pid", o->pid, "A running process to look at")
      ->check(CLI::PositiveNumber)
      ->option_text("PID");
  sub->callback([&cli, o] { cli.action = [&cli, o] { return examine(cli, *o); }; });
}

} // namespace meld::cli
