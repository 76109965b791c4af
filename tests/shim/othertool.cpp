// Another HSA tool: counts code-object loads and says so when it is unloaded or the process ends.
#include "shim/hsa.h"

#include <cstdio>
#include <cstdlib>

static decltype(CoreApiTable::hsa_executable_load_agent_code_object_fn) gNext;
static int gLoads;

static hsa_status_t load(hsa_executable_t executable, hsa_agent_t agent,
                         hsa_code_object_reader_t reader, const char *options,
                         hsa_loaded_code_object_t *loaded) {
  ++gLoads;
  return gNext(executable, agent, reader, options, loaded);
}

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t,
                                                              uint64_t, const char *const *) {
  gNext = table->core_->hsa_executable_load_agent_code_object_fn;
  table->core_->hsa_executable_load_agent_code_object_fn = load;
  std::atexit([] { std::fprintf(stderr, "othertool: %d loads\n", gLoads); });
  return true;
}

extern "C" __attribute__((visibility("default"))) void OnUnload() {}
