#include "shim/cli/launch.h"

#include "runtime/cache/directory.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace meld::cli {

bool usesSoftwareGpu(const std::string &device) {
  return device == "software" || (device == "auto" && ::access("/dev/kfd", R_OK | W_OK) != 0);
}

Result<Environment> runEnvironment(bool software, bool plain) {
  const Install install = findInstall();
  Environment environment;
  std::vector<std::string> preload;
  if (plain) {
    environment.emplace_back("MELD_DISABLE", "1"); // also for a libmeld.so that the user preloads
  } else {
    if (install.libmeld.empty())
      return fail(ErrorCode::notFound, "libmeld.so is not in ../lib/libmeld of this program");
    preload.push_back(install.libmeld);
  }
  if (software) {
    if (install.softgpu.empty())
      return fail(ErrorCode::notFound,
                  "libmeld-softgpu.so is not in ../lib/libmeld of this program");
    preload.push_back(install.softgpu);
  }
  for (const std::string &library : preload)
    if (library.find_first_of(" :") != std::string::npos)
      return fail(ErrorCode::unsupported,
                  "LD_PRELOAD cannot hold the path '" + library + "' (space or colon)");
  if (const char *user = std::getenv("LD_PRELOAD"); user && *user)
    preload.push_back(user);
  std::string joined;
  for (const std::string &library : preload)
    joined += (joined.empty() ? "" : " ") + library;
  if (!joined.empty())
    environment.emplace_back("LD_PRELOAD", joined);
  return environment;
}

int execute(const Environment &environment, std::vector<std::string> command) {
  for (const auto &[name, value] : environment)
    ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char *> argv;
  for (std::string &word : command)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  return complain(errnoText(command[0], error), error == ENOENT ? 127 : 126);
}

int runAndWait(const Environment &environment, const std::vector<std::string> &command,
               bool quiet) {
  struct sigaction ignore {
  }, interrupt{}, quit{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &interrupt);
  ::sigaction(SIGQUIT, &ignore, &quit);
  const pid_t child = ::fork();
  if (child == 0) {
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGQUIT, &quit, nullptr);
    if (const int null = quiet ? ::open("/dev/null", O_RDWR | O_CLOEXEC) : -1; null >= 0) {
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
    }
    ::_exit(execute(environment, command));
  }
  int status = 126 << 8;
  if (child < 0)
    complain(errnoText("fork", errno));
  else
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  const int result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ::sigaction(SIGINT, &interrupt, nullptr);
  ::sigaction(SIGQUIT, &quit, nullptr);
  return result;
}

std::string absolutePath(const std::string &path) {
  if (path.empty() || path[0] == '/')
    return path;
  char *folder = ::getcwd(nullptr, 0);
  std::string out = (folder ? std::string(folder) : ".") + "/" + path;
  std::free(folder);
  return out;
}

} // namespace meld::cli
