#include "shim/cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace meld::cli {
namespace {

constexpr size_t kBar = 24;
constexpr std::chrono::milliseconds kPause{100};

size_t terminalWidth() {
  winsize size{};
  return !::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

} // namespace

std::string progressLine(const std::string &what, size_t done, size_t all, const std::string &now,
                         size_t width) {
  const size_t filled = all ? std::min(kBar, kBar * done / all) : 0;
  std::string line = what + " [" + std::string(filled, '#') + std::string(kBar - filled, '.') +
                     "] " + std::to_string(done) + "/" + std::to_string(all);
  if (!now.empty())
    line += "  " + now;
  return line.substr(0, width);
}

Progress::Progress(std::string what) : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_)
    std::fputs("\r\033[K", stderr);
}

void Progress::show(size_t done, size_t all, const std::string &now) {
  const auto time = std::chrono::steady_clock::now();
  if (!terminal_ || (time < next_ && done != all))
    return;
  next_ = time + kPause;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s",
               progressLine(what_, done, all, now, terminalWidth() - 1).c_str());
  std::fflush(stderr);
}

} // namespace meld::cli
