// Plain text tables: columns padded to their widest cell, numbers right-aligned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meld::bench {

class Table {
public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The table with a rule under its header, each line ending in a newline.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

/// 12,345,678
std::string grouped(uint64_t value);
/// Fixed number of decimals.
std::string decimal(double value, int decimals);
/// Words in lines of at most `width` characters; a longer word has a line of its own.
std::string wrapped(const std::string &text, size_t width);

} // namespace meld::bench
