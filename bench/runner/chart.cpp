#include "bench/runner/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace meld::bench {

namespace {

constexpr double labelWidth = 150, plotWidth = 330, rowHeight = 17, top = 30, numberWidth = 46;

std::string number(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string at(double value) { return number(value, 1); }

std::string text(double x, double y, const std::string &anchor, const std::string &kind,
                 const std::string &what) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\" class=\"" +
         kind + "\">" + escaped(what) + "</text>";
}

std::string line(double x1, double y1, double x2, double y2, const std::string &kind) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) +
         "\" class=\"" + kind + "\"/>";
}

std::string frame(const std::string &title, size_t rows, const std::string &body) {
  const double width = labelWidth + plotWidth + numberWidth,
               height = top + rowHeight * static_cast<double>(rows) + 8;
  return "<figure><figcaption>" + escaped(title) + "</figcaption><svg role=\"img\" aria-label=\"" +
         escaped(title) + "\" viewBox=\"0 0 " + at(width) + " " + at(height) + "\">" + body +
         "</svg></figure>\n";
}

} // namespace

std::string htmlTable(const std::vector<std::vector<std::string>> &cells, const std::string &kind) {
  std::string out = "<div class=\"scroll\"><table class=\"" + kind + "\">\n";
  for (const auto &line : cells) {
    const std::string tag = &line == &cells.front() ? "th" : "td";
    out += "<tr>";
    for (const std::string &cell : line)
      out += "<" + tag + ">" + escaped(cell) + "</" + tag + ">";
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string ratioBars(const std::string &title, const std::vector<Bar> &bars) {
  double least = 0.9, most = 1.25;
  for (const Bar &bar : bars) {
    least = std::min(least, bar.band.known() ? bar.band.low : bar.value);
    most = std::max({most, bar.value, bar.band.high});
  }
  least = std::floor(least * 10) / 10;
  most = std::ceil(most * 4) / 4;
  const auto x = [&](double value) {
    return labelWidth + (value - least) / (most - least) * plotWidth;
  };
  std::string body;
  const double bottom = top + rowHeight * static_cast<double>(bars.size());
  const double tick = most - least > 1.2 ? 0.5 : 0.25;
  for (double value = std::ceil(least / tick) * tick; value <= most + 1e-9; value += tick) {
    body += line(x(value), top - 4, x(value), bottom, std::fabs(value - 1) < 1e-9 ? "one" : "grid");
    body += text(x(value), top - 10, "middle", "tick", number(value, 2));
  }
  for (size_t i = 0; i < bars.size(); ++i) {
    const Bar &bar = bars[i];
    const double y = top + rowHeight * static_cast<double>(i);
    const double from = std::min(x(1), x(bar.value)), to = std::max(x(1), x(bar.value));
    const std::string claim = claimOf(bar.band);
    const bool open = claim == "open" || claim == "same";
    body += "<g><title>" + escaped(bar.hint) + "</title>";
    body += text(labelWidth - 8, y + 12, "end", "label", bar.label);
    body += "<rect x=\"" + at(from) + "\" y=\"" + at(y + 3) + "\" width=\"" +
            at(std::max(to - from, 1.0)) + "\" height=\"" + at(rowHeight - 6) +
            "\" rx=\"2\" class=\"" +
            (open                 ? "undecided"
             : bar.value >= 0.995 ? "better"
                                  : "worse") +
            "\"/>";
    double end = to;
    if (bar.band.known()) {
      const double low = x(bar.band.low), high = x(bar.band.high), middle = y + rowHeight / 2;
      body += line(low, middle, high, middle, "whisker") +
              line(low, middle - 3, low, middle + 3, "whisker") +
              line(high, middle - 3, high, middle + 3, "whisker");
      end = std::max(end, high);
    }
    body += text(end + 6, y + 12, "start", "value", number(bar.value, 2)) + "</g>";
  }
  return frame(title, bars.size(), body);
}

std::string steps(const std::string &title, const std::vector<Step> &all, double most,
                  const std::string &unit) {
  const auto x = [&](double value) {
    return labelWidth + std::min(value, most) / most * plotWidth;
  };
  std::string body;
  const double bottom = top + rowHeight * static_cast<double>(all.size());
  for (int i = 0; i <= 4; ++i) {
    const double value = most * i / 4;
    body += line(x(value), top - 4, x(value), bottom, "grid");
    body += text(x(value), top - 10, "middle", "tick", number(value, 0) + unit);
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const Step &step = all[i];
    const double y = top + rowHeight * (static_cast<double>(i) + 0.5);
    body += "<g><title>" + escaped(step.hint) + "</title>";
    body += text(labelWidth - 8, y + 4, "end", "label", step.label);
    body += line(x(step.before), y, x(step.after), y, "way");
    body +=
        "<circle cx=\"" + at(x(step.before)) + "\" cy=\"" + at(y) + "\" r=\"4\" class=\"before\"/>";
    body +=
        "<circle cx=\"" + at(x(step.after)) + "\" cy=\"" + at(y) + "\" r=\"4.5\" class=\"after\"/>";
    body += "</g>";
  }
  return frame(title, all.size(), body);
}

} // namespace meld::bench
