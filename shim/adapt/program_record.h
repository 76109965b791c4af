// Does a program need queues whose packets pass through us? A process has to know before its first
// code object is there, so the one before it tells:
//
//   no record               -> yes: what it launches has never been seen
//   a process ended with    -> no: known winners are served (serve.h), a launch costs what it costs
//   nothing left to find out   without us
//   a process without such  -> yes, from the next one on
//   queues found an object
//   that nothing is known of
//   1, later 2, 4, 8, 16    -> yes, for one process: with other data the winner may be the slower
//   processes without           one, and without queues nobody would see it
//
// A program is its main executable (build id). Programs of an interpreter share a record; what that
// costs is a look at each packet, or a choice that comes one run later.
//
// Thread rule: any thread.
#pragma once

#include "runtime/engine/engine.h"

namespace meld::adapt {

bool programNeedsQueues(Engine &engine);
/// At the end of a process. `served`: this one had none.
void setProgramNeedsQueues(Engine &engine, bool needed, bool served);

} // namespace meld::adapt
