#include "jit/exit_order.h"

#include "jit/comgr.h"
#include "runtime/host/exit_handlers.h"
#include "runtime/host/loaded_objects.h"

#include <cstdlib>

namespace meld::jit {

namespace {

/// The compiler's libraries, and this one.
bool compilesHere(const dl_phdr_info &object) {
  if (isCompilerLibrary(object.dlpi_name ? object.dlpi_name : ""))
    return true;
  return holds(object, reinterpret_cast<const void *>(&compilesHere));
}

} // namespace

void runBeforeExitHandlers(void (*stop)()) {
  // What comgr's own global objects need is registered when it is loaded: before `stop` is.
  if (auto comgr = Comgr::get(); !comgr)
    llvm::consumeError(comgr.takeError()); // a compile will say so
  runBeforeExitHandlersOf(compilesHere, stop);
  // Last: what others registered before the line above runs after this.
  std::atexit(stop);
}

} // namespace meld::jit
