// Hooks never let an exception out, call the previous entry exactly once for what the application
// asked for, and hold no lock while they do. Whatever goes wrong on our side, the application's own
// call is made with its own arguments.
#include "shim/hooks.h"

#include "runtime/engine/comgr_turns.h"
#include "runtime/engine/known_profile.h"
#include "runtime/engine/side_bitcode.h"
#include "runtime/host/new_file.h"
#include "runtime/log/log.h"
#include "runtime/read.h"
#include "shim/adapt/known_verdicts.h"
#include "shim/adapt/program_record.h"
#include "shim/adapt/queue_hooks.h"
#include "shim/adapt/retired.h"
#include "shim/naming.h"
#include "shim/own_calls.h"
#include "shim/process.h"
#include "shim/replace.h"
#include "shim/rocr_order.h"
#include "shim/verify/allocations.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace meld {
namespace {

using Clock = std::chrono::steady_clock;
using CreateWithOffset =
    decltype(hsa_ven_amd_loader_1_03_pfn_t::
                 hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size);

constexpr uint64_t kMaxFile = uint64_t(4) << 30;

struct Previous : RocrEntries {
  decltype(CoreApiTable::hsa_code_object_reader_create_from_file_fn) createFromFile;
  decltype(CoreApiTable::hsa_executable_symbol_get_info_fn) symbolInfo;
  decltype(CoreApiTable::hsa_system_get_extension_table_fn) extensionTable;
  decltype(CoreApiTable::hsa_system_get_major_extension_table_fn) majorExtensionTable;
};

Previous gPrevious{};
CoreApiTable *gTable = nullptr;
Process *gProcess = nullptr;
std::atomic<CreateWithOffset> gCreateWithOffset{nullptr};

/// True on the outermost entry only: what our own work calls (through other tools, perhaps) is
/// passed on untouched.
class Entry {
public:
  Entry() {
    nowMine(&gProcess);
    if (!inOwnCalls() && !gProcess->passThrough.load(std::memory_order_relaxed))
      inside_.emplace();
  }
  explicit operator bool() const { return inside_.has_value(); }

private:
  std::optional<OwnCalls> inside_;
};

void countPassedThrough(uint64_t size) {
  gProcess->report.add({});
  if (log::enabled(log::Level::info))
    log::info("code object of " + std::to_string(size) + " bytes without bitcode: passed through");
}

/// HIP has loaded comgr before it makes its first reader, and this thread is in no action now. Where each
/// compile has a process of its own, nothing runs beside comgr here.
void watchComgrForCompiles() noexcept {
  if (gProcess->settings.compiler == "process")
    return;
  watchComgrFromHook();
  // Exit handlers run newest first, and comgr has registered those that end LLVM by now: the
  // compiler's thread is stopped before them, also where it is still opening the compiler
  // (jit/exit_order.h comes with that).
  static std::atomic<bool> registered{false};
  if (comgrIsWatched() && !registered.exchange(true))
    std::atexit(finishProcess);
}

/// An object without bitcode, for which MELD_BITCODE_PATH has some. What is remembered is the object with
/// it; what HIP loads where nothing replaces it is still its own.
bool rememberWithSideBitcode(ByteView object, hsa_code_object_reader_t reader) {
  auto with = withSideBitcode(object, gProcess->settings.bitcodePath);
  if (!with)
    return false;
  auto source = std::make_shared<ReaderSource>();
  source->owned = std::move(*with);
  source->view = source->owned;
  gProcess->objects.addReader(reader, std::move(source));
  return true;
}

// ---- readers
// -------------------------------------------------------------------------------------------------------

hsa_status_t createFromMemory(const void *bytes, size_t size,
                              hsa_code_object_reader_t *reader) noexcept {
  hsa_status_t status = gPrevious.createFromMemory(bytes, size, reader);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (Entry entry; entry) {
    watchComgrForCompiles();
    try {
      ByteView view(static_cast<const uint8_t *>(bytes), size);
      if (hasBitcode(view))
        gProcess->objects.addReader(*reader,
                                    std::make_shared<ReaderSource>(ReaderSource{view, {}}));
      else if (!rememberWithSideBitcode(view, *reader))
        countPassedThrough(size);
    } catch (...) {
    }
  }
  return status;
}

struct FileRange {
  int fd;
  uint64_t start;
};

bool readRange(void *context, uint64_t offset, void *to, size_t size) {
  const auto &range = *static_cast<FileRange *>(context);
  return readAll(range.fd, to, size, off_t(range.start + offset)) == ssize_t(size);
}

/// The application may close or truncate the file once the reader exists, so the bytes are copied
/// now; but only when there is bitcode, which takes three short reads to find out, or may be some beside.
void rememberFile(int fd, uint64_t offset, uint64_t size, hsa_code_object_reader_t reader) {
  watchComgrForCompiles();
  FileRange range{fd, offset};
  const bool has = size <= kMaxFile && hasBitcode(size, readRange, &range);
  if (!has && (size > kMaxFile || gProcess->settings.bitcodePath.empty()))
    return countPassedThrough(size);
  auto source = std::make_shared<ReaderSource>();
  source->owned.resize(size);
  if (!readRange(&range, 0, source->owned.data(), size))
    return;
  source->view = source->owned;
  if (has)
    gProcess->objects.addReader(reader, std::move(source));
  else if (!rememberWithSideBitcode(source->view, reader))
    countPassedThrough(size);
}

hsa_status_t createFromFile(hsa_file_t file, hsa_code_object_reader_t *reader) noexcept {
  hsa_status_t status = gPrevious.createFromFile(file, reader);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (Entry entry; entry) {
    try {
      struct stat info;
      if (!::fstat(file, &info) && S_ISREG(info.st_mode))
        rememberFile(file, 0, info.st_size, *reader);
    } catch (...) {
    }
  }
  return status;
}

hsa_status_t createFromFileRange(hsa_file_t file, size_t offset, size_t size,
                                 hsa_code_object_reader_t *reader) noexcept {
  hsa_status_t status = gCreateWithOffset.load()(file, offset, size, reader);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (Entry entry; entry) {
    try {
      rememberFile(file, offset, size, *reader);
    } catch (...) {
    }
  }
  return status;
}

hsa_status_t destroyReader(hsa_code_object_reader_t reader) noexcept {
  // Before the call: afterwards the handle may be another thread's new reader.
  if (Entry entry; entry) {
    try {
      gProcess->objects.dropReader(reader);
    } catch (...) {
    }
  }
  return gPrevious.destroyReader(reader);
}

// ---- loading
// -------------------------------------------------------------------------------------------------------

/// The log's and the report's line about one load.
void tell(Decision &decision, size_t size, Clock::time_point start) noexcept {
  try {
    if (decision.outcome == Outcome::replaced && log::enabled(log::Level::info)) {
      std::string names;
      for (const std::string &kernel : decision.kernels)
        names += (names.empty() ? "" : ", ") + kernel;
      log::info("replaced code object for " + decision.isa + " (" + sourceName(decision.source) +
                "): " + names);
    }
    ReportLine line;
    line.outcome = decision.outcome;
    line.source = decision.source;
    line.isa = std::move(decision.isa);
    line.reason = std::move(decision.reason);
    line.kernels = std::move(decision.kernels);
    line.bytes = size;
    line.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    gProcess->report.add(std::move(line));
  } catch (...) {
  }
}

/// Are kernels run as versions that are loaded beside the original, which is loaded as it is?
bool versionsAreUsed() {
  return (gProcess->served.active() || gProcess->maker.active()) && !gProcess->settings.observe;
}

/// Loads the original and, where it has any, prepares its versions.
hsa_status_t loadWithVersions(hsa_executable_t executable, hsa_agent_t agent,
                              hsa_code_object_reader_t reader, const ReaderSource &source,
                              const char *options, hsa_loaded_code_object_t *loaded,
                              const KernelRecipes *recipes = nullptr) {
  const auto start = Clock::now();
  const hsa_status_t status = gPrevious.load(executable, agent, reader, options, loaded);
  if (status == HSA_STATUS_SUCCESS) {
    try {
      Decision decision;
      decision.outcome = Outcome::beside;
      if (recipes)
        gProcess->served.loaded(executable, agent, source.view, *gProcess->engine, *recipes);
      else if (gProcess->served.active())
        gProcess->served.loaded(executable, agent, source.view, *gProcess->engine);
      else
        gProcess->maker.loaded(executable, agent, source.view);
      tell(decision, source.view.size(), start);
    } catch (...) {
      log::warnOnce("versions", "internal error, original code is used");
    }
  }
  return status;
}

/// For meld profile: the code objects that the program loads, by what a profile knows them by.
void keepForProfile(ByteView source) {
  const std::string &folder = gProcess->settings.profileDir;
  if (folder.empty())
    return;
  const std::string_view bytes(reinterpret_cast<const char *>(source.data()), source.size());
  if (auto kept = writeWholePath(folder + "/" + profiledHash(source) + ".co", bytes); !kept)
    log::warnOnce("profile-dir", "no profile will be written: ", kept.error().message);
}

/// Where a profile says that most of the object's code never runs: the original, and versions of the
/// kernels that do run. Nothing: the object is to be compiled as a whole.
std::optional<KernelRecipes> profiledVersions(ByteView source) {
  const Settings &settings = gProcess->settings;
  if (settings.observe || settings.verifyRuns || !gPrevious.symbolInfo || !canLoadVersions(*gTable))
    return std::nullopt;
  return gProcess->engine->profiledVersions(source);
}

/// Under verification, and with MELD_SERVE: each kernel's version will be run beside the original.
void verifyVersions(hsa_executable_t executable, hsa_agent_t agent, ByteView source) {
  const auto original = CodeObject::parse(source);
  if (!original || !canLoadVersions(*gTable))
    return;
  for (VersionBeside &version : versionsBeside(gProcess->settings.serve, *gTable, agent, source,
                                               *original, *gProcess->engine))
    gProcess->sides.remember(executable, agent, source, std::move(version));
}

/// True when a replacement was loaded, and so the call is served. Under verification the original
/// is, and its replacement will be run beside it.
bool loadReplacement(hsa_executable_t executable, hsa_agent_t agent, const ReaderSource &source,
                     const char *options, hsa_loaded_code_object_t *loaded) {
  auto start = Clock::now();
  if (gProcess->settings.verifyRuns && !gProcess->settings.serve.empty()) {
    verifyVersions(executable, agent, source.view);
    return false;
  }
  Decision decision;
  if (gProcess->settings.observe)
    decision.outcome = Outcome::disabled;
  else
    decision = gProcess->engine->decide(source.view);
  const bool beside = decision.replacement && gProcess->settings.verifyRuns;
  if (beside)
    gProcess->sides.remember(executable, agent, source.view, decision.replacement);
  bool done = decision.replacement && !beside &&
              tryReplacement(gPrevious, *gProcess, executable, agent, decision, options, loaded) ==
                  HSA_STATUS_SUCCESS;
  tell(decision, source.view.size(), start);
  return done;
}

hsa_status_t loadAgentCodeObject(hsa_executable_t executable, hsa_agent_t agent,
                                 hsa_code_object_reader_t reader, const char *options,
                                 hsa_loaded_code_object_t *loaded) noexcept {
  if (Entry entry; entry) {
    try {
      auto source = gProcess->objects.findReader(reader);
      if (source)
        keepForProfile(source->view);
      if (source && versionsAreUsed())
        return loadWithVersions(executable, agent, reader, *source, options, loaded);
      if (source && !gProcess->settings.profile.empty()) {
        if (const auto recipes = profiledVersions(source->view))
          return loadWithVersions(executable, agent, reader, *source, options, loaded, &*recipes);
        gProcess->served.noteObject(executable);
      }
      if (source && loadReplacement(executable, agent, *source, options, loaded))
        return HSA_STATUS_SUCCESS;
    } catch (...) {
      log::warnOnce("load", "internal error, original code is used");
    }
  }
  return gPrevious.load(executable, agent, reader, options, loaded);
}

hsa_status_t freeze(hsa_executable_t executable, const char *options) noexcept {
  hsa_status_t status = gPrevious.freeze(executable, options);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (Entry entry; entry) {
    try {
      nameKernels(*gTable, executable, gProcess->objects.replacedKernels(executable));
      gProcess->sides.frozen(executable, gPrevious);
      gProcess->served.frozen(executable, *gTable, *gProcess->engine, gProcess->report);
      if (gProcess->maker.active())
        gProcess->maker.frozen(executable);
    } catch (...) {
    }
  }
  return status;
}

hsa_status_t destroyExecutable(hsa_executable_t executable) noexcept {
  Entry entry;
  if (!entry)
    return gPrevious.destroyExecutable(executable);
  std::vector<LoadedReplacement> replacements;
  std::vector<LoadedVersion> versions, chosen;
  // One by one: what fails for want of memory keeps nothing else from being done.
  const auto attempt = [](auto &&what) {
    try {
      what();
    } catch (...) {
    }
  };
  attempt([&] { versions = gProcess->served.take(executable); });
  attempt([&] { chosen = gProcess->maker.take(executable); });
  attempt([&] { replacements = gProcess->objects.takeExecutable(executable); });
  attempt([&] { gProcess->sides.forget(executable, gPrevious); });
  attempt([&] {
    // Otherwise a launch of one may begin: they stay, and so do their bytes.
    if (adapt::releaseExecutable(executable))
      adapt::retiredVersions().add(chosen);
  });
  hsa_status_t status = gPrevious.destroyExecutable(executable);
  for (const LoadedReplacement &replacement : replacements)
    gPrevious.destroyReader(replacement.reader);
  for (const LoadedVersion &version : versions)
    unloadVersion(*gTable, version);
  try {
    if (!chosen.empty())
      new std::vector<LoadedVersion>(std::move(chosen));
    for (const LoadedVersion &version : adapt::retiredVersions().takeOver())
      unloadVersion(*gTable, version);
  } catch (...) {
  }
  return status;
}

/// Where the host learns what it will launch.
hsa_status_t symbolInfo(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what,
                        void *value) noexcept {
  const hsa_status_t status = gPrevious.symbolInfo(symbol, what, value);
  if (status != HSA_STATUS_SUCCESS || what != HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT)
    return status;
  if (Entry entry; entry) {
    uint64_t object;
    std::memcpy(&object, value, sizeof object);
    object = gProcess->served.served(object);
    std::memcpy(value, &object, sizeof object);
  }
  return status;
}

// ---- the loader extension
// ------------------------------------------------------------------------------------------

void patchLoaderTable(uint16_t extension, size_t length, void *table) noexcept {
  constexpr size_t offset =
      offsetof(hsa_ven_amd_loader_1_03_pfn_t,
               hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size);
  if (extension != HSA_EXTENSION_AMD_LOADER || !table || length < offset + sizeof(CreateWithOffset))
    return;
  CreateWithOffset found;
  std::memcpy(&found, static_cast<char *>(table) + offset, sizeof(found));
  if (!found || found == createFromFileRange)
    return;
  gCreateWithOffset = found;
  CreateWithOffset ours = createFromFileRange;
  std::memcpy(static_cast<char *>(table) + offset, &ours, sizeof(ours));
}

hsa_status_t extensionTable(uint16_t extension, uint16_t major, uint16_t minor,
                            void *table) noexcept {
  hsa_status_t status = gPrevious.extensionTable(extension, major, minor, table);
  // This older call has no length: the version says how far the table goes.
  if (status == HSA_STATUS_SUCCESS && major == 1 && minor >= 2)
    patchLoaderTable(extension, sizeof(hsa_ven_amd_loader_1_02_pfn_t), table);
  return status;
}

hsa_status_t majorExtensionTable(uint16_t extension, uint16_t major, size_t length,
                                 void *table) noexcept {
  hsa_status_t status = gPrevious.majorExtensionTable(extension, major, length, table);
  if (status == HSA_STATUS_SUCCESS && major == 1)
    patchLoaderTable(extension, length, table);
  return status;
}

/// All entries that are always replaced, in one place: the field of the table, the place of the
/// previous pointer, our function.
template <class Visit> void forEachEntry(CoreApiTable &t, Visit &&visit) {
  visit(t.hsa_code_object_reader_create_from_memory_fn, gPrevious.createFromMemory,
        createFromMemory);
  visit(t.hsa_code_object_reader_create_from_file_fn, gPrevious.createFromFile, createFromFile);
  visit(t.hsa_code_object_reader_destroy_fn, gPrevious.destroyReader, destroyReader);
  visit(t.hsa_executable_load_agent_code_object_fn, gPrevious.load, loadAgentCodeObject);
  visit(t.hsa_executable_freeze_fn, gPrevious.freeze, freeze);
  visit(t.hsa_executable_destroy_fn, gPrevious.destroyExecutable, destroyExecutable);
  visit(t.hsa_system_get_extension_table_fn, gPrevious.extensionTable, extensionTable);
  visit(t.hsa_system_get_major_extension_table_fn, gPrevious.majorExtensionTable,
        majorExtensionTable);
}

/// With MELD_ADAPT=on versions are made, and the packets of queues pass through us. On a software
/// GPU without modelled time nothing can be measured: what is decided at load runs, as with
/// `static`.
void chooseAtLaunch(HsaApiTable &table, Process &process) noexcept {
  const Settings &settings = process.settings;
  if (settings.adapt != "on" || process.passThrough || settings.observe || settings.verifyRuns ||
      process.served.active())
    return;
  const bool software = onSoftwareGpu();
  if (software && !settings.gpuTiming)
    return log::debug("without MELD_GPU_TIMING nothing is measured: as with MELD_ADAPT=static");
  const CoreApiTable &core = *table.core_;
  if (!canLoadVersions(core))
    return log::warning("ROCr's tables are too old for versions: nothing is chosen at a launch");
  try {
    if (!adapt::programNeedsQueues(*process.engine)) {
      log::debug("all is known of this program: no launch is looked at");
      process.served.serve(adapt::servedByVerdicts(core, *process.engine, process.openQuestion));
      return;
    }
  } catch (...) {
  }
  adapt::QueueOptions options;
  // Only modelled times are the same in every run, and worth waiting for.
  options.waitForTimes = software;
  options.arguments = settings.specialize;
  options.waitForVersions = software && settings.compileBudgetMs == 0;
  if (!adapt::installQueueHooks(table, options))
    return log::warning("ROCr's tables offer no intercept queues: nothing is chosen at a launch");
  try {
    process.maker.begin(core, *process.engine);
  } catch (...) {
  }
}

} // namespace

