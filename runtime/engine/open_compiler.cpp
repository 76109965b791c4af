#include "runtime/engine/open_compiler.h"

#include "runtime/engine/helper.h"
#include "runtime/engine/identity.h"
#include "runtime/engine/jit_library.h"

namespace meld {

Result<std::shared_ptr<Compiler>> openCompiler(const Settings &settings,
                                               const std::string &jitPath) {
  auto same = [](auto opened) -> Result<std::shared_ptr<Compiler>> {
    if (!opened)
      return tl::unexpected<Error>(opened.error());
    return std::shared_ptr<Compiler>(std::move(*opened));
  };
  return settings.compiler == "process"
             ? same(HelperProcess::open(folderOf(jitPath) + "/meld-compile", jitPath))
             : same(JitLibrary::open(jitPath));
}

} // namespace meld
