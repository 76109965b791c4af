#include "runtime/softgpu/tools/condition_lines.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace meld::softgpu {

namespace {

using Names = std::set<std::string_view>;

/// How many branches are followed for what was active at each: every one costs a search.
constexpr unsigned kDeep = 3;

/// "s_or_b64 s[6:7], vcc, s[6:7]" -> {"s_or_b64", "s[6:7]", "vcc", "s[6:7]"}
std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at)
      words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Registers that a mask may be in: pairs of scalar registers, vcc; in waves of 32 single ones.
bool isMask(std::string_view word, unsigned waveSize) {
  if (waveSize == 32)
    return word == "vcc_lo" ||
           (word.size() > 1 && word[0] == 's' && word[1] >= '0' && word[1] <= '9');
  return word == "vcc" || word.starts_with("s[");
}
bool isExec(std::string_view word) { return word == "exec" || word == "exec_lo"; }

bool comparesVectors(std::string_view opcode) { return opcode.starts_with("v_cmp"); }
bool comparesScalars(std::string_view opcode) {
  return opcode.starts_with("s_cmp") || opcode.starts_with("s_bitcmp");
}

/// What going back over one instruction found.
enum class Step {
  on,         ///< nothing that was wanted, or what it was made of is wanted now
  comparison, ///< one that was wanted
  fromExec,   ///< lanes went into a wanted mask, or out of it, because they were active
};

/// `wanted` is what has to be known before the instruction.
Step stepBack(std::string_view text, unsigned waveSize, Names &wanted) {
  const auto words = wordsOf(text);
  const std::string_view opcode = words.empty() ? std::string_view() : words[0];
  if (comparesScalars(opcode))
    return wanted.erase("scc") ? Step::comparison : Step::on;
  if (words.size() < 2 || !wanted.erase(words[1]))
    return Step::on;
  if (comparesVectors(opcode))
    return Step::comparison;
  if (opcode.starts_with("s_cselect"))
    wanted.insert("scc");
  bool exec = false;
  for (size_t k = 2; k < words.size(); ++k) {
    if (isMask(words[k], waveSize))
      wanted.insert(words[k]);
    exec = exec || isExec(words[k]);
  }
  // Masks are cut down to EXEC everywhere, and inverted by it for an else: that says nothing.
  return exec && !opcode.starts_with("s_and_") && !opcode.starts_with("s_xor") ? Step::fromExec
                                                                               : Step::on;
}

/// From GFX10 on these compare and narrow EXEC at once, and write nothing else.
bool comparesIntoExec(std::string_view text) { return text.starts_with("v_cmpx_"); }
bool startsBranch(std::string_view text) {
  return text.starts_with("s_and_saveexec") || text.starts_with("s_and_b64 exec") ||
         text.starts_with("s_and_b32 exec_lo") || comparesIntoExec(text);
}
bool startsElse(std::string_view text) {
  return text.starts_with("s_andn2_saveexec") || text.starts_with("s_and_not1_saveexec"); // GFX11
}
bool narrowsExec(std::string_view text) { return startsBranch(text) || startsElse(text); }
bool widensExec(std::string_view text) {
  return text.starts_with("s_or_b64 exec") || text.starts_with("s_or_b32 exec_lo");
}

} // namespace

std::optional<int64_t> ConditionLines::branchAround(int64_t offset) const {
  std::set<size_t> seen;
  size_t b = graph_.blockAt(offset), closed = 0;
  while (b < graph_.blocks().size() && seen.insert(b).second) {
    const FlowBlock &block = graph_.blocks()[b];
    for (auto at = std::ranges::lower_bound(block.offsets, offset); at != block.offsets.begin();) {
      const std::string &text = kernel_.instructions.at(*--at).text;
      if (widensExec(text))
        ++closed;
      else if (narrowsExec(text) && closed)
        closed -= startsBranch(text); // an else stands within what is closed
      else if (narrowsExec(text))
        return *at;
    }
    const FlowEdge *most = nullptr;
    for (size_t e : block.in)
      if (const FlowEdge &edge = graph_.edges()[e]; !most || edge.waves > most->waves)
        most = &edge;
    if (!most)
      break;
    b = most->from;
    offset = graph_.blocks()[b].offsets.back() + 1;
  }
  return std::nullopt;
}

