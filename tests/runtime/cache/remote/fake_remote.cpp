// Takes the place of meld-remote and does what FAKE_REMOTE says. FAKE_REMOTE_LOG, where set, is a file
// that gets a line for each start.
#include "runtime/cache/remote/wire.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace meld;
using namespace meld::remote;

namespace {

void write(const void *data, size_t size) {
  for (const char *at = static_cast<const char *>(data); size;) {
    const ssize_t sent = send(0, at, size, MSG_NOSIGNAL);
    if (sent <= 0)
      _exit(3);
    at += sent;
    size -= size_t(sent);
  }
}
void read(void *data, size_t size) {
  for (char *at = static_cast<char *>(data); size;) {
    const ssize_t got = recv(0, at, size, 0);
    if (got <= 0)
      _exit(3);
    at += got;
    size -= size_t(got);
  }
}
void answer(Answer what, const std::string &body = {}) {
  const ReplyHead head{kMagic, uint32_t(what), body.size()};
  write(&head, sizeof head);
  write(body.data(), body.size());
}

} // namespace

int main() {
  const char *set = std::getenv("FAKE_REMOTE");
  const std::string mode = set ? set : "";
  if (const char *log = std::getenv("FAKE_REMOTE_LOG"))
    if (FILE *file = std::fopen(log, "a")) {
      std::fputs("started\n", file);
      std::fclose(file);
    }
  if (mode == "exit")
    return 0;
  if (mode == "crash")
    raise(SIGSEGV);
  if (mode == "mute")
    for (;;)
      pause();
  if (mode == "deaf") // closes its end for reading: what is sent to it fails
    for (shutdown(0, SHUT_RD);;)
      pause();
  std::map<std::string, std::string> entries;
  for (;;) {
    RequestHead head{};
    read(&head, sizeof head);
    std::string key(head.keyBytes, '\0'), body(head.bodyBytes, '\0');
    read(key.data(), key.size());
    read(body.data(), body.size());
    if (Call(head.call) == Call::open) {
      if (mode == "unsupported")
        answer(Answer(unsigned(Answer::firstError) + unsigned(ErrorCode::unsupported)),
               "built without");
      else
        answer(Answer::yes);
      continue;
    }
    if (mode == "store") {
      if (Call(head.call) == Call::put)
        entries[key] = body;
      const bool there = entries.count(key);
      answer(there ? Answer::yes : Answer::no,
             Call(head.call) == Call::get && there ? entries[key] : "");
      continue;
    }
    ReplyHead reply{kMagic, uint32_t(Answer::yes), 0};
    if (mode == "magic")
      reply.magic ^= 1;
    else if (mode == "answer")
      reply.answer = 1000;
    else if (mode == "huge")
      reply.bodyBytes = ~uint64_t(0);
    else if (mode == "tooLarge")
      reply.bodyBytes = (uint64_t(64) << 20) + 1;
    else if (mode == "short" || mode == "promise" || mode == "trickle")
      reply.bodyBytes = 1000;
    else if (mode == "longMessage")
      reply.answer = uint32_t(Answer::firstError), reply.bodyBytes = kMostMessageBytes + 1;
    else if (mode == "controls") {
      answer(Answer(unsigned(Answer::firstError) + unsigned(ErrorCode::io)), "\x1b[2Jred\nalert");
      continue;
    } else if (mode == "bodyForPut") {
      answer(Answer::yes, "what for?");
      continue;
    }
    if (mode == "half") {
      write(&reply, sizeof reply / 2);
      return 0;
    }
    if (mode == "partOfHead")
      for (write(&reply, sizeof reply / 2);;)
        pause();
    write(&reply, sizeof reply);
    if (mode == "short") {
      write("abc", 3);
      return 0;
    }
    if (mode == "promise")
      for (;;)
        pause();
    if (mode == "trickle")
      for (;; usleep(20000))
        write("x", 1);
    if (mode == "endless")
      for (const std::string much(1 << 20, 'x');;)
        write(much.data(), much.size());
  }
}
