// Profiles that MELD_GPU_PROFILE wrote, one file for each process.
#pragma once

#include "runtime/softgpu/tools/profile_file.h"

namespace meld::cli {

/// The files of a folder, sorted; subfolders are none. Empty where there is no such folder.
std::vector<std::string> filesIn(const std::string &folder);

/// Errors: as parseProfile(), or the file cannot be read; with its name.
Result<softgpu::RecordedProfile> readRecorded(const std::string &file);

/// All files of a folder. Errors: that of the last that is no profile.
Result<std::vector<softgpu::RecordedProfile>> recordedProfiles(const std::string &folder);

} // namespace meld::cli