std::vector<const SourceLine *> ConditionLines::comparisons(int64_t offset, size_t loop,
                                                            bool &fromExec, unsigned deep) const {
  std::vector<const SourceLine *> found;
  const size_t first = graph_.blockAt(offset);
  if (first == graph_.blocks().size())
    return found;
  const std::string &own = kernel_.instructions.at(offset).text;
  if (comparesIntoExec(own)) {
    if (const SourceLine *line = lineOf_(offset))
      found.push_back(line);
    return found;
  }
  Names masks;
  const auto words = wordsOf(own);
  for (size_t k = 2; k < words.size(); ++k)
    if (isMask(words[k], kernel_.waveSize))
      masks.insert(words[k]);
  struct Work {
    size_t block;
    int64_t before; ///< only instructions in front of it
    Names wanted;
  };
  std::deque<Work> work{{first, offset, masks}};
  std::set<std::pair<size_t, Names>> seen;
  for (size_t budget = 20000; !work.empty() && budget;) {
    Work now = std::move(work.front());
    work.pop_front();
    const FlowBlock &block = graph_.blocks()[now.block];
    auto at = std::ranges::lower_bound(block.offsets, now.before);
    while (at != block.offsets.begin() && !now.wanted.empty() && budget) {
      --at;
      --budget;
      const Step step = stepBack(kernel_.instructions.at(*at).text, kernel_.waveSize, now.wanted);
      fromExec = fromExec || step == Step::fromExec;
      if (step == Step::comparison)
        if (const SourceLine *line = lineOf_(*at))
          found.push_back(line);
      // For a branch, who was active there is the condition; for a loop see addBranchesIn().
      if (step == Step::fromExec && loop == kNoLoop && deep)
        if (const auto around = branchAround(*at))
          found = comparisons(*around, kNoLoop, fromExec, deep - 1);
      if (loop == kNoLoop && !found.empty()) // the nearest one is the branch's own
        return found;
    }
    if (now.wanted.empty())
      continue;
    for (size_t e : block.in)
      if (const size_t from = graph_.edges()[e].from;
          (loop == kNoLoop || graph_.loops()[loop].contains(from)) &&
          seen.emplace(from, now.wanted).second)
        work.push_back({from, graph_.blocks()[from].offsets.back() + 1, now.wanted});
  }
  return found;
}

void ConditionLines::addBranchesIn(size_t loop, std::vector<const SourceLine *> &lines) const {
  for (size_t b : graph_.loops()[loop].blocks)
    if (graph_.blocks()[b].loop == loop)
      for (int64_t offset : graph_.blocks()[b].offsets) {
        const std::string &text = kernel_.instructions.at(offset).text;
        bool fromExec = false;
        if (startsBranch(text))
          std::ranges::copy(comparisons(offset, kNoLoop, fromExec, kDeep),
                            std::back_inserter(lines));
      }
}

const SourceLine *ConditionLines::nearest(int64_t offset) const {
  const size_t b = graph_.blockAt(offset);
  if (b == graph_.blocks().size())
    return lineOf_(offset);
  const auto &offsets = graph_.blocks()[b].offsets;
  const auto here = std::ranges::find(offsets, offset);
  for (auto at = here + 1; at != offsets.begin(); --at)
    if (const SourceLine *line = lineOf_(*(at - 1)))
      return line;
  for (auto at = here; at != offsets.end(); ++at)
    if (const SourceLine *line = lineOf_(*at))
      return line;
  return nullptr;
}

const SourceLine *ConditionLines::of(int64_t offset, size_t loop) const {
  bool fromExec = false;
  auto found = comparisons(offset, loop, fromExec, kDeep);
  if (fromExec && loop != kNoLoop)
    addBranchesIn(loop, found);
  if (found.empty())
    return nearest(offset);
  // Conditions out of a header that were inlined do not count against those of the file itself.
  std::map<std::string_view, size_t> files;
  for (const SourceLine *line : found)
    ++files[line->file];
  const auto most =
      std::ranges::max_element(files, {}, [](const auto &file) { return file.second; });
  const SourceLine *best = nullptr;
  for (const SourceLine *line : found)
    if (line->file == most->first && (!best || line->line < best->line))
      best = line;
  return best;
}

} // namespace meld::softgpu
