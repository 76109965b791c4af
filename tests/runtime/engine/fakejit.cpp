// A libmeld-jit.so for tests. FAKEJIT_MODE says what it does; every compile appends its
// ISA and its object's size to FAKEJIT_LOG, a line each, then waits for the file FAKEJIT_GATE where
// one is named. Mode "from": the code in FAKEJIT_FROM-<processor>; with FAKEJIT_RECIPE only for versions of
// that kind, with FAKEJIT_FACTS as what they depend on. FAKEJIT_PLAIN_MS is what it says
// comgr alone would take. FAKEJIT_OPENS: it is being loaded for as long as that file is there, and makes
// FAKEJIT_OPENS-began before it waits.
#include "jit/api.h"
#include "runtime/codeobject/codeobject.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace meld;

namespace {

std::string variable(const char *name, const char *fallback) {
  const char *value = getenv(name);
  return value ? value : fallback;
}

__attribute__((constructor)) void opens() {
  const std::string held = variable("FAKEJIT_OPENS", "");
  if (held.empty())
    return;
  std::ofstream(held + "-began").put('.');
  while (access(held.c_str(), F_OK) == 0)
    usleep(1000);
}

struct Holder {
  Bytes bytes;
  std::string reason, json;
};

/// The file FAKEJIT_FROM-<processor>; empty: there is none.
Bytes codeFromFile(const std::string &isa) {
  const size_t at = isa.find("gfx");
  const std::string processor = isa.substr(at, isa.find(':') - at);
  std::ifstream file(variable("FAKEJIT_FROM", "") + "-" + processor, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the passes are told under this key; "" when nothing.
std::string told(const MeldJitRequest &request, const std::string &key) {
  const std::string text = std::string(";") + request.passOptions + ";";
  const size_t at = text.find(";" + key + "=");
  if (at == std::string::npos)
    return "";
  const size_t from = at + key.size() + 2;
  return text.substr(from, text.find(';', from) - from);
}

unsigned meldings(const MeldJitRequest &request) {
  return unsigned(std::stoul("0" + told(request, "meldings")));
}

/// FAKEJIT_KERNEL and FAKEJIT_MELDING: only this kernel is wrong, from this melding on.
bool wanted(const MeldJitRequest &request) {
  const std::string kernel = variable("FAKEJIT_KERNEL", ""), include = told(request, "include");
  const unsigned melding = unsigned(std::stoul(variable("FAKEJIT_MELDING", "0")));
  return (include.empty() || include.find(kernel) != std::string::npos) &&
         (!meldings(request) || meldings(request) >= melding);
}

/// Seven meldings of FAKEJIT_KERNEL, as far as they are asked for.
std::string decisions(const MeldJitRequest &request) {
  std::string list;
  for (unsigned k = 1; k <= 7 && (!meldings(request) || k <= meldings(request)); ++k)
    list +=
        (k > 1 ? "," : "") +
        std::string(R"({"pass":"cfm","point":"early","melded":true,"reason":"all","location":")") +
        "file.hip:" + std::to_string(k) + R"("})";
  return R"({"facts":")" + variable("FAKEJIT_FACTS", "") + R"(","kernels":[{"name":")" +
         variable("FAKEJIT_KERNEL", "kernel") + R"(","decisions":[)" + list + "]}]}";
}

/// One that this library does not catch itself.
struct NotCaught : std::bad_alloc {};

/// What a process was given, for tests of one that was made to compile.
std::string surroundings() {
  std::string text = "descriptors";
  for (int fd = 0; fd < 4096; ++fd)
    if (fcntl(fd, F_GETFD) >= 0)
      text += " " + std::to_string(fd);
  text += "; signals";
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (!sigaction(number, nullptr, &action) && action.sa_handler != SIG_DFL)
      text += " " + std::to_string(number);
    if (sigismember(&blocked, number) == 1)
      text += " blocked " + std::to_string(number);
  }
  text += "; variables";
  for (char **variable = environ; *variable; ++variable)
    for (std::string_view begin : {"LD_PRELOAD=", "MELD_", "HSA_TOOLS_", "FAKEJIT_MODE="})
      if (std::string_view(*variable).starts_with(begin))
        text += " " + std::string(*variable);
  rlimit memory{}, time{}, core{};
  getrlimit(RLIMIT_AS, &memory);
  getrlimit(RLIMIT_CPU, &time);
  getrlimit(RLIMIT_CORE, &core);
  text += "; limits " + std::to_string(memory.rlim_cur) + " " + std::to_string(time.rlim_cur) +
          " " + std::to_string(core.rlim_cur);
  return text + "; leads its session " + std::to_string(getsid(0) == getpid());
}

