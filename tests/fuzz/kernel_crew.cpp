#include "tests/fuzz/kernel_crew.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace meld::fuzz {

namespace {

/// What a worker tells: first that it starts on a seed, then what came of it.
struct Message {
  uint64_t seed;
  bool done;
  Tally tally;
};
static_assert(sizeof(Message) <= PIPE_BUF, "written as one piece");

/// A worker process: seeds first, first + step, ...; a crash of the compiler, or the time limit of
/// a kernel, ends only the worker. Exit code 0 when it has done all of them.
int runWorker(const Setup &setup, uint64_t first, uint64_t end, uint64_t step, int progressFd) {
  initializeCompiler();
  auto gpu = makeGpu(setup.target);
  if (!gpu)
    return 1;
  for (uint64_t seed = first; seed < end; seed += step) {
    Message message{seed, false, {}};
    (void)!write(progressFd, &message, sizeof message);
    alarm(setup.limit);
    runSeed(*gpu, setup, seed, message.tally);
    alarm(0);
    message.done = true;
    (void)!write(progressFd, &message, sizeof message);
  }
  return 0;
}

bool ranOutOfTime(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM; }

/// Whether `compile` takes longer than a kernel may, in a process of its own.
bool runsOutOfTime(const Setup &setup, uint64_t seed, void (*compile)(const Setup &, uint64_t)) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(setup.limit);
    initializeCompiler();
    compile(setup, seed);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return ranOutOfTime(status);
}

/// Runs all seeds in `jobs` worker processes.
class Crew {
public:
  Crew(const Setup &setup, uint64_t first, uint64_t count, unsigned jobs)
      : setup_(setup), end_(first + count), count_(count), jobs_(jobs) {
    for (unsigned j = 0; j < jobs && first + j < end_; ++j)
      start(first + j);
  }

  Tally run() {
    while (!workers_.empty()) {
      std::vector<pollfd> fds;
      for (const Worker &w : workers_)
        fds.push_back({w.fd, POLLIN, 0});
      if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR)
        break;
      for (size_t i = fds.size(); i-- > 0;)
        if (fds[i].revents && !read(workers_[i])) {
          const Worker ended = workers_[i];
          workers_.erase(workers_.begin() + static_cast<ptrdiff_t>(i));
          finish(ended);
        }
    }
    return total_;
  }

private:
  struct Worker {
    pid_t pid;
    int fd;
    uint64_t seed; ///< the one it is on
  };

  void start(uint64_t first) {
    int fds[2];
    if (pipe(fds) != 0)
      std::exit(2);
    const pid_t pid = fork();
    if (pid == 0) {
      close(fds[0]);
      const int code = runWorker(setup_, first, end_, jobs_, fds[1]);
      std::fflush(nullptr);
      _exit(code);
    }
    close(fds[1]);
    workers_.push_back({pid, fds[0], first});
  }

  /// False at the end of the worker's messages.
  bool read(Worker &worker) {
    Message message;
    if (::read(worker.fd, &message, sizeof message) != static_cast<ssize_t>(sizeof message))
      return false;
    worker.seed = message.seed;
    if (message.done)
      total_ += message.tally;
    if (message.done && ++tried_ % 64 == 0 && isatty(2))
      std::fprintf(stderr, "\r%llu of %llu", static_cast<unsigned long long>(tried_),
                   static_cast<unsigned long long>(count_));
    return true;
  }

  void finish(const Worker &worker) {
    close(worker.fd);
    int status = 0;
    waitpid(worker.pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    ++total_.kernels;
    if (!ranOutOfTime(status)) {
      report(setup_, worker.seed, "the worker died (status " + std::to_string(status) + ")",
             total_);
    } else if (runsOutOfTime(setup_, worker.seed, compilePlain)) { // without any pass of ours
      ++total_.skipped;
      std::fprintf(stderr, "seed %llu: skipped, LLVM does not finish the plain kernel\n",
                   static_cast<unsigned long long>(worker.seed));
    } else {
      report(setup_, worker.seed,
             "the melded code, or the search for who is wrong, is not finished in time", total_);
      runsOutOfTime(setup_, worker.seed, keepSeed);
    }
    if (worker.seed + jobs_ < end_)
      start(worker.seed + jobs_);
  }

  const Setup &setup_;
  const uint64_t end_, count_;
  const unsigned jobs_;
  uint64_t tried_ = 0;
  Tally total_;
  std::vector<Worker> workers_;
};

} // namespace

Tally runSeeds(const Setup &setup, uint64_t first, uint64_t count, unsigned jobs) {
  return Crew(setup, first, count, jobs).run();
}

} // namespace meld::fuzz
