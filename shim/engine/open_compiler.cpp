#include "shim/engine/open_compiler.h"

#include "shim/engine/helper.h"
#include "shim/engine/identity.h"
#include "shim/engine/jitlib.h"

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
