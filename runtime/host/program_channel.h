// The socket between an application that is not ours and a program that we start in it (spawn.h).
//
// Our end is closed in the child of a fork: it would keep the socket open after us, and the program
// would not notice our end. And it lies away from the numbers that applications use.
//
// Thread rule: openProgramChannel() and the environment on any thread; a channel on one at a time.
#pragma once

#include "runtime/host/descriptor.h"
#include "runtime/result.h"

#include <string>
#include <vector>

namespace meld {

/// Our end, known to closeProgramChannelsAfterFork() as long as it lives.
class ProgramChannel {
public:
  /// Errors: io.
  static Result<ProgramChannel> open();
  ProgramChannel() = default;
  ProgramChannel(ProgramChannel &&) noexcept = default;
  ProgramChannel &operator=(ProgramChannel &&other) noexcept;
  ~ProgramChannel();

  Descriptor ours;   ///< look at isStillOurs() before each use
  Descriptor theirs; ///< to be closed when the program has been started
};

/// In the child of a fork. Of more than 16 channels at a time, the child keeps the others' ends.
void closeProgramChannelsAfterFork() noexcept;

/// The environment of now for a program of ours: without what is meant for the application alone,
/// its preloaded libraries (ours among them) and our settings, which go another way.
std::vector<std::string> environmentForPrograms();

/// As execve() takes arguments and environment. The texts must outlive it.
std::vector<char *> pointersTo(const std::vector<std::string> &texts);

} // namespace meld
