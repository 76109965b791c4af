#include "bench/runner/table.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

namespace meld::bench {

static bool looksNumeric(const std::string &cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-+x%() ") == std::string::npos;
}

std::string Table::text() const {
  std::vector<size_t> width;
  for (const auto &row : rows_)
    for (size_t c = 0; c < row.size(); ++c) {
      if (c == width.size())
        width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string &cell = rows_[r][c];
      const std::string padding(width[c] - cell.size(), ' ');
      // A header follows the alignment of the column's first value.
      const bool right =
          looksNumeric(r == 0 && rows_.size() > 1 && c < rows_[1].size() ? rows_[1][c] : cell);
      line += (c ? "  " : "") + (right ? padding + cell : cell + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      size_t total = 0;
      for (size_t c = 0; c < width.size(); ++c)
        total += width[c] + (c ? 2 : 0);
      out += std::string(total, '-') + "\n";
    }
  }
  return out;
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string decimal(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

std::string wrapped(const std::string &text, size_t width) {
  std::istringstream words(text);
  std::string out, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line;
}

} // namespace meld::bench
