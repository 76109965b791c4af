#include "runtime/profile/rocprof.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

namespace meld::profile {

namespace {

using Json = nlohmann::json;

struct Malformed : std::runtime_error {
  using runtime_error::runtime_error;
};

uint64_t number(const Json &j, const char *name) {
  const auto it = j.find(name);
  if (it == j.end())
    throw Malformed(std::string("no ") + name);
  if (it->is_boolean()) // a flag, however it was written
    return it->get<bool>();
  if (!it->is_number_unsigned())
    throw Malformed(std::string(name) + " is no natural number");
  return it->get<uint64_t>();
}

const Json &objectIn(const Json &j, const char *name) {
  const auto it = j.find(name);
  if (it == j.end() || !it->is_object())
    throw Malformed(std::string("no ") + name);
  return *it;
}

std::string text(const Json &j, const char *name) {
  const auto it = j.find(name);
  if (it == j.end() || !it->is_string())
    throw Malformed(std::string("no ") + name);
  return it->get<std::string>();
}

/// memory://PID#offset=0x...&size=N and file://...#offset=N&size=N; 0 where it does not say.
uint64_t sizeInUri(const std::string &uri) {
  const size_t at = uri.find("size=");
  if (at == std::string::npos)
    return 0;
  const char *first = uri.data() + at + 5;
  uint64_t size = 0;
  std::from_chars(first, uri.data() + uri.size(), size);
  return size;
}

constexpr uint64_t kMostItems = 1024; // of a work-group
constexpr uint64_t kMostGroups = uint64_t(1) << 32;

class Tally {
public:
  void take(const std::string &kind, const std::string &list, const Json &record) {
    if (kind == "agents")
      agent(record);
    else if (kind == "code_objects")
      codeObject(record);
    else if (kind == "kernel_symbols")
      symbol(record);
    else if (list == "kernel_dispatch")
      dispatch(record);
    else if (list == "pc_sample_host_trap")
      hostTrap(objectIn(record, "record"));
    else
      stochastic(objectIn(record, "record"));
  }
  Trace finish();

private:
  struct Agent {
    std::string name;
    uint64_t simds = 0, lanes = 64;
  };
  struct CodeObject {
    uint64_t base = 0, size = 0;
  };
  struct Symbol {
    uint64_t codeObject = 0, entry = 0;
    std::string name;
  };
  struct Launches {
    uint64_t launches = 0, waves = 0;
    // By size of the work-group, so that waves are counted once the agent is known.
    std::map<std::pair<uint64_t, uint64_t>, uint64_t>
        groups; // (agent, work-items of a group) -> groups
  };
  using Place = std::pair<uint64_t, uint64_t>; // code object, offset

