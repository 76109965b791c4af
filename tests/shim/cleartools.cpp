// Preloaded before libmeld.so, so that this constructor runs after its: ROCr will not load libmeld
// as a tool.
#include <cstdlib>

__attribute__((constructor)) static void clearTools() { unsetenv("HSA_TOOLS_LIB"); }
