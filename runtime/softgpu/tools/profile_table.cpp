// One kernel after the other:
//
//   saxpy(float*, float)  gfx90a  1 dispatch  128 waves  3,072 executed
//   vector: 1,920 executed, 63.9 of 64 lanes active, 26.7 % with uniform sources
//     executed  lanes  uniform  result  where        +offset  instruction
//          128   64.0    100.0   100.0  saxpy.hip:12  +0x1c    v_mov_b32_e32 v1, s4
//
// Source lines come from the code object that holds the kernel. It must be the code that ran: the
// disassembly at an offset has to be the profile's, else there are no lines, and a note says so.
#include "runtime/softgpu/tools/profile_table.h"

#include "runtime/host/whole_file.h"
#include "runtime/softgpu/tools/figures.h"
#include "runtime/softgpu/tools/object_file.h"
#include "runtime/softgpu/tools/source_lines.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace meld::softgpu {

namespace {

using Json = nlohmann::json;

[[gnu::format(printf, 2, 3)]] void print(std::string &out, const char *format, ...) {
  char buffer[1024];
  va_list list;
  va_start(list, format);
  const int n = std::vsnprintf(buffer, sizeof(buffer), format, list);
  va_end(list);
  out.append(buffer, size_t(std::clamp(n, 0, int(sizeof(buffer)) - 1)));
}

struct Counts {
  uint64_t executions = 0, lanes = 0, execZero = 0, uniformSources = 0, uniformResult = 0;
  uint64_t withResult = 0; ///< executions, with active lanes, of instructions that have a result
  uint64_t vector = 0;     ///< executions of vector instructions

  void add(const Json &i) {
    const uint64_t n = i.at("executions").get<uint64_t>();
    executions += n;
    if (!i.contains("lanes"))
      return;
    vector += n;
    lanes += i["lanes"].get<uint64_t>();
    const uint64_t zero = i.value("execZero", uint64_t(0));
    execZero += zero;
    uniformSources += i.value("uniformSources", uint64_t(0));
    if (i.contains("uniformResult")) {
      uniformResult += i["uniformResult"].get<uint64_t>();
      withResult += n - zero;
    }
  }
  void printTo(std::string &out) const {
    print(out, "%14s", grouped(executions).c_str());
    number(out, double(lanes), double(vector));
    number(out, 100.0 * double(uniformSources), double(vector - execZero));
    number(out, 100.0 * double(uniformResult), double(withResult));
  }

private:
  static void number(std::string &out, double x, double of) {
    if (of > 0)
      print(out, "  %7.1f", x / of);
    else
      print(out, "  %7s", "-");
  }
};

std::string where(const SourceLine *line) {
  return line ? fileName(line->file) + ":" + std::to_string(line->line) : "";
}

void printKernel(std::string &out, const Json &kernel, const SourceLines &source, bool byLine) {
  const auto &list = kernel.at("instructions");
  Counts sum, vector;
  for (const Json &i : list) {
    sum.add(i);
    if (i.contains("lanes"))
      vector.add(i);
  }
  const uint64_t dispatches = kernel.at("dispatches"), waves = kernel.at("waves");
  std::string device = kernel.at("device");
  if (kernel.contains("deviceIndex"))
    device += " (device " + std::to_string(kernel.at("deviceIndex").get<int>()) + ")";
  print(out, "%s  %s%s  %s dispatch%s  %s waves  %s executed\n",
        demangled(kernel.at("kernel")).c_str(), device.c_str(),
        kernel.value("replaced", false) ? "  (replaced)" : "", grouped(dispatches).c_str(),
        dispatches == 1 ? "" : "es", grouped(waves).c_str(), grouped(sum.executions).c_str());
  if (vector.vector > vector.execZero)
    print(out,
          "vector instructions: %s executed, %.1f of %u lanes active, %.1f %% with uniform "
          "sources\n",
          grouped(vector.vector).c_str(), double(vector.lanes) / double(vector.vector),
          kernel.value("waveSize", 64u),
          100.0 * double(vector.uniformSources) / double(vector.vector - vector.execZero));
  std::string note;
  std::vector<RanCode> code;
  for (const Json &i : list)
    code.push_back({i.at("offset"), i.at("text")});
  const auto lines = source.of(kernel.at("kernel"), kernel.at("device").get<std::string>(), code,
                               kernel.value("replaced", false), note);
  if (!note.empty())
    out += note + "\n";
  auto lineOf = [&](const Json &i) { return lines ? lines->at(i.at("offset")) : nullptr; };
  print(out, "%14s  %7s  %7s  %7s", "executed", "lanes", "unif. %", "result%");
  if (byLine) {
    out += "  source\n";
    std::map<std::pair<std::string, uint32_t>, Counts> perLine;
    for (const Json &i : list) {
      const SourceLine *l = lineOf(i);
      perLine[l ? std::pair(l->file, l->line) : std::pair(std::string("(unknown)"), 0u)].add(i);
    }
    for (const auto &[line, counts] : perLine) {
      counts.printTo(out);
      out += "  " + line.first + (line.second ? ":" + std::to_string(line.second) : "") + "\n";
    }
    out += "\n";
    return;
  }
  size_t width = 6;
  for (const Json &i : list)
    width = std::max(width, where(lineOf(i)).size());
  if (lines)
    print(out, "  %-*s", int(width), "source");
  print(out, "  %8s  instruction\n", "offset");
  for (const Json &i : list) {
    Counts c;
    c.add(i);
    c.printTo(out);
    if (lines)
      print(out, "  %-*s", int(width), where(lineOf(i)).c_str());
    const int64_t offset = i.at("offset");
    char text[32];
    std::snprintf(text, sizeof(text), "%s0x%llx", offset < 0 ? "-" : "+",
                  static_cast<unsigned long long>(offset < 0 ? -offset : offset));
    print(out, "  %8s  ", text);
    out += i.at("text").get<std::string>() + "\n";
  }
  out += "\n";
}

} // namespace

Result<std::string> profileTable(const ProfileTableOptions &options) {
  auto bytes = readWholeFile(options.file);
  if (!bytes)
    return tl::unexpected(bytes.error());
  try {
    const Json profile = Json::parse(bytes->begin(), bytes->end());
    SourceLines source;
    std::vector<std::string> objects = options.objects;
    if (objects.empty() && profile.contains("program"))
      objects.push_back(profile["program"]);
    for (const std::string &path : objects)
      source.open(path);
    std::string out;
    for (const std::string &note : source.notes())
      out += note + "\n";
    for (const Json &kernel : profile.at("kernels")) {
      const std::string name = kernel.at("kernel");
      if (name.find(options.kernel) != name.npos ||
          demangled(name).find(options.kernel) != std::string::npos)
        printKernel(out, kernel, source, options.byLine);
    }
    return out;
  } catch (const Json::exception &error) {
    return fail(ErrorCode::badInput, options.file + " is not a profile: " + error.what());
  }
}

} // namespace meld::softgpu
