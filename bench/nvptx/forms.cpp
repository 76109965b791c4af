#include "bench/nvptx/forms.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace meld::nvptx {

namespace {

std::string contentOf(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// "    .param .align 4 .b8 k_param_1[16]," or "    .param .u64 k_param_0"; from LLVM 20 on "    .param .u64 .ptr .align 1 k_param_0"
bool parameterIn(const std::string &line, unsigned &offset, Parameter &parameter) {
  static const std::regex pattern(
      R"(^\s*\.param\s+(?:\.align\s+(\d+)\s+)?\.([bfsu])(\d+)\s+(?:\.ptr\s+(?:\.\w+\s+)?\.align\s+\d+\s+)?[\w$]+(?:\[(\d+)\])?,?\s*$)");
  std::smatch match;
  if (!std::regex_match(line, match, pattern))
    return false;
  const unsigned element = static_cast<unsigned>(std::stoul(match[3])) / 8;
  const unsigned alignment =
      match[1].matched ? static_cast<unsigned>(std::stoul(match[1])) : element;
  const unsigned count = match[4].matched ? static_cast<unsigned>(std::stoul(match[4])) : 1;
  offset = (offset + alignment - 1) / alignment * alignment;
  parameter = {offset, element * count, element == 8 && count == 1};
  offset += parameter.size;
  return true;
}

} // namespace

bool Form::changes(const std::string &entry) const {
  return std::find(changed.begin(), changed.end(), entry) != changed.end();
}

std::map<std::string, std::vector<Parameter>> parametersOf(const std::string &ptx) {
  static const std::regex head(R"(\.entry\s+([\w$]+)\s*\(?)");
  std::map<std::string, std::vector<Parameter>> all;
  std::vector<Parameter> *open = nullptr;
  unsigned offset = 0;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    Parameter parameter{};
    if (std::regex_search(line, match, head)) {
      open = &all[match[1]];
      offset = 0;
    } else if (open && line.find(".param") != std::string::npos) {
      if (!parameterIn(line, offset, parameter))
        throw std::runtime_error("a parameter that is not understood: " + line);
      open->push_back(parameter);
    } else if (line.find(')') != std::string::npos) {
      open = nullptr;
    }
  }
  return all;
}

unsigned dynamicSharedOf(const std::string &ptx, const std::string &entry) {
  const std::string note = "// dynamic " + entry + " ";
  const size_t at = ptx.find(note);
  return at == std::string::npos
             ? 0
             : static_cast<unsigned>(std::strtoul(ptx.c_str() + at + note.size(), nullptr, 10));
}

Forms Forms::read(const std::string &manifest) {
  const std::filesystem::path folder = std::filesystem::path(manifest).parent_path();
  const auto json = nlohmann::json::parse(contentOf(manifest), nullptr, /*exceptions=*/false);
  if (json.is_discarded() || !json.contains("forms") || !json["forms"].contains("plain"))
    throw std::runtime_error(manifest + ": not what build.py writes");
  Forms forms;
  for (const char *name : {"plain", "melded", "flattened", "forced"})
    if (const auto found = json["forms"].find(name); found != json["forms"].end())
      forms.all.push_back({name, contentOf(folder / (*found)["ptx"].get<std::string>()),
                           found->value("changed", std::vector<std::string>()), Facts()});
  for (const auto &one : json.value("specialised", nlohmann::json::array())) {
    const auto text = one["facts"].get<std::string>();
    const auto facts = parseFacts(text);
    if (!facts || facts->empty())
      throw std::runtime_error(manifest + ": no facts: '" + text + "'");
    forms.all.push_back({"specialised",
                         contentOf(folder / one["ptx"].get<std::string>()),
                         {one["entry"].get<std::string>()},
                         *facts});
  }
  forms.parameters = parametersOf(forms.all.front().ptx);
  return forms;
}

} // namespace meld::nvptx
