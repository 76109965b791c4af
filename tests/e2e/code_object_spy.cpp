// An HSA tool that sits below libmeld: it writes every code object that reaches the real runtime to
// $MELD_SPY_DIR/<n>.co, in load order. Loaded through HSA_TOOLS_LIB before libmeld, so that
// libmeld's "previous" entries are the spy's.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <hsa/hsa.h>
#include <hsa/hsa_api_trace.h>
#include <string>

static decltype(hsa_code_object_reader_create_from_memory) *realCreate;
static std::atomic<int> count{0};

static hsa_status_t spyCreate(const void *bytes, size_t size, hsa_code_object_reader_t *reader) {
  if (const char *dir = std::getenv("MELD_SPY_DIR")) {
    const std::string name = std::string(dir) + "/" + std::to_string(count++) + ".co";
    if (FILE *f = std::fopen(name.c_str(), "wb")) {
      std::fwrite(bytes, 1, size, f);
      std::fclose(f);
    }
  }
  return realCreate(bytes, size, reader);
}

extern "C" __attribute__((visibility("default"))) bool OnLoad(HsaApiTable *table, uint64_t,
                                                              uint64_t, const char *const *) {
  realCreate = table->core_->hsa_code_object_reader_create_from_memory_fn;
  table->core_->hsa_code_object_reader_create_from_memory_fn = spyCreate;
  return true;
}
extern "C" __attribute__((visibility("default"))) void OnUnload() {}
