#include "passes/specialize/facts.h"

#include <algorithm>
#include <charconv>

namespace meld {

namespace {

std::string toText(const Fact &fact) {
  char hex[17];
  switch (fact.kind) {
  case Fact::Kind::argument:
    return "argument " + std::to_string(fact.offset) + " " + std::to_string(fact.width) + " 0x" +
           std::string(hex, std::to_chars(hex, hex + sizeof hex, fact.value, 16).ptr);
  case Fact::Kind::workgroup:
    return "workgroup " + std::to_string(fact.value & 0xffff) + " " +
           std::to_string(fact.value >> 16 & 0xffff) + " " +
           std::to_string(fact.value >> 32 & 0xffff);
  case Fact::Kind::fullGroups:
    return "full-groups";
  case Fact::Kind::grid:
    return "grid " + std::to_string(fact.offset) + " " + std::to_string(fact.value);
  case Fact::Kind::nonNull:
    return "nonnull " + std::to_string(fact.offset);
  }
  return {};
}

/// Takes words and numbers off the front of a text.
class Reader {
public:
  explicit Reader(std::string_view text) : rest_(text) {}
  bool atEnd() const { return rest_.empty(); }
  bool take(std::string_view prefix) {
    if (rest_.substr(0, prefix.size()) != prefix)
      return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  bool number(uint64_t &to, int base, uint64_t most) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), to, base);
    if (error != std::errc() || to > most)
      return false;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return true;
  }

private:
  std::string_view rest_;
};

std::optional<Fact> readFact(Reader &reader) {
  uint64_t a = 0, b = 0, c = 0;
  if (reader.take("full-groups"))
    return Fact::fullGroups();
  if (reader.take("workgroup ")) {
    if (!reader.number(a, 10, 0xffff) || !reader.take(" ") || !reader.number(b, 10, 0xffff) ||
        !reader.take(" ") || !reader.number(c, 10, 0xffff) || !a || !b || !c)
      return std::nullopt;
    return Fact::workgroup(static_cast<uint16_t>(a), static_cast<uint16_t>(b),
                           static_cast<uint16_t>(c));
  }
  if (reader.take("grid ")) {
    if (!reader.number(a, 10, 2) || !reader.take(" ") || !reader.number(b, 10, UINT32_MAX) || !b)
      return std::nullopt;
    return Fact::grid(static_cast<uint16_t>(a), static_cast<uint32_t>(b));
  }
  if (reader.take("nonnull ")) {
    if (!reader.number(a, 10, 0xffff) || a % 8)
      return std::nullopt;
    return Fact::nonNull(static_cast<uint16_t>(a));
  }
  if (!reader.take("argument ") || !reader.number(a, 10, 0xffff) || !reader.take(" ") ||
      !reader.number(b, 10, 8) || !reader.take(" 0x") || !reader.number(c, 16, UINT64_MAX))
    return std::nullopt;
  if ((b != 1 && b != 2 && b != 4 && b != 8) || a % b || (b < 8 && c >> (8 * b)))
    return std::nullopt;
  return Fact::argument(static_cast<uint16_t>(a), static_cast<uint8_t>(b), c);
}

} // namespace

Facts unite(Facts facts, const Facts &more) {
  facts.insert(facts.end(), more.begin(), more.end());
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
  return facts;
}

std::string toText(Facts facts) {
  std::string out;
  for (const Fact &fact : unite(std::move(facts), {}))
    out += (out.empty() ? "" : "; ") + toText(fact);
  return out;
}

std::optional<Facts> parseFacts(std::string_view text) {
  Facts facts;
  for (Reader reader(text); !reader.atEnd();) {
    if (!facts.empty() && !reader.take("; "))
      return std::nullopt;
    const auto fact = readFact(reader);
    if (!fact)
      return std::nullopt;
    facts.push_back(*fact);
  }
  if (toText(facts) != text)
    return std::nullopt;
  return facts;
}

} // namespace meld