/// Things that no application survives; for a process of the compiler's own.
void misbehave(const std::string &mode) {
  if (mode == "crash")
    raise(SIGSEGV);
  if (mode == "abort")
    std::abort();
  if (mode == "exit")
    std::exit(0);
  if (mode == "nonsense")
    (void)!write(0, "MELDnonsense that is longer than a header", 41);
  if (mode == "huge") { // a header that promises more than there may be
    const uint64_t header[] = {0x3'4d454c44, ~uint64_t(0)};
    (void)!write(0, header, sizeof header);
  }
  if (mode == "mute")
    shutdown(0, SHUT_RDWR);
  if (mode == "stop")
    raise(SIGSTOP);
  volatile unsigned turns = 0;
  while (mode == "spin")
    turns = turns + 1;
  static std::vector<Bytes> held;
  while (mode == "eatMemory")
    held.emplace_back(size_t(1) << 26, uint8_t(1));
}

std::mutex gLock;
std::map<MeldJitReply *, std::unique_ptr<Holder>> gHolders;

} // namespace

extern "C" {

int meld_jit_compile(const MeldJitRequest *request, MeldJitReply *reply) try {
  if (request->abi != MELD_JIT_ABI || variable("FAKEJIT_MODE", "") == "refuse")
    return MELD_JIT_FAILED;
  std::string log = variable("FAKEJIT_LOG", ""), mode = variable("FAKEJIT_MODE", "replace");
  std::string gate = variable("FAKEJIT_GATE", "");
  if (!log.empty()) {
    std::string line = std::string(request->isa) + " " + std::to_string(request->size) + "\n";
    int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)!write(fd, line.data(), line.size());
    close(fd);
  }
  while (!gate.empty() && access(gate.c_str(), F_OK) != 0)
    usleep(1000);
  const std::string pidFile = variable("FAKEJIT_PIDFILE", "");
  if (!pidFile.empty()) {
    const std::string number = std::to_string(getpid());
    const int fd = open((pidFile + ".new").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)!write(fd, number.data(), number.size());
    close(fd);
    rename((pidFile + ".new").c_str(), pidFile.c_str());
  }
  misbehave(mode);
  if (mode == "throw")
    throw std::runtime_error("fake: thrown");
  if (mode == "noMemory")
    throw NotCaught();
  while (mode == "endless") // nothing stops it; there is no meld_jit_cancel here either
    usleep(1000);
  if (request->plainTakes)
    if (const char *plain = getenv("FAKEJIT_PLAIN_MS"))
      request->plainTakes(request->context, std::stod(plain),
                          std::stod(variable("FAKEJIT_REST_MS", "0")));
  usleep(1000 * std::stoi(variable("FAKEJIT_DELAY_MS", "0")));
  auto holder = std::make_unique<Holder>();
  const auto *from = static_cast<const uint8_t *>(request->codeObject);
  holder->bytes.assign(from, from + request->size);
  holder->json = R"({"kernels":[{"name":"kernel","decisions":[]}]})";
  auto elf = Elf::parse(holder->bytes);
  if (mode == "replace" && elf)
    holder->bytes[elf->section(".text")->offset] ^= 0x55; // other code, the same resources
  if (mode == "gate" && elf)                              // a descriptor that asks for more scratch
    for (size_t i = 0; i < 4; ++i)
      holder->bytes[elf->section(".rodata")->offset + 4 + i] = i == 1;
  const std::string recipe = variable("FAKEJIT_RECIPE", "");
  if (mode == "from" && !recipe.empty() && recipe != request->recipe)
    mode = "unchanged";
  if (mode == "from" && wanted(*request))
    holder->bytes = codeFromFile(request->isa);
  if (mode == "from")
    holder->json = decisions(*request);
  if (mode == "garbage")
    holder->bytes.assign(100, 'x');
  reply->status = mode == "unchanged" ? MELD_JIT_UNCHANGED
                  : mode == "fail" || mode == "failForever" || mode == "surroundings"
                      ? MELD_JIT_FAILED
                      : MELD_JIT_REPLACED;
  reply->permanent = mode == "failForever";
  if (reply->status != MELD_JIT_REPLACED)
    holder->reason = mode == "surroundings" ? surroundings() : "fake: " + mode;
  if (mode == "empty")
    holder->bytes.clear();
  reply->bytes = holder->bytes.data();
  reply->size = holder->bytes.size();
  reply->reason = holder->reason.c_str();
  reply->json = holder->json.c_str();
  std::lock_guard guard(gLock);
  gHolders[reply] = std::move(holder);
  return reply->status;
} catch (const NotCaught &) {
  throw;
} catch (const std::bad_alloc &) { // as the real one does
  *reply = {};
  return reply->status = MELD_JIT_FAILED;
}

void meld_jit_release(MeldJitReply *reply) {
  std::lock_guard guard(gLock);
  gHolders.erase(reply);
  *reply = {};
}

const char *meld_jit_version(void) { return "fakejit 1"; }
}
