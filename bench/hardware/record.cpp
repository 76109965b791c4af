#include "bench/hardware/record.h"

#include "bench/hardware/statistics.h"
#include "runtime/host/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace meld::bench {

using nlohmann::json;

namespace {

constexpr const char *formatName = "libmeld hardware record";
constexpr unsigned formatVersion = 1;

/// Reads fields of what somebody sent; keeps the first thing that is wrong.
class Reader {
public:
  const std::string &problem() const { return problem_; }

  const json &object(const json &in, const char *name) { return part(in, name, json::object()); }
  const json &array(const json &in, const char *name) { return part(in, name, json::array()); }
  std::string text(const json &in, const char *name) {
    const json &value = part(in, name, json(std::string()));
    return value.get<std::string>();
  }
  bool flag(const json &in, const char *name) { return part(in, name, json(false)).get<bool>(); }
  /// Not negative, not endless.
  double number(const json &in, const char *name) { return asNumber(member(in, name), name); }
  unsigned count(const json &in, const char *name) {
    const double value = number(in, name);
    if (value != std::floor(value) || value > std::numeric_limits<unsigned>::max()) {
      say(std::string(name) + " is no count");
      return 0;
    }
    return static_cast<unsigned>(value);
  }
  std::vector<double> numbers(const json &in, const char *name) {
    std::vector<double> values;
    for (const json &value : array(in, name))
      values.push_back(asNumber(value, name));
    return values;
  }
  std::vector<std::string> texts(const json &in, const char *name) {
    std::vector<std::string> values;
    for (const json &value : array(in, name))
      if (value.is_string())
        values.push_back(value.get<std::string>());
      else
        say(std::string(name) + " holds something that is no text");
    return values;
  }
  double asNumber(const json &value, const std::string &name) {
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number >= 0 && std::isfinite(number))
      return number;
    say(name + (value.is_null() ? " is missing" : " is no number from 0 on"));
    return 0;
  }
  uint64_t whole(const json &value, const std::string &name) {
    const double number = asNumber(value, name);
    if (number < 0x1p63)
      return static_cast<uint64_t>(number);
    say(name + " is no count");
    return 0;
  }
  /// Of what follows, for the message: "programs, 3".
  void at(const std::string &place) { place_ = place; }
  void say(const std::string &what) {
    if (problem_.empty())
      problem_ = (place_.empty() ? "" : place_ + ": ") + what;
  }

private:
  static const json &member(const json &in, const char *name) {
    static const json nothing;
    const auto found = in.is_object() ? in.find(name) : in.end();
    return found == in.end() ? nothing : *found;
  }
  /// The member when it is of the kind of `otherwise`; `otherwise`, having said so, when it is not.
  const json &part(const json &in, const char *name, json otherwise) {
    const json &value = member(in, name);
    if (value.type() == otherwise.type())
      return value;
    say(std::string(name) +
        (value.is_null() ? " is missing" : " is something else than it should"));
    kept_.push_back(std::make_unique<json>(std::move(otherwise)));
    return *kept_.back();
  }

  std::string place_, problem_;
  std::vector<std::unique_ptr<json>> kept_;
};

/// What a terminal might take for a command: C0, DEL, and C1 in UTF-8.
bool hasControls(const std::string &text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0))
      return true;
  }
  return false;
}

json toJson(const Range &range) { return {range.least, range.median, range.most}; }

json toJson(const ProgramTimes &program) {
  json kernels = json::array();
  for (const auto &[name, times] : program.kernels)
    kernels.push_back({{"kernel", name},
                       {"launches", times.launches},
                       {"original", times.original},
                       {"melded", times.melded}});
  json out = {{"benchmark", program.benchmark}, {"set", program.set},
              {"arguments", program.arguments}, {"replaced", program.replaced},
              {"failure", program.failure},     {"kernels", std::move(kernels)}};
  if (!program.originalCounters.empty() || !program.meldedCounters.empty())
    out["counters"] = {{"original", program.originalCounters}, {"melded", program.meldedCounters}};
  return out;
}

