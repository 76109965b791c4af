#include "shim/cli/cli.h"

#include "runtime/codeobject/choice.h"
#include "runtime/codeobject/codeobject.h"
#include "runtime/engine/identity.h"
#include "runtime/engine/side_bitcode.h"
#include "runtime/log/log.h"
#include "runtime/write.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace meld::cli {

CLI::App *Cli::verb(const std::string &name, const std::string &help, const std::string &examples,
                    CLI::App *parent) {
  CLI::App *sub = (parent ? parent : &app)->add_subcommand(name, help);
  sub->add_option("--format", format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("text|json");
  if (!examples.empty())
    sub->footer("Examples:\n" + examples);
  return sub;
}

Install findInstall() {
  char self[4096];
  ssize_t length = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
  Install install;
  if (length <= 0)
    return install;
  std::string folder = folderOf(std::string(self, length));
  auto find = [&](const char *name) -> std::string {
    char path[PATH_MAX];
    for (const char *place : {MELD_LIBRARY_FOLDERS, "../lib", "."})
      if (::realpath((folder + "/" + place + "/" + name).c_str(), path) && !::access(path, R_OK))
        return path;
    return {};
  };
  install.libmeld = find("libmeld.so");
  install.jit = find("libmeld-jit.so");
  install.softgpu = find("libmeld-softgpu.so");
  return install;
}

const LoadedSettings &settings() {
  static const LoadedSettings loaded = [] {
    LoadedSettings s = loadSettings();
    log::configure(s.settings.logLevel, s.settings.logFile);
    for (const std::string &warning : s.warnings)
      complain(warning);
    return s;
  }();
  return loaded;
}

std::unique_ptr<Engine> makeEngine(const Settings &settings) {
  Install install = findInstall();
  EngineOptions options;
  options.settings = settings;
  char path[4096];
  options.libmeldPath = ::realpath(install.libmeld.c_str(), path) ? path : install.libmeld;
  options.jitPath = folderOf(options.libmeldPath) + "/libmeld-jit.so";
  return std::make_unique<Engine>(std::move(options));
}

Result<void> writeWholeFile(const std::string &path, ByteView bytes) {
  Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd)
    return fail(ErrorCode::io, errnoText(path, errno));
  if (const int error =
          writeAll(fd.get(), {reinterpret_cast<const char *>(bytes.data()), bytes.size()}))
    return fail(ErrorCode::io, errnoText("writing " + path, error));
  if (const int error = fd.close())
    return fail(ErrorCode::io, errnoText("writing " + path, error));
  return {};
}

Result<void> mayWrite(const std::string &path) {
  std::error_code error;
  std::string place = path;
  if (std::filesystem::is_directory(path, error))
    return fail(ErrorCode::io, errnoText(path, EISDIR));
  if (!std::filesystem::exists(path, error)) {
    place = std::filesystem::path(path).parent_path();
    if (place.empty())
      place = ".";
    if (std::filesystem::exists(place, error) && !std::filesystem::is_directory(place, error))
      return fail(ErrorCode::io, errnoText(path, ENOTDIR));
  }
  if (::access(place.c_str(), W_OK) != 0)
    return fail(ErrorCode::io, errnoText(path, errno));
  return {};
}

int complain(const std::string &message, int status) {
  std::fprintf(stderr, "meld: %s\n", message.c_str());
  return status;
}

void print(const std::string &text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print(const Json &value) {
  // Names come from files: what is not UTF-8 is replaced, not an exception.
  print(value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::string jsonText(const Json &object, const char *key) {
  auto it = object.find(key);
  if (it == object.end() || it->is_null())
    return {};
  return it->is_string() ? it->get<std::string>()
                         : it->dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool jsonFlag(const Json &object, const char *key, bool fallback) {
  auto it = object.find(key);
  return it != object.end() && it->is_boolean() ? it->get<bool>() : fallback;
}

std::string humanTime(int64_t seconds) {
  time_t time = seconds;
  tm parts;
  char text[32];
  if (!::localtime_r(&time, &parts) ||
      !std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts))
    return "?";
  return text;
}

std::string table(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), i + 1));
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string out;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(i + 1 < row.size() ? widths[i] - row[i].size() + 2 : 0, ' ');
    out += line + "\n";
  }
  return out;
}

Result<std::vector<DeviceImage>> deviceImages(ByteView bytes) {
  auto images = findDeviceImages(bytes);
  if (images)
    for (DeviceImage &image : *images)
      if (auto with = withSideBitcode(image.bytes, settings().settings.bitcodePath)) {
        image.unpacked = std::make_shared<const Bytes>(std::move(*with));
        image.bytes = *image.unpacked;
      }
  return images;
}

/// The places of what HIP would load for `arch`, where no image is named like it: with its features,
/// or for its generic target.
static std::vector<size_t> loadedFor(const std::vector<DeviceImage> &images,
                                     const std::string &arch) {
  const auto device = parseTargetId(arch);
  std::vector<size_t> places, chosen;
  std::vector<Isa> codes;
  for (size_t i = 0; device && i <= images.size(); ++i) {
    if (i == images.size() || (i && images[i].bundle != images[i - 1].bundle)) {
      for (size_t place : chosenFor(*device, codes))
        chosen.push_back(places[place]);
      places.clear();
      codes.clear();
    }
    if (i == images.size())
      break;
    if (const auto object = CodeObject::parse(images[i].bytes)) {
      places.push_back(i);
      codes.push_back(object->isa);
    }
  }
  return chosen;
}

Result<DeviceImage> chooseImage(const std::vector<DeviceImage> &images, const std::string &arch,
                                int index) {
  std::vector<size_t> fitting;
  std::string there;
  for (size_t i = 0; i < images.size(); ++i) {
    there += "\n  " + std::to_string(i) + "  " + images[i].id;
    // "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+": the processor, or it with its features.
    const std::string &id = images[i].id;
    const size_t dashes = id.find("--");
    const std::string target = dashes == std::string::npos ? id : id.substr(dashes + 2);
    bool fits = arch.empty() || target == arch || target.starts_with(arch + ":");
    if (fits && (index < 0 || size_t(index) == i))
      fitting.push_back(i);
  }
  if (fitting.empty() && !arch.empty() && index < 0)
    fitting = loadedFor(images, arch);
  if (fitting.size() == 1)
    return images[fitting[0]];
  return fail(ErrorCode::notFound,
              std::string(fitting.empty() ? "no such device image" : "several device images") +
                  "; choose with --arch or --index:" + there);
}

} // namespace meld::cli
