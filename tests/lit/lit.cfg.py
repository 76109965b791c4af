# How the tests run: %meld is opt with our plugin on stdin's IR, %plugin the plugin's path.
import os

import lit.formats

config.name = "meld"
config.suffixes = [".ll"]
config.test_format = lit.formats.ShTest(True)
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join([config.llvm_bin, config.environment.get("PATH", "")])
config.environment.pop("MELD_PLUGIN_OPTIONS", None)
config.substitutions.append(
    ("%opt", f"{config.llvm_bin}/opt -load-pass-plugin {config.plugin}"))
config.substitutions.append(
    ("%llc", f"{config.llvm_bin}/llc -O3 -o - "))
