// A remote store in a process of its own, for processes that are not ours.
//
//   libmeld.so, meld --- socket ---> meld-remote --- hiredis, libcurl ---> the server
//        request >                     one call at a time               < reply      (wire.h)
//
// Neither client library is ever loaded into an application: no global state of libcurl or OpenSSL, no
// signal handler, no name service plugin, no library that clashes with the application's own. The
// program is started by the first call, as meld-compile is (runtime/host/spawn.h): the application
// notices no child and shares no descriptor with it. The URL, which may hold a password, goes over the
// socket and not into the list of arguments.
//
// A program that is missing, dies, hangs, or answers nonsense costs an error within the limits and half
// a second (RemoteLimits::start more when it had to be started), and is started anew by the next
// call. After RemoteLimits::failures failures one behind the other the store is off for this
// object, with one line in the log. "Not there", a key that is none and "unsupported" are no
// failures. What is unsupported is logged once.
//
// Thread rule: as RemoteStore. The program ends with the thread that started it; a call on another
// thread starts another one.
#pragma once

#include "runtime/cache/remote/remote.h"
#include "runtime/host/program_channel.h"

#include <string>
#include <vector>

namespace meld {

/// meld-remote lies in `folder`, that of libmeld.so. Starts nothing and connects to nothing.
/// `environment` is the program's: to be read on a thread and at a time when the application does not
/// change it. Errors: badInput (no URL of a remote store).
Result<std::unique_ptr<RemoteStore>>
openRemoteProcess(const std::string &folder, std::string_view url, const RemoteLimits &limits = {},
                  std::vector<std::string> environment = environmentForPrograms());

} // namespace meld
