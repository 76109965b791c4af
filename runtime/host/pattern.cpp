#include "runtime/host/pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <regex.h>
#include <vector>

namespace meld {
namespace {

/// Reads a pattern once, from left to right, and adds up what it unfolds to.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// What is wrong, or null. Whether brackets close and the like is the engine's to say.
  const char *check() {
    while (at_ < text_.size())
      if (const char *wrong = item())
        return wrong;
    if (last_ == Last::bar)
      return "has an empty alternative";
    return text_.find('\0') == text_.npos ? nullptr : "has a zero byte";
  }

private:
  enum class Last { nothing, bar, repeatable, repeated };

  const char *item() {
    switch (text_[at_]) {
    case '(':
      ++at_;
      if (groups_.size() > kMaxGroups)
        return "nests its groups too deeply";
      groups_.push_back(0);
      last_ = Last::nothing;
      return nullptr;
    case ')':
      ++at_;
      if (groups_.size() == 1)
        return "closes a group that is not open";
      if (last_ == Last::bar)
        return "has an empty alternative";
      cost_ = groups_.back() + 1;
      groups_.pop_back();
      return add();
    case '|':
      ++at_;
      if (last_ == Last::bar || last_ == Last::nothing)
        return "has an empty alternative";
      last_ = Last::bar;
      return nullptr;
    case '^':
      ++at_;
      last_ = Last::repeated; // nothing that could be repeated
      return nullptr;
    case '*':
    case '+':
    case '?':
      ++at_;
      return repeat(2);
    case '{':
      return braces();
    case '\\':
      if (at_ + 1 < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_ + 1])))
        return "escapes a letter or a digit, which POSIX extended regular expressions do not know";
      at_ += 2;
      cost_ = 1;
      return add();
    case '[':
      if (const char *wrong = bracket())
        return wrong;
      cost_ = 1;
      return add();
    default:
      ++at_;
      cost_ = 1;
      return add();
    }
  }

  const char *add() {
    groups_.back() += cost_;
    last_ = Last::repeatable;
    return tooMuch();
  }

  const char *repeat(uint64_t times) {
    if (last_ != Last::repeatable)
      return "repeats nothing, or a repetition";
    last_ = Last::repeated;
    groups_.back() += cost_ * (times - 1);
    return tooMuch();
  }

  /// {m}, {m,}, {m,n}: the larger number counts.
  const char *braces() {
    const size_t end = text_.find('}', at_);
    if (end == text_.npos)
      return "has an open brace";
    std::string_view rest = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    constexpr uint64_t most = 255; // RE_DUP_MAX of POSIX
    uint64_t larger = 0;
    for (bool first = true; first || !rest.empty(); first = false) {
      const std::string_view part = rest.substr(0, rest.find(','));
      const bool open = !first && part.empty(); // {m,}
      uint64_t number = 0;
      auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), number);
      if (!open && (error != std::errc() || stop != part.data() + part.size()))
        return "has something else than numbers between braces";
      if (number > most)
        return "repeats something more than 255 times";
      larger = std::max(larger, number);
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    return repeat(larger + 1);
  }

  /// Past the bracket expression: "]" right behind "[" or "[^" is a member. Ranges from "]" or "-"
  /// on are valid, and LLVM's engine does not know them.
  const char *bracket() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '^')
      ++at_;
    if (at_ < text_.size() && text_[at_] == ']') {
      ++at_;
      if (text_.substr(at_, 1) == "-" && text_.substr(at_ + 1, 1) != "]")
        return "has a range that begins with ]";
    }
    while (at_ < text_.size() && text_[at_] != ']') {
      if (text_[at_] == '[' && at_ + 1 < text_.size() &&
          std::string_view(".:=").find(text_[at_ + 1]) != std::string_view::npos) {
        const char close[] = {text_[at_ + 1], ']', 0};
        const size_t end = text_.find(close, at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else {
        if (text_.substr(at_, 2) == "--")
          return "has a range that begins with -";
        ++at_;
      }
    }
    ++at_;
    return nullptr;
  }

  const char *tooMuch() const {
    return groups_.back() > kMaxUnfolded ? "repeats too much" : nullptr;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<uint64_t> groups_{0}; ///< unfolded items of each open group
  uint64_t cost_ = 0;               ///< of what a repetition would repeat
  Last last_ = Last::nothing;
};

} // namespace

struct Pattern::Compiled {
  regex_t regex{};
  bool made = false;
  ~Compiled() {
    if (made)
      ::regfree(&regex);
  }
};

Result<Pattern> Pattern::compile(std::string_view text) {
  if (text.size() > kMaxPattern)
    return fail(ErrorCode::badInput,
                "longer than the " + std::to_string(kMaxPattern) + " characters allowed");
  if (const char *wrong = Scanner(text).check())
    return fail(ErrorCode::badInput, wrong);
  auto compiled = std::make_shared<Compiled>();
  if (::regcomp(&compiled->regex, std::string(text).c_str(), REG_EXTENDED | REG_NOSUB))
    return fail(ErrorCode::badInput, "not a POSIX extended regular expression");
  compiled->made = true;
  Pattern pattern;
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool Pattern::matches(const std::string &text) const {
  return compiled_ && !::regexec(&compiled_->regex, text.c_str(), 0, nullptr, 0);
}

} // namespace meld
