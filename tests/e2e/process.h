// Runs a program with extra environment and collects what it printed; a fresh folder per test.
#pragma once

#include "tests/sanitizer.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace meld::e2e {

struct Outcome {
  int exitCode = -1; ///< as a shell reports it: 128 + signal
  bool timedOut = false;
  std::string out, err;
};

/// Environment variables starting with MELD_ or HSA_ and LD_PRELOAD of the caller are not
/// inherited.
inline Outcome run(const std::vector<std::string> &argv,
                   const std::map<std::string, std::string> &environment = {},
                   int timeoutSeconds = 120) {
  int out[2], err[2];
  Outcome o;
  if (pipe(out) != 0 || pipe(err) != 0)
    return o;
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (int fd : {out[0], out[1], err[0], err[1]})
      close(fd);
    std::vector<std::string> drop;
    for (char **e = environ; *e; ++e) {
      const std::string entry = *e;
      if (entry.rfind("MELD_", 0) == 0 || entry.rfind("HSA_", 0) == 0 ||
          entry.rfind("LD_PRELOAD=", 0) == 0)
        drop.push_back(entry.substr(0, entry.find('=')));
    }
    for (const auto &name : drop)
      unsetenv(name.c_str());
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    const auto libraries = environment.find("LD_PRELOAD");
    for (const auto &[name, value] :
         test::preloaded(libraries == environment.end() ? "" : libraries->second))
      setenv(name.c_str(), value.c_str(), 1);
    std::vector<char *> args;
    for (const auto &a : argv)
      args.push_back(const_cast<char *>(a.c_str()));
    args.push_back(nullptr);
    execvp(args[0], args.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(test::patience(timeoutSeconds));
  pollfd fds[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  for (int open = 2; open > 0;) {
    if (std::chrono::steady_clock::now() > deadline) {
      o.timedOut = true;
      kill(-pid, SIGKILL);
      break;
    }
    if (poll(fds, 2, 200) <= 0)
      continue;
    for (int k = 0; k < 2; ++k) {
      if (fds[k].fd < 0 || !fds[k].revents)
        continue;
      char buffer[8192];
      const ssize_t n = read(fds[k].fd, buffer, sizeof buffer);
      if (n > 0) {
        (k ? o.err : o.out).append(buffer, static_cast<size_t>(n));
      } else {
        fds[k].fd = -1;
        --open;
      }
    }
  }
  close(out[0]);
  close(err[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  o.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return o;
}

/// An empty folder that goes away with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "meld-e2e-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// Under libmeld and the software GPU, versions tried by modelled times, so that every run is the
/// same; cache and counters lie in the folder. `lib`: where the libraries are.
inline std::map<std::string, std::string> measuredChoice(const std::string &lib,
                                                         const TemporaryFolder &folder) {
  return {{"LD_PRELOAD", lib + "/libmeld.so:" + lib + "/libmeld-softgpu.so"},
          {"MELD_CACHE_DIR", folder / "cache"},
          {"MELD_LOG_LEVEL", "info"},
          {"MELD_REPORT", "1"},
          {"MELD_ADAPT", "on"},
          {"MELD_COUNTERS", folder / "counters"},
          {"MELD_GPU_TIMING", "1"},
          {"MELD_GPU_CUS", "4"},
          {"MELD_COMPILE_BUDGET_MS", "0"}};
}

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

} // namespace meld::e2e
