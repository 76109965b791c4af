// Every setting, once. The parser, `meld config` and docs/settings.md come from this table.
//
//   X(kind, field, environment name, default as a person would write it, allowed, help)
//
// `allowed` is what the kind leaves open: "1 to 64" of a Number or Size, the words of a Choice or
// List, the names of Devices; empty where there is nothing to say. Kinds: Flag (0/1/on/off/true/
// false/yes/no), Number (uint32), Count (uint64), Size (bytes; K, M, G, T suffix), Real, Level (0-5
// or a name), Text, Regex (POSIX extended), Choice (one word), Mode (a Choice with an enumeration of
// its own), List (several of them); and for the software GPU Devices (names), Numbers and Sizes (one
// value, or one for each device), Noise, Checks and Parameters (kinds.h).
//
// MELD_GPU_SETTING are the rows that only the software GPU reads, and whose bad values it reports;
// without a meaning of their own they are MELD_SETTING. No include guard on purpose: include it
// after defining MELD_SETTING. All are undefined again.

#ifndef MELD_SETTING
#error "define MELD_SETTING before including runtime/settings/table.h"
#endif
#ifndef MELD_GPU_SETTING
#define MELD_GPU_SETTING(...) MELD_SETTING(__VA_ARGS__)
#endif

// clang-format off
MELD_SETTING(Flag,   disable,         "MELD_DISABLE",          "0",                   "",                  "Do nothing at all: no attach, original code objects")
MELD_SETTING(Flag,   observe,         "MELD_OBSERVE",          "0",                   "",                  "Attach and name kernels for the counters, but never replace code")
MELD_SETTING(Level,  logLevel,        "MELD_LOG_LEVEL",        "warning",             "",                  "0-5 or off, error, warning, info, debug, trace")
MELD_SETTING(Text,   logFile,         "MELD_LOG_FILE",         "",                    "",                  "Append the log to this file instead of stderr")
MELD_SETTING(Flag,   cache,           "MELD_CACHE",            "1",                   "",                  "Keep compiled code objects on disk")
MELD_SETTING(Text,   cacheDir,        "MELD_CACHE_DIR",        "",                    "",                  "Cache folder; empty: $XDG_CACHE_HOME/libmeld or ~/.cache/libmeld, which is not written in a job when it lies on a file server")
MELD_SETTING(Size,   cacheMaxSize,    "MELD_CACHE_MAX_SIZE",   "2G",                  "",                  "Oldest entries go when the cache is larger than this; 0: no limit")
MELD_SETTING(Flag,   cacheReadonly,   "MELD_CACHE_READONLY",   "0",                   "",                  "Use entries, write none")
MELD_SETTING(List,   cacheLayers,     "MELD_CACHE_LAYERS",     "auto",                "auto, none, node, user, site, remote", "Layers of the cache that are used: auto, none, or any of node, user, site, remote; docs/cluster.md says what auto is in a job of a batch system")
MELD_SETTING(Text,   cacheNode,       "MELD_CACHE_NODE",       "",                    "",                  "Folder of the node layer; empty: in a job of a batch system one in /dev/shm or $TMPDIR, otherwise none")
MELD_SETTING(Text,   cacheSite,       "MELD_CACHE_SITE",       "",                    "",                  "Folder of the site layer, which is only read; besides share/libmeld/cache of the installation")
MELD_SETTING(Text,   cacheRemote,     "MELD_CACHE_REMOTE",     "",                    "",                  "Remote layer: redis://HOST[:PORT][/DB], redis+unix:///SOCKET, http(s)://HOST[:PORT]/FOLDER; asked in the background, what it has is used the next time")
MELD_SETTING(Text,   cacheTrust,      "MELD_CACHE_TRUST",      "",                    "",                  "Files of public keys, with colons between them: entries of site and remote are used only if one of them has signed them; empty: share/libmeld/trusted-keys of the installation, if there is one")
MELD_SETTING(Flag,   recache,         "MELD_RECACHE",          "0",                   "",                  "Ignore existing entries and compile again")
// What the passes are told.
#define MELD_OPTION(kind, field, key, byDefault, environment, help) MELD_SETTING(kind, field, environment, #byDefault, "", help)
#include "passes/options.def"
MELD_SETTING(Number, exitWaitMs,      "MELD_EXIT_WAIT_MS",     "10000",               "",                  "At the end of the process, wait this long for compiles in the background, then stop them")
MELD_SETTING(Number, compileBudgetMs, "MELD_COMPILE_BUDGET_MS", "10000",               "",                  "Wait this long for a compile, then run the original and finish in the background; 0: no limit")
MELD_SETTING(Real,   compileWait,     "MELD_COMPILE_WAIT",     "1.5",                 "",                  "Wait no longer than this many times what comgr alone takes for the code, then run the original and finish in the background; 0: only MELD_COMPILE_BUDGET_MS counts. Waits of a quarter of a second are not cut short, and none is with that budget at 0")
MELD_SETTING(Mode,   compileMode,     "MELD_COMPILE_MODE",     "sync",                "sync, async",       "sync: wait for a compile; async: never wait, the result serves the next load")
MELD_SETTING(Choice, adapt,           "MELD_ADAPT",            "on",                  "off, static, on",   "on: versions of a kernel are timed in the program's own launches, and the fastest runs; static: an estimate decides when code is loaded; off: as static, and nothing that was measured counts")
MELD_SETTING(Number, versions,        "MELD_VERSIONS",         "4",                   "",                  "With MELD_ADAPT=on: most versions of a kernel, the original among them, 1 to 8")
MELD_SETTING(Flag,   specialize,      "MELD_SPECIALIZE",       "0",                   "",                  "With MELD_ADAPT=on: also make versions for what a kernel's launches have in common: arguments, the size of work-groups")
MELD_SETTING(Number, specializeAfter, "MELD_SPECIALIZE_AFTER", "3",                   "",                  "With MELD_SPECIALIZE=on: so many launches have to have it in common, 1 to 64")
MELD_SETTING(Text,   profile,         "MELD_PROFILE",          "",                    "",                  "What meld profile wrote of how the program's kernels run: a file, or auto for what is kept in the cache folder. Kernels that never ran are not compiled, and only branches whose sides both run are worth melding")
MELD_SETTING(Text,   bitcodePath,     "MELD_BITCODE_PATH",     "",                    "",                  "Folders, with colons between them, of bitcode for code objects that carry none: HASH.bc, with the hash of the object that meld inspect prints")
MELD_SETTING(Choice, trust,           "MELD_TRUST",            "interface",           "interface, verify", "interface: embedded bitcode is believed to be the code's own; verify: only where it compiles to the original's bytes when nothing is changed")
MELD_SETTING(Choice, compiler,        "MELD_COMPILER",         "thread",              "thread, process",   "thread: compile in a thread of the program; process: in a process of its own, where nothing that goes wrong reaches the program")
MELD_SETTING(Size,   compilerMemory,  "MELD_COMPILER_MEMORY",  "4G",                  "",                  "Address space of the process that compiles; 0: no limit of ours")
MELD_SETTING(Number, compilerSeconds, "MELD_COMPILER_SECONDS", "300",                 "",                  "Processor time of the process that compiles; 0: no limit of ours")
MELD_SETTING(Number, jobs,            "MELD_JOBS",             "1",                   "1 to 64",           "Most compile threads in a process, 1 to 64; comgr compiles one thing at a time, so a second only waits, reads and writes meanwhile")
MELD_SETTING(Text,   dumpDir,         "MELD_DUMP_DIR",         "",                    "",                  "Write IR, ISA, decisions and CFGs of compiles into this folder")
MELD_SETTING(List,   dump,            "MELD_DUMP",             "ir,isa,decision,cfg", "ir, isa, decision, cfg", "What to write: any of ir, isa, decision, cfg")
MELD_SETTING(Flag,   report,          "MELD_REPORT",           "0",                   "",                  "Print what was done to stderr when the process ends")
MELD_SETTING(Flag,   verifyRuns,      "MELD_VERIFY_RUNS",      "0",                   "",                  "Set by meld verify: load the original code, and run every replaced kernel beside it to compare what they write")
MELD_SETTING(Text,   verifyDir,       "MELD_VERIFY_DIR",       "",                    "",                  "Set by meld verify: the folder for its reports and captures")
MELD_SETTING(Text,   profileDir,      "MELD_PROFILE_DIR",      "",                    "",                  "Set by meld profile: the folder for the code objects that the program loads")
MELD_SETTING(Text,   serve,           "MELD_SERVE",            "",                    "",                  "For tests: replace nothing, and launch every kernel as its version of this kind, where it has one: melded, melded-sure, flattened, flattened-t32, flattened-u2, delayed, delayed-t16, converged-loops, scalarized, all-legal; for meld verify also specialized")
MELD_GPU_SETTING(Devices,    gpu,                   "MELD_GPU",           "gfx90a", "gfx90a, gfx900, gfx906, gfx908, gfx942, gfx950, gfx1030, gfx1100, gfx1201", "Software GPU: processor to emulate; a comma list gives several devices")
MELD_GPU_SETTING(Numbers,    gpuCus,                "MELD_GPU_CUS",       "",       "1 to 512",          "Software GPU: number of compute units, or one for each device with commas; empty: as many as the real device has")
MELD_GPU_SETTING(Sizes,      gpuMem,                "MELD_GPU_MEM",       "",       "64M to 512G",       "Software GPU: memory size, or one for each device with commas; empty: what the real device has")
MELD_GPU_SETTING(Number,     gpuThreads,            "MELD_GPU_THREADS",   "0",      "0 to 1024",         "Software GPU: host threads that execute waves; 0: one for each core")
MELD_GPU_SETTING(Flag,       gpuTiming,             "MELD_GPU_TIMING",    "0",      "",                  "Software GPU: model cycles")
MELD_GPU_SETTING(Noise,      gpuNoise,              "MELD_GPU_NOISE",     "0",      "",                  "Software GPU, for tests: P[,O[,SEED]] puts noise of P percent on modelled times, and makes O percent of the dispatches outliers")
MELD_GPU_SETTING(Parameters, gpuTimingParams,       "MELD_GPU_TIMING_PARAMS", "",       "",                  "Software GPU: name=value,... changes the timing model")
MELD_GPU_SETTING(Parameters, gpuTimingVaried,       "MELD_GPU_TIMING_VARIED", "",       "",                  "Software GPU, for bands: the same for what the other leaves, and versions that were chosen without it count")
MELD_GPU_SETTING(Checks,     gpuChecked,            "MELD_GPU_CHECKED",   "0",      "",                  "Software GPU: 1: check every address against what was allocated; all, or any of memory, hazard, undefined, race, barrier")
MELD_GPU_SETTING(Choice,     gpuTranslate,          "MELD_GPU_TRANSLATE", "auto",   "off, auto, always", "Software GPU: auto: translate hot kernels to host code in the background; always: before they run; off: interpret")
MELD_GPU_SETTING(Count,      gpuTranslateThreshold, "MELD_GPU_TRANSLATE_THRESHOLD", "20000",  "",                  "Software GPU: a kernel is hot after this many executed instructions for each of its own")
MELD_GPU_SETTING(Choice,     gpuTranslateLanes,     "MELD_GPU_TRANSLATE_LANES", "auto",   "auto, 8",           "Software GPU: 8: translate as on a host without AVX-512; for tests")
MELD_GPU_SETTING(Text,       counters,              "MELD_COUNTERS",      "",       "",                  "Software GPU: write counters to this JSON file")
MELD_GPU_SETTING(Text,       gpuProfile,            "MELD_GPU_PROFILE",   "",       "",                  "Software GPU: write a per-instruction profile to this JSON file")
MELD_GPU_SETTING(Text,       gpuCapture,            "MELD_GPU_CAPTURE",   "",       "",                  "Software GPU: DIR[,REGEX[,N]] saves the N-th dispatch of matching kernels for meld-gpu replay")
MELD_GPU_SETTING(Text,       trace,                 "MELD_TRACE",         "",       "",                  "Software GPU: trace dispatches (kernel), instructions (insts); a file may follow")
MELD_GPU_SETTING(Text,       traceKernel,           "MELD_TRACE_KERNEL",  "",       "",                  "Software GPU: trace only this kernel")
MELD_SETTING(Text,   pluginOptions,   "MELD_PLUGIN_OPTIONS",   "",                    "",                  "opt plugin: options of the melding passes")
// clang-format on
#undef MELD_SETTING
#undef MELD_GPU_SETTING
