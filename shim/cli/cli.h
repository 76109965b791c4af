// What the verbs of `meld` share. One file per verb; each adds its subcommand and names the
// function that does the work.
//
// Exit status: 0 fine, 1 a problem was found, 2 wrong usage. (`meld run` ends as the program does.)
#pragma once

#include "runtime/codeobject/hostfile.h"
#include "runtime/engine/engine.h"
#include "runtime/host/human_size.h"
#include "runtime/host/text.h"
#include "runtime/settings/settings.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace meld::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kOk = 0, kProblem = 1, kUsage = 2;

struct Cli {
  CLI::App app{"Control-flow melding and scalarization for HIP programs", "meld"};
  std::function<int()> action; ///< set by the chosen verb
  std::vector<std::string>
      command; ///< what stands after "--"; run, verify, bisect, divergence, profile take one
  std::string format = "text";
  bool json() const { return format == "json"; }

  /// A subcommand with --format and an "Examples" footer.
  CLI::App *verb(const std::string &name, const std::string &help, const std::string &examples,
                 CLI::App *parent = nullptr);
};

void addRun(Cli &cli);
void addVerify(Cli &cli);
void addBisect(Cli &cli);
void addDivergence(Cli &cli);
void addProfile(Cli &cli);
void addValidate(Cli &cli);
void addDoctor(Cli &cli);
void addInspect(Cli &cli);
void addCompile(Cli &cli);
void addExplain(Cli &cli);
void addCache(Cli &cli);
void addCacheSharing(Cli &cli, CLI::App *cache);
void addWarm(Cli &cli);
void addConfig(Cli &cli);
void addManual(Cli &cli);

/// Where our libraries are: ../lib/libmeld of this program, ../lib (a build), or its own folder.
struct Install {
  std::string libmeld, jit, softgpu; ///< absolute paths; empty when not there
};
Install findInstall();

/// Settings from the environment; prints their warnings to stderr once.
const LoadedSettings &settings();

/// An engine as libmeld.so would make it (same cache keys).
std::unique_ptr<Engine> makeEngine(const Settings &settings);

Result<void> writeWholeFile(const std::string &path, ByteView bytes);

/// Asked before long work whose result goes there: whether the file, or where there is none its
/// folder, may be written. Changes nothing. Errors: io.
Result<void> mayWrite(const std::string &path);

/// "meld: ..." on stderr; returns the status given.
int complain(const std::string &message, int status = kProblem);

void print(const std::string &text); ///< stdout
void print(const Json &value);       ///< stdout, indented

/// A field as text, whatever it holds; "" where there is none.
std::string jsonText(const Json &object, const char *key);
/// A field that is true or false; `fallback` where it is neither.
bool jsonFlag(const Json &object, const char *key, bool fallback);

/// Seconds since 1970 in local time.
std::string humanTime(int64_t seconds);
/// Columns padded to their widest cell; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>> &rows);
/// Itanium demangling; the name itself when it is not mangled.
inline std::string demangle(const std::string &name) { return demangled(name); }

/// findDeviceImages, with what MELD_BITCODE_PATH has for images without bitcode.
Result<std::vector<DeviceImage>> deviceImages(ByteView bytes);

/// The image of `file` that --arch and --index choose. Errors: notFound with the list of what there
/// is.
Result<DeviceImage> chooseImage(const std::vector<DeviceImage> &images, const std::string &arch,
                                int index);

} // namespace meld::cli