bool installHooks(HsaApiTable *table, Process *process) noexcept {
  // Tables only ever grow at the end; minor_id is their size. Major 1-3 (root) and 1-2 (core) keep
  // this layout.
  constexpr size_t needed =
      std::max({offsetof(CoreApiTable, hsa_executable_load_agent_code_object_fn),
                offsetof(CoreApiTable, hsa_system_get_major_extension_table_fn),
                offsetof(CoreApiTable, hsa_executable_create_alt_fn),
                offsetof(CoreApiTable, hsa_executable_iterate_symbols_fn),
                offsetof(CoreApiTable, hsa_executable_symbol_get_info_fn),
                offsetof(CoreApiTable, hsa_status_string_fn)}) +
      sizeof(void *);
  if (!table || table->version.major_id < 1 || table->version.major_id > 3 ||
      table->version.minor_id < offsetof(HsaApiTable, core_) + sizeof(void *) || !table->core_ ||
      table->core_->version.major_id < 1 || table->core_->version.major_id > 2 ||
      table->core_->version.minor_id < needed) {
    log::warning("ROCr offers an API table this libmeld does not know; original code is used");
    return false;
  }
  bool complete = true;
  forEachEntry(*table->core_, [&](auto &field, auto &, auto) { complete &= field != nullptr; });
  if (!complete) {
    log::warning("ROCr's API table has empty entries; original code is used");
    return false;
  }
  gProcess = process;
  (void)onSoftwareGpu(); // looks for it, while no code is being loaded
  watchComgrForCompiles();
  gTable = table->core_;
  gPrevious.table = gTable;
  if (process->settings.verifyRuns && !process->passThrough) {
    if (!process->sides.open(process->settings.verifyDir))
      log::warning("only the software GPU verifies: nothing is verified, the original code runs");
    watchAllocations(*table);
  }
  chooseAtLaunch(*table, *process);
  if (process->served.active() || !process->settings.profile.empty()) {
    if (canLoadVersions(*gTable) && !process->settings.verifyRuns) {
      gPrevious.symbolInfo = gTable->hsa_executable_symbol_get_info_fn;
      gTable->hsa_executable_symbol_get_info_fn = symbolInfo;
    } else {
      process->served.serve({});
    }
  }
  forEachEntry(*gTable, [](auto &field, auto &previous, auto ours) {
    previous = field;
    field = ours;
  });
  nowAnyones(&gProcess);
  return true;
}

void removeHooks() noexcept {
  if (!gTable)
    return;
  stopWatchingAllocations();
  gProcess->maker.end();
  if (gTable->hsa_executable_symbol_get_info_fn == symbolInfo)
    gTable->hsa_executable_symbol_get_info_fn = gPrevious.symbolInfo;
  adapt::removeQueueHooks();
  adapt::retiredVersions().forget();
  forEachEntry(*gTable, [](auto &field, auto &previous, auto ours) {
    if (field == ours)
      field = previous;
  });
}

} // namespace meld
