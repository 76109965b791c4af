#include "runtime/softgpu/watch/trace_file.h"

#include "runtime/host/new_file.h"
#include "runtime/host/output.h"
#include "runtime/host/stderr.h"
#include "runtime/host/text.h"
#include "runtime/write.h"

#include <cerrno>
#include <cstdlib>
#include <map>
#include <unistd.h>

namespace meld::softgpu {

namespace {

constexpr size_t kPart = 1 << 16;

/// Leaked: dispatches may still run while the process ends.
struct OpenFiles {
  std::mutex mutex;
  std::map<std::pair<pid_t, std::string>, std::weak_ptr<TraceFile>> byName;
  static OpenFiles &get() {
    static auto &files = *new OpenFiles;
    return files;
  }
};

void flushAtExit() {
  OpenFiles &files = OpenFiles::get();
  std::unique_lock lock(files.mutex,
                        std::try_to_lock); // a forked child may have it locked for ever
  if (!lock)
    return;
  for (const auto &[name, known] : files.byName)
    if (auto file = known.lock())
      file->flush();
}

} // namespace

TraceFile::TraceFile(Descriptor file, std::string name)
    : file_(std::move(file)), name_(std::move(name)), pid_(::getpid()) {}

std::shared_ptr<TraceFile> TraceFile::open(const std::string &name) {
  if (name == "-")
    return std::shared_ptr<TraceFile>(new TraceFile(Descriptor(), name));
  static const int registered = std::atexit(flushAtExit);
  (void)registered;
  OpenFiles &files = OpenFiles::get();
  std::lock_guard lock(files.mutex);
  auto &known = files.byName[{::getpid(), name}]; // a forked child begins anew
  if (std::shared_ptr<TraceFile> open = known.lock())
    return open;
  auto output = openOutput(name, false);
  if (!output)
    return nullptr;
  std::shared_ptr<TraceFile> file(new TraceFile(std::move(*output), name));
  known = file;
  return file;
}

void TraceFile::add(std::string_view line) noexcept {
  if (!file_)
    return writeToStderr(line);
  std::lock_guard lock(mutex_);
  if (ended_)
    return;
  try {
    gathered_ += line;
  } catch (...) { // no memory: this line is lost
  }
  if (gathered_.size() >= kPart)
    flushLocked();
}

void TraceFile::flush() noexcept {
  if (pid_ != ::getpid())
    return;
  std::lock_guard lock(mutex_);
  flushLocked();
}

void TraceFile::flushLocked() noexcept {
  if (gathered_.empty())
    return;
  const int error = file_.isStillOurs() ? writeWithoutBlocking(file_.get(), gathered_) : EBADF;
  gathered_.clear();
  if (!error || error == EAGAIN)
    return;
  ended_ = true;
  try {
    writeToStderr("meld: the trace ends here: " +
                  (error == EBADF ? shown(name_, 200) + ": closed by the application"
                                  : errnoText(shown(name_, 200), error)) +
                  "\n");
  } catch (...) {
  }
}

} // namespace meld::softgpu
