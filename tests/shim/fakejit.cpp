// A libmeld-jit.so for tests. FAKEJIT_MODE says what it does; every compile appends its
// ISA and its object's size to FAKEJIT_LOG, a line each, then waits for the file FAKEJIT_GATE where
// one is named. Mode "from": the code in FAKEJIT_FROM-<processor>.
#include "jit/api.h"
#include "runtime/codeobject/codeobject.h"

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace meld;

namespace {

std::string variable(const char *name, const char *fallback) {
  const char *value = getenv(name);
  return value ? value : fallback;
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

/// One that this library does not catch itself.
struct NotCaught : std::bad_alloc {};

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
  if (mode == "throw")
    throw std::runtime_error("fake: thrown");
  if (mode == "noMemory")
    throw NotCaught();
  while (mode == "endless") // nothing stops it; there is no meld_jit_cancel here either
    usleep(1000);
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
  if (mode == "from")
    holder->bytes = codeFromFile(request->isa);
  if (mode == "garbage")
    holder->bytes.assign(100, 'x');
  reply->status = mode == "unchanged"                       ? MELD_JIT_UNCHANGED
                  : mode == "fail" || mode == "failForever" ? MELD_JIT_FAILED
                                                            : MELD_JIT_REPLACED;
  reply->permanent = mode == "failForever";
  if (reply->status != MELD_JIT_REPLACED)
    holder->reason = "fake: " + mode;
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
