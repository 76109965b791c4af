/* The seam between the preloaded shim (no LLVM) and libmeld-jit.so (LLVM, comgr): plain C, opened
 * with dlopen(RTLD_LOCAL) on the first cache miss.
 *
 * Ownership: the reply's pointers belong to the JIT library and are freed by meld_jit_release.
 * Thread rule: meld_jit_compile may be called from any thread; compiles are serialised inside
 * (comgr is). Errors: never throws, never aborts; status and `reason` say what happened. */
#ifndef MELD_JIT_API_H
#define MELD_JIT_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MELD_JIT_ABI 10

enum MeldJitStatus {
  MELD_JIT_REPLACED = 0, /* bytes/size hold a new code object */
  MELD_JIT_UNCHANGED =
      1, /* nothing profitable or nothing to do: reason says which; a cacheable verdict */
  MELD_JIT_FAILED = 2 /* something went wrong: reason; not cached as a verdict unless `permanent` */
};

typedef struct MeldJitRequest {
  uint32_t abi;           /* MELD_JIT_ABI */
  const void *codeObject; /* the device ELF */
  size_t size;
  const char *isa; /* full target id: amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack- */
  /* What the passes are told: "min-profit=5;no-switch" (passes/options.def). "": everything by
   * default; "passes=none": recompile only. */
  const char *passOptions;
  int trustVerify; /* MELD_TRUST: the bitcode has to give the original's bytes when not changed */
  /* A version of one kernel (jit/variant/recipes.h): both, or both "". The reply's code object holds
   * that kernel alone, and undefined symbols that are the original's variables. */
  const char *kernel, *recipe;
  /* For the recipe "specialized", else "": what launches of the version have in common, as the text of
   * passes/specialize/facts.h. The reply's metadata names those that the version depends on. */
  const char *facts;
  /* What a recorded run tells of the object's kernels (runtime/profile/profile.h, ObjectProfile's
   * text), or "". */
  const char *profile;
  const char *dumpDir; /* "" = no dumps */
  const char *dump;    /* comma list: ir,isa,decision,cfg */
  void (*log)(void *context, int level,
              const char *message); /* levels as MELD_LOG_LEVEL; may be NULL */
  /* LLVM's command-line options are one set per process, and the application's own compiler
   * (hiprtc, through comgr) sets them, too. Between these two calls, on the compile's thread and
   * both or none NULL, this library needs them for itself. 0 from the first: it may not have them,
   * and the compile fails. */
  int (*optionsBegin)(void *context);
  void (*optionsEnd)(void *context);
  /* Told on the thread that is about to call an action of comgr's for this compile, and with NULL after
   * it: comgr sets the options, too, and this action is no other user's. Within the action and on its
   * thread, leave() ends it and the compile by an exception, for the end of the process. after(), given
   * with that NULL, sets the options back; to be called while nobody else sets them, or not at all.
   * NULL: nobody asks. */
  void (*action)(void (*leave)(void), void (*after)(void));
  /* What compiling the object without our passes takes, and what is at least to come of this compile
   * (0: it may be about to end), as far as it can tell; called on its thread, at most once, when the
   * code has been looked at and before anything is searched or made again. NULL: nobody wants to
   * know. */
  void (*plainTakes)(void *context, double milliseconds, double rest);
  void *context; /* of the four */
} MeldJitRequest;

typedef struct MeldJitReply {
  enum MeldJitStatus status;
  int permanent;
  const void *bytes;
  size_t size;
  const char
      *json; /* metadata: {"kernels":[{"name","before":{...},"after":{...},"decisions":[...]}],
                "timings":{...}} */
  const char *reason; /* one line */
} MeldJitReply;

typedef int (*MeldJitCompileFn)(const MeldJitRequest *, MeldJitReply *);
typedef void (*MeldJitReleaseFn)(MeldJitReply *);

/* Returns reply->status. No exception leaves it: the caller may have a C++ runtime of its own. */
__attribute__((visibility("default"))) int meld_jit_compile(const MeldJitRequest *request,
                                                            MeldJitReply *reply);
__attribute__((visibility("default"))) void meld_jit_release(MeldJitReply *reply);
/* What of the request's codeObject a compile could work with; nothing is compiled, and nothing else of
 * the request counts. MELD_JIT_UNCHANGED: json is {"kernels":[{"name","ir":true|false,"why"}]}, `why`
 * where there is no IR of a kernel that could be used. MELD_JIT_FAILED: reason. */
__attribute__((visibility("default"))) int meld_jit_survey(const MeldJitRequest *request,
                                                           MeldJitReply *reply);
/* Stops the running compile as soon as it can be stopped, and lets no other start: for a process
 * that ends. The stopped compile comes back as MELD_JIT_FAILED, not permanent. Any thread. */
__attribute__((visibility("default"))) void meld_jit_cancel(void);
/* Has `stop` called at exit before LLVM's and comgr's global objects are destroyed, those included
 * that a compile makes later. It must do nothing when it is called again. Before the first
 * compile. */
__attribute__((visibility("default"))) void meld_jit_at_exit(void (*stop)(void));
/* After meld_jit_cancel(), for what it did not stop in time: stops the compile's thread for good
 * where it is, so that the process can end. 1 when nothing compiles any more, 0 after that many
 * milliseconds without success. Any thread. */
__attribute__((visibility("default"))) int meld_jit_freeze(unsigned milliseconds);
/* "libmeld-jit 0.1.0; LLVM 15.0.6; comgr 2.4": for people; cache entries hold it */
__attribute__((visibility("default"))) const char *meld_jit_version(void);

#ifdef __cplusplus
}
#endif
#endif