  void agent(const Json &j) {
    Agent &one = agents_[number(objectIn(j, "id"), "handle")];
    one.name = text(j, "name");
    one.simds = number(j, "simd_count");
    if (const uint64_t lanes = number(j, "wave_front_size"))
      one.lanes = lanes;
  }
  void codeObject(const Json &j) {
    const uint64_t id = number(j, "code_object_id");
    if (id == 0)
      return; // a place holder
    CodeObject &one = codeObjects_[id];
    one.base = number(j, "load_base");
    one.size = j.contains("memory_size") ? number(j, "memory_size") : 0;
    if (!one.size)
      one.size = sizeInUri(text(j, "uri"));
  }
  void symbol(const Json &j) {
    const uint64_t id = number(j, "kernel_id");
    if (id == 0)
      return;
    Symbol &one = symbols_[id];
    one.codeObject = number(j, "code_object_id");
    one.name = text(j, "kernel_name");
    if (one.name.ends_with(".kd"))
      one.name.resize(one.name.size() - 3);
    const auto offset = j.find("kernel_code_entry_byte_offset");
    if (offset == j.end() || !offset->is_number_integer())
      throw Malformed("no kernel_code_entry_byte_offset");
    one.entry = number(j, "kernel_object") + uint64_t(offset->get<int64_t>());
  }
  void dispatch(const Json &j) {
    const Json &info = objectIn(j, "dispatch_info");
    const Json &group = objectIn(info, "workgroup_size"), &grid = objectIn(info, "grid_size");
    uint64_t size = 1, count = 1;
    for (const char *axis : {"x", "y", "z"}) {
      const uint64_t items = number(group, axis), all = number(grid, axis);
      if (!items || items > kMostItems || all > UINT32_MAX)
        throw Malformed("a launch of no size that there is");
      size *= items;
      count *= (all + items - 1) / items;
      if (size > kMostItems || count > kMostGroups)
        throw Malformed("a launch of no size that there is");
    }
    Launches &launches = launches_[number(info, "kernel_id")];
    ++launches.launches;
    launches.groups[{number(objectIn(info, "agent_id"), "handle"), size}] += count;
  }
  void hostTrap(const Json &j) {
    ++totals_.hostTrap;
    sample(j, hostTrap_);
  }
  void stochastic(const Json &j) {
    ++totals_.stochastic;
    if (number(j, "wave_issued") && isCounted(text(j, "inst_type")))
      sample(j, issued_);
    else
      ++totals_.waiting;
  }
  /// The kinds of which jit/profile/runs.h counts instructions.
  static bool isCounted(std::string_view type) {
    constexpr std::string_view prefix = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_";
    if (type.starts_with(prefix))
      type.remove_prefix(prefix.size());
    for (const char *counted : {"VALU", "DUAL_VALU", "MATRIX", "SCALAR", "TEX", "LDS", "FLAT"})
      if (type == counted)
        return true;
    return false;
  }
  void sample(const Json &j, std::map<Place, PcSamples> &samples) {
    const Json &pc = objectIn(j, "pc");
    const uint64_t lanes = std::popcount(number(j, "exec_mask"));
    const Place place{number(pc, "code_object_id"), number(pc, "code_object_offset")};
    if (lanes)
      samples[place].add({1, lanes});
    else
      ++totals_.noLanes;
  }

  void count(const Launches &launches, TracedKernel &kernel) const;

