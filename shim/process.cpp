#include "shim/process.h"

#include "runtime/cache/remote/process.h"
#include "runtime/engine/comgr_turns.h"
#include "runtime/engine/identity.h"
#include "runtime/host/confinement.h"
#include "runtime/host/leftovers.h"
#include "runtime/host/loaded_objects.h"
#include "runtime/host/program_channel.h"
#include "runtime/host/stderr.h"
#include "runtime/log/log.h"
#include "shim/adapt/measured_report.h"
#include "shim/adapt/program_record.h"
#include "shim/adapt/queue_hooks.h"
#include "shim/attach.h"

#include <cstdlib>
#include <pthread.h>

namespace meld {
namespace {

std::atomic<Process *> gProcess{nullptr};
std::atomic<bool> gFinished{false};

void inForkedChild() {
  if (Process *p = gProcess.load()) {
    p->passThrough = true;
    adapt::abandonQueues();
    p->engine->abandon();
    gFinished = true; // the report is the parent's
    closeProgramChannelsAfterFork();
  }
  log::silenceAfterFork();
}

} // namespace

Process *process() noexcept { return gProcess.load(std::memory_order_acquire); }

Process *startProcess() noexcept {
  if (secureMode())
    return nullptr;
  try {
    LoadedSettings loaded = loadSettings();
    log::configure(loaded.settings.logLevel, loaded.settings.logFile);
    for (const std::string &warning : loaded.warnings)
      log::warning(warning);
    if (loaded.settings.disable)
      return nullptr;
    rememberConfinement();
    auto p = std::make_unique<Process>();
    p->settings = loaded.settings;
    p->served.serveAll(p->settings.serve);
    EngineOptions options;
    options.settings = loaded.settings;
    options.libmeldPath = fileOfAddress(reinterpret_cast<const void *>(&startProcess));
    options.jitPath = folderOf(options.libmeldPath) + "/libmeld-jit.so";
    if (!secure_getenv("AMD_COMGR_SAVE_TEMPS")) // someone wants to look at them
      options.temporaryFolder = temporaryFolder();
    if (!options.settings.cacheRemote
             .empty()) // now: later the application may change its environment
      options.openRemote = [folder = folderOf(options.libmeldPath),
                            environment = environmentForPrograms()](const std::string &url) {
        return openRemoteProcess(folder, url, {}, environment);
      };
    // Once more, so that compiles are waited for before LLVM's global objects are destroyed.
    options.atExit = finishProcess;
    stopBeforeCompilerEnds(finishProcess);
    p->engine = std::make_unique<Engine>(std::move(options));
    gProcess.store(p.release(), std::memory_order_release);
    pthread_atfork(nullptr, nullptr, inForkedChild);
    std::atexit(finishProcess);
    return process();
  } catch (const std::exception &error) {
    log::warnOnce("start", "libmeld does nothing in this process: ", error.what());
  } catch (...) {
  }
  return nullptr;
}

void finishProcess() noexcept {
  Process *p = process();
  if (!p || gFinished.exchange(true))
    return;
  try {
    const bool chose = p->maker.active();
    p->maker.end();
    const bool served = !chose && p->settings.serve.empty() && p->served.active();
    if (chose || served)
      adapt::setProgramNeedsQueues(*p->engine, p->openQuestion || p->maker.openQuestions(), served);
    p->engine->finish(std::chrono::milliseconds(p->settings.exitWaitMs));
    const auto measured = p->maker.measured();
    if (p->settings.report)
      writeToStderr(p->report.text() + adapt::measuredText(measured, loadedTotals()));
    else if (const std::string line = adapt::measuredLine(measured); !line.empty())
      log::info(line);
  } catch (...) {
  }
}

} // namespace meld
