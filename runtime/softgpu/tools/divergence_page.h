// The report of divergence as one self-contained web page: kernels, what parts their lanes, and the
// source with what is lost on each line.
//
// A file of ten thousand lines stays light: lines that lose something, and some around them, are
// elements of their own; all between is one text each, folded away.
#pragma once

#include "runtime/softgpu/tools/divergence_report.h"

namespace meld::softgpu {

/// Lines of source files, by the name that the report has for the file.
using SourceTexts = std::map<std::string, std::vector<std::string>>;

/// Sources that are not in `texts` are listed by line number only.
std::string divergencePage(const DivergenceReport &report, const SourceTexts &texts);

} // namespace meld::softgpu
