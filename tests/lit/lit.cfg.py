# How the tests run: %opt is opt with our plugin, %llc code generation to stdout.
import os
import sys

import lit.formats

config.name = "meld"
config.suffixes = [".ll", ".test"]
config.test_format = lit.formats.ShTest(True)
config.test_source_root = os.path.dirname(__file__)
config.environment.pop("HIP_PLATFORM", None)
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, config.environment.get("PATH", "")])
config.environment.pop("MELD_PLUGIN_OPTIONS", None)
# In sanitizer builds: its own library comes first (cmake/MeldSanitizers.cmake), not in the shell.
config.environment.pop("LD_PRELOAD", None)
sanitizer = os.environ.get("TEST_SANITIZER_LIBRARY", "")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
preload = f"env LD_PRELOAD={sanitizer} " if sanitizer else ""
config.substitutions += [("%python", preload + sys.executable), ("%hipcc", config.hipcc),
                         ("%llvm_bin", config.llvm_bin), ("%plugin", config.plugin),
                         ("%preload", preload)]
config.substitutions.append(
    ("%opt", f"{preload}{config.llvm_bin}/opt -load-pass-plugin {config.plugin}"))
config.substitutions.append(
    ("%llc", f"{config.llvm_bin}/llc -O3 -o - "))
# The software GPU, where it is built: programs run on it through LD_PRELOAD.
softgpu = os.path.join(os.path.dirname(config.plugin), "libmeld-softgpu.so")
config.substitutions.append(("%softgpu", f"{sanitizer}:{softgpu}" if sanitizer else softgpu))
# No shell starts with libtsan in its process, and hipcc runs its programs by one.
if "libtsan" not in sanitizer:
    config.available_features.add("preloaded-hipcc")
if os.path.exists(softgpu):
    config.available_features.add("softgpu")
# Faults of older LLVM that a pass stays away from.
if int(config.llvm_version) < 17:
    config.available_features.add("llvm-before-17")
# What newer LLVM does or says by itself.
for version in (18, 19, 20):
    if int(config.llvm_version) >= version:
        config.available_features.add(f"llvm-from-{version}")