Counters countersOf(Reader &reader, const json &in, const char *name) {
  Counters all;
  for (const auto &[kernel, counters] : reader.object(in, name).items()) {
    if (!counters.is_object())
      reader.say("counters of " + kernel + " are no object");
    else
      for (const auto &[counter, value] : counters.items())
        all[kernel][counter] = reader.whole(value, counter);
  }
  return all;
}

ProgramTimes programOf(Reader &reader, const json &in) {
  ProgramTimes program;
  program.benchmark = reader.text(in, "benchmark");
  program.set = reader.text(in, "set");
  program.arguments = reader.texts(in, "arguments");
  program.replaced = reader.flag(in, "replaced");
  program.failure = reader.text(in, "failure");
  for (const json &kernel : reader.array(in, "kernels")) {
    KernelTimes &times = program.kernels[reader.text(kernel, "kernel")];
    times.launches = reader.count(kernel, "launches");
    times.original = reader.numbers(kernel, "original");
    times.melded = reader.numbers(kernel, "melded");
  }
  if (in.is_object() && in.contains("counters")) {
    const json &counters = reader.object(in, "counters");
    program.originalCounters = countersOf(reader, counters, "original");
    program.meldedCounters = countersOf(reader, counters, "melded");
  }
  return program;
}

PowerOfRound powerOf(Reader &reader, const json &in) {
  PowerOfRound power;
  if (!in.is_object()) {
    reader.say("a round is no object");
    return power;
  }
  for (const auto &[name, value] : in.items()) {
    if (name == "busyBeforePercent") {
      power.busyBefore = reader.asNumber(value, name);
      continue;
    }
    if (!value.is_array() || value.size() != 3) {
      reader.say(name + " is not three numbers");
      continue;
    }
    power.values[name] = {reader.asNumber(value[0], name), reader.asNumber(value[1], name),
                          reader.asNumber(value[2], name)};
  }
  return power;
}

} // namespace

unsigned ProgramTimes::rounds() const {
  size_t least = kernels.empty() ? 0 : std::numeric_limits<unsigned>::max();
  for (const auto &[name, times] : kernels)
    least = std::min({least, times.original.size(), times.melded.size()});
  return static_cast<unsigned>(least);
}

double Record::clockMhz() const {
  const MicroTimes *first = nullptr;
  std::vector<double> mhz;
  for (const MicroTimes &times : micro) {
    if (times.name != "clock")
      continue;
    if (!first) {
      first = &times;
      continue;
    }
    const size_t rounds = std::min({first->operations.size(), first->nanoseconds.size(),
                                    times.operations.size(), times.nanoseconds.size()});
    for (size_t i = 0; i < rounds; ++i) {
      const double took = times.nanoseconds[i] - first->nanoseconds[i];
      if (took > 0)
        mhz.push_back(1000 * (times.operations[i] - first->operations[i]) / took);
    }
  }
  const double counted = median(mhz);
  // A counter of another clock (25 or 100 MHz on some devices) says nothing about this one.
  const bool plausible = counted > device.clockMhz / 4 && counted < device.clockMhz * 1.2;
  return plausible ? counted : device.clockMhz;
}

const ProgramTimes *Record::find(const std::string &benchmark) const {
  for (const ProgramTimes &program : programs)
    if (program.benchmark == benchmark)
      return &program;
  return nullptr;
}

ProgramTimes *Record::find(const std::string &benchmark) {
  return const_cast<ProgramTimes *>(std::as_const(*this).find(benchmark));
}

