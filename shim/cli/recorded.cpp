#include "shim/cli/recorded.h"

#include "runtime/host/whole_file.h"
#include "shim/cli/cli.h"

#include <algorithm>
#include <filesystem>

namespace meld::cli {

std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file(error))
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Result<softgpu::RecordedProfile> readRecorded(const std::string &file) {
  auto bytes = readWholeFile(file);
  if (!bytes)
    return tl::unexpected(bytes.error());
  auto profile =
      softgpu::parseProfile({reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  if (!profile)
    return fail(profile.error().code, file + ": " + profile.error().message);
  return profile;
}

Result<std::vector<softgpu::RecordedProfile>> recordedProfiles(const std::string &folder) {
  std::vector<softgpu::RecordedProfile> profiles;
  Result<void> problem;
  for (const std::string &file : filesIn(folder))
    if (auto one = readRecorded(file))
      profiles.push_back(std::move(*one));
    else
      problem = tl::unexpected(one.error());
  if (!problem)
    return tl::unexpected(problem.error());
  return profiles;
}

} // namespace meld::cli