  std::map<uint64_t, Agent> agents_;
  std::map<uint64_t, CodeObject> codeObjects_;
  std::map<uint64_t, Symbol> symbols_;
  std::map<uint64_t, Launches> launches_; // by kernel
  std::map<Place, PcSamples> hostTrap_, issued_;
  SampleTotals totals_;
};

void Tally::count(const Launches &launches, TracedKernel &kernel) const {
  kernel.launches = launches.launches;
  for (const auto &[place, groups] : launches.groups) {
    const auto agent = agents_.find(place.first);
    if (agent == agents_.end())
      throw Malformed("a launch on an agent that is not listed");
    const uint64_t perGroup = (place.second + agent->second.lanes - 1) / agent->second.lanes;
    kernel.processor = agent->second.name;
    kernel.waves += groups * perGroup;
    if (agent->second.simds)
      kernel.wavesPerSimd += double(groups * perGroup) / double(agent->second.simds);
  }
}

Trace Tally::finish() {
  std::vector<std::pair<Place, uint64_t>> kernels; // by offset of their first instruction
  for (const auto &[id, symbol] : symbols_) {
    const auto object = codeObjects_.find(symbol.codeObject);
    if (object == codeObjects_.end())
      throw Malformed("a kernel of a code object that is not listed");
    kernels.push_back({{symbol.codeObject, symbol.entry - object->second.base}, id});
  }
  for (const auto &[id, launches] : launches_)
    if (!symbols_.count(id))
      throw Malformed("a launch of a kernel that is not listed");
  std::ranges::sort(kernels);
  Trace trace;
  trace.totals = totals_;
  for (const auto &[place, id] : kernels) {
    TracedKernel kernel;
    kernel.name = symbols_[id].name;
    kernel.objectSize = codeObjects_[place.first].size;
    if (const auto launched = launches_.find(id); launched != launches_.end())
      count(launched->second, kernel);
    trace.kernels.push_back(std::move(kernel));
  }
  // Each sample is of the kernel that begins last before it.
  const auto give = [&](const std::map<Place, PcSamples> &samples,
                        SamplesByOffset TracedKernel::*to) {
    for (const auto &[place, sum] : samples) {
      const auto behind = std::ranges::upper_bound(kernels, place, {},
                                                   [](const auto &kernel) { return kernel.first; });
      if (behind == kernels.begin() || std::prev(behind)->first.first != place.first)
        trace.totals.elsewhere += sum.samples;
      else
        (trace.kernels[size_t(behind - kernels.begin()) - 1].*
         to)[place.second - std::prev(behind)->first.second]
            .add(sum);
    }
  };
  give(hostTrap_, &TracedKernel::hostTrap);
  give(issued_, &TracedKernel::issued);
  return trace;
}

/// The parser's callback: takes each record of the lists that count, and keeps nothing of the file.
class Filter {
public:
  bool operator()(int depth, Json::parse_event_t event, Json &parsed) {
    const size_t level = size_t(depth);
    if (event == Json::parse_event_t::key) {
      if (level < keys_.size()) {
        keys_[level] = parsed.get<std::string>();
        for (size_t deeper = level + 1; deeper < keys_.size(); ++deeper)
          keys_[deeper].clear();
        if (const std::string list = recordLevel() ? keys_[3] + "/" + keys_[4] : keys_[1];
            !list.empty())
          seen_.insert(list);
      }
      return true;
    }
    const size_t record = recordLevel();
    if (!record || level < record)
      return event == Json::parse_event_t::object_start ||
             event == Json::parse_event_t::array_start;
    if (level > record || event == Json::parse_event_t::object_start)
      return true;
    if (event == Json::parse_event_t::object_end)
      tally_.take(keys_[3], keys_[4], parsed);
    return false;
  }
  bool saw(const char *key) const { return seen_.count(key) != 0; }
  Tally &tally() { return tally_; }

private:
  /// Where the records of the list are that the parser is in; 0: in none that counts.
  size_t recordLevel() const {
    if (keys_[1] != "rocprofiler-sdk-tool")
      return 0;
    for (const char *list : {"agents", "code_objects", "kernel_symbols"})
      if (keys_[3] == list)
        return 4;
    if (keys_[3] == "buffer_records")
      for (const char *list : {"kernel_dispatch", "pc_sample_host_trap", "pc_sample_stochastic"})
        if (keys_[4] == list)
          return 5;
    return 0;
  }

  std::array<std::string, 5> keys_; // of the objects that the parser is in, by depth
  std::set<std::string> seen_;      // lists of records, and the outermost keys
  Tally tally_;
};

} // namespace

void SampleTotals::add(const SampleTotals &other) {
  hostTrap += other.hostTrap;
  stochastic += other.stochastic;
  waiting += other.waiting;
  noLanes += other.noLanes;
  elsewhere += other.elsewhere;
}

Result<Trace> readTrace(std::istream &json) {
  Filter filter;
  const auto bad = [&](const std::string &what) {
    json.clear();
    return fail(ErrorCode::badInput, "offset " + std::to_string(json.tellg()) + ": " + what);
  };
  try {
    const auto parsed = Json::parse(json, [&](int depth, Json::parse_event_t event, Json &one) {
      return filter(depth, event, one);
    });
    if (!filter.saw("rocprofiler-sdk-tool"))
      return bad("no results of rocprofv3: no rocprofiler-sdk-tool in it");
    if (!filter.saw("buffer_records/kernel_dispatch") || !filter.saw("kernel_symbols/") ||
        !filter.saw("code_objects/"))
      return bad("no trace of kernels in it");
    if (!filter.saw("buffer_records/pc_sample_host_trap") &&
        !filter.saw("buffer_records/pc_sample_stochastic"))
      return fail(ErrorCode::unsupported,
                  "no PC samples in it: written before ROCm 6.4, or without PC sampling");
    return filter.tally().finish();
  } catch (const Json::parse_error &error) {
    return fail(ErrorCode::badInput, "offset " + std::to_string(error.byte) + ": " + error.what());
  } catch (const std::exception &error) {
    return bad(error.what());
  }
}

} // namespace meld::profile
