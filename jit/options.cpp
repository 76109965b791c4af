#include "jit/options.h"

#include "jit/error.h"
#include "jit/mllvm_options.h"
#include "passes/compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"

using namespace llvm;

namespace meld::jit {

using passes::compat::startsWith;

namespace {

bool validLevel(char c) { return (c >= '0' && c <= '3') || c == 's' || c == 'z' || c == 'g'; }

} // namespace

Expected<CompileOptions> recoverOptions(ArrayRef<std::string> arguments) {
  CompileOptions o;
  bool noUnroll = false, unroll = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef a = arguments[i];
    auto value = [&]() -> Expected<StringRef> {
      if (i + 1 >= arguments.size())
        return inputError(".llvmcmd: argument " + Twine(i) + " (" + a + ") has no value");
      return StringRef(arguments[++i]);
    };
    if (a == "-mllvm" || a == "-target-cpu" || a == "-target-feature") {
      auto v = value();
      if (!v)
        return v.takeError();
      if (a == "-target-cpu") {
        o.cpu = v->str();
      } else if (a == "-target-feature") {
        o.features.push_back(v->str());
      } else {
        const Repeat what = repeatMllvm(*v);
        if (what == Repeat::refuse)
          return inputError(".llvmcmd: will not repeat -mllvm " + *v + " (argument " + Twine(i) +
                            ")");
        if (what == Repeat::yes)
          o.add(*v);
      }
    } else if (changesThePipeline(a)) {
      return inputError(".llvmcmd: argument " + Twine(i) + ": a recompile would not know " + a);
    } else if (a == "-O") {
      o.level = '1'; // clang's meaning of a bare -O
    } else if (startsWith(a, "-O") && a.size() == 3) {
      if (!validLevel(a[2]))
        return inputError(".llvmcmd: argument " + Twine(i) + ": unknown level " + a);
      o.level = a[2];
    } else if (a == "-vectorize-loops") {
      o.vectorizeLoops = true;
    } else if (a == "-vectorize-slp") {
      o.vectorizeSlp = true;
    } else if (a == "-fmerge-functions") {
      o.mergeFunctions = true;
    } else if (a == "-funroll-loops") {
      unroll = true;
    } else if (a == "-fno-unroll-loops") {
      noUnroll = true;
    } else if (a == "-fgpu-rdc") {
      o.deviceLink = true;
    } else if (a == "-ffunction-sections") {
      o.functionSections = true;
    } else if (a == "-fdata-sections") {
      o.dataSections = true;
    } else if (a.consume_front("-ffp-contract=")) {
      // "fast-honor-pragmas" is HIP's default and lives in the instructions' flags alone.
      if (a == "on" || a == "off" || a == "fast")
        o.fpContract = a.str();
    } else if (a.consume_front("-mcode-object-version=")) {
      if (a.getAsInteger(10, o.codeObjectVersion))
        return inputError(".llvmcmd: argument " + Twine(i) + ": bad code-object version " + a);
    }
  }
  o.unrollLoops =
      !noUnroll && (unroll || o.level == '2' || o.level == '3' || o.level == 's' || o.level == 'z');
  return o;
}

Expected<CompileOptions> recoverOptions(ArrayRef<std::vector<std::string>> commands) {
  if (commands.empty()) {
    static const std::vector<std::string> hipcc = {
      "-O3",
      "-vectorize-loops",
      "-vectorize-slp",
      "-mllvm",
      "-amdgpu-internalize-symbols",
#if LLVM_VERSION_MAJOR < 20 // hipcc 7 leaves it to the back end
      "-mllvm",
      "-amdgpu-early-inline-all=true",
      "-mllvm",
      "-amdgpu-function-calls=false"
#endif
    };
    return recoverOptions(ArrayRef<std::string>(hipcc));
  }
  auto first = recoverOptions(ArrayRef<std::string>(commands.front()));
  if (!first)
    return first.takeError();
  for (size_t i = 1; i < commands.size(); ++i) {
    auto other = recoverOptions(ArrayRef<std::string>(commands[i]));
    if (!other)
      return other.takeError();
    if (other->level != first->level || other->mllvm != first->mllvm || other->cpu != first->cpu ||
        other->features != first->features || other->fpContract != first->fpContract ||
        other->codeObjectVersion != first->codeObjectVersion)
      return inputError(".llvmcmd: unit " + Twine(i) +
                        " was compiled with other options than unit 0");
  }
  return first;
}

void CompileOptions::add(StringRef mllvmOption) {
  if (!is_contained(mllvm, mllvmOption))
    mllvm.push_back(mllvmOption.str());
}

std::vector<std::string> CompileOptions::codegenArguments(bool optimize) const {
  std::vector<std::string> args{std::string("-O") + level};
  if (!optimize) {
    args.push_back("-Xclang");
    args.push_back("-disable-llvm-passes");
  }
  for (const auto &m : mllvm) {
    args.push_back("-mllvm");
    args.push_back(m);
  }
  if (codeObjectVersion)
    args.push_back("-mcode-object-version=" + std::to_string(codeObjectVersion));
  if (functionSections)
    args.push_back("-ffunction-sections");
  if (dataSections)
    args.push_back("-fdata-sections");
  return args;
}

} // namespace meld::jit