json toJson(const Record &record) {
  const DeviceFacts &d = record.device;
  const RecordOptions &o = record.options;
  json micro = json::array(), programs = json::array(), power = json::array();
  for (const MicroTimes &times : record.micro)
    micro.push_back({{"name", times.name},
                     {"operations", times.operations},
                     {"nanoseconds", times.nanoseconds}});
  for (const ProgramTimes &program : record.programs)
    programs.push_back(toJson(program));
  for (const PowerOfRound &round : record.power) {
    json values = json::object();
    for (const auto &[name, range] : round.values)
      values[name] = toJson(range);
    if (round.busyBefore)
      values["busyBeforePercent"] = *round.busyBefore;
    power.push_back(std::move(values));
  }
  return {{"format", formatName},
          {"version", formatVersion},
          {"complete", record.complete},
          {"date", record.date},
          {"device",
           {{"software", d.software},
            {"name", d.name},
            {"arch", d.arch},
            {"computeUnits", d.computeUnits},
            {"clockMHz", d.clockMhz},
            {"hipRuntime", d.runtime},
            {"hipDriver", d.driver},
            {"kernel", d.kernel}}},
          {"options",
           {{"rounds", o.rounds},
            {"repeats", o.repeats},
            {"microTimes", o.microTimes},
            {"size", o.size},
            {"only", o.only},
            {"allBlockSizes", o.every}}},
          {"counterTool", record.counterTool},
          {"power",
           {{"performanceLevel", record.performanceLevel},
            {"profile", record.powerProfile},
            {"rounds", std::move(power)}}},
          {"micro", std::move(micro)},
          {"programs", std::move(programs)}};
}

Result<Record> recordOf(const std::string &text) {
  bool controls = false;
  const auto look = [&](int, json::parse_event_t, const json &part) {
    controls |= part.is_string() && hasControls(part.get_ref<const std::string &>());
    return true;
  };
  const json in = json::parse(text, look, /*allow_exceptions=*/false);
  Reader reader;
  if (!in.is_object() || reader.text(in, "format") != formatName)
    return fail(ErrorCode::badInput, "no file of meld validate --hardware");
  if (controls)
    return fail(ErrorCode::badInput, "a name or text holds control characters");
  if (reader.count(in, "version") != formatVersion)
    return fail(ErrorCode::badInput, "version " + std::to_string(reader.count(in, "version")) +
                                         " of the format; this libmeld reads " +
                                         std::to_string(formatVersion));
  Record record;
  record.complete = reader.flag(in, "complete");
  record.date = reader.text(in, "date");
  record.counterTool = reader.text(in, "counterTool");
  reader.at("device");
  const json &device = reader.object(in, "device");
  record.device = {reader.flag(device, "software"),   reader.text(device, "name"),
                   reader.text(device, "arch"),       reader.count(device, "computeUnits"),
                   reader.number(device, "clockMHz"), reader.text(device, "hipRuntime"),
                   reader.text(device, "hipDriver"),  reader.text(device, "kernel")};
  reader.at("options");
  const json &options = reader.object(in, "options");
  record.options = {reader.count(options, "rounds"),     reader.count(options, "repeats"),
                    reader.count(options, "microTimes"), reader.text(options, "size"),
                    reader.text(options, "only"),        reader.flag(options, "allBlockSizes")};
  reader.at("power");
  const json &power = reader.object(in, "power");
  record.performanceLevel = reader.text(power, "performanceLevel");
  record.powerProfile = reader.text(power, "profile");
  for (const json &round : reader.array(power, "rounds"))
    record.power.push_back(powerOf(reader, round));
  const auto each = [&](const char *name, const auto &one) {
    reader.at("");
    unsigned place = 0;
    for (const json &value : reader.array(in, name)) {
      reader.at(std::string(name) + ", " + std::to_string(++place));
      one(value);
    }
  };
  each("micro", [&](const json &one) {
    record.micro.push_back({reader.text(one, "name"), reader.numbers(one, "operations"),
                            reader.numbers(one, "nanoseconds")});
  });
  each("programs", [&](const json &one) { record.programs.push_back(programOf(reader, one)); });
  if (!reader.problem().empty())
    return fail(ErrorCode::badInput, reader.problem());
  return record;
}

Result<Record> readRecord(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in.is_open() || in.bad())
    return fail(ErrorCode::io, errnoText(file.string(), errno ? errno : EIO));
  auto record = recordOf(text);
  if (!record)
    return fail(record.error().code, file.string() + ": " + record.error().message);
  return record;
}

Result<void> writeRecord(const std::filesystem::path &file, const Record &record) {
  return writeWholePath(file.string(),
                        toJson(record).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

} // namespace meld::bench
