// Verdicts of the whole way, and what may never happen: an abort, two different answers.
#include "jit/code_object.h"
#include "jit/compile.h"
#include "jit/units.h"
#include "passes/compat.h"
#include "tests/jit/gate_view.h"
#include "tests/jit/test_objects.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sys/resource.h>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;
using Status = CompileReply::Status;

/// For LeakSanitizer. An error that unwinds through LLVM leaves LLVM's memory behind.
static bool unwoundThroughLlvm = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  return unwoundThroughLlvm;
}

namespace {

CompileReply compileNamed(const char *name, std::string passes = "none") {
  auto file = codeObject(name);
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.passes = std::move(passes);
  return compile(r);
}

/// The object with its bitcode edited.
std::string edited(const char *name, const std::function<void(Module &)> &edit) {
  auto file = codeObject(name);
  auto object = readDeviceObject(*file);
  EXPECT_TRUE(bool(object));
  LLVMContext context;
  auto module = parseUnits(object->modules, context);
  EXPECT_TRUE(bool(module));
  edit(**module);
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(**module, os);
  return withSection(file->getBuffer(), ".llvmbc", bitcode);
}

TEST(Compile, recompiledObjectIsMarkedAndOtherwiseTheSame) {
  auto file = codeObject("bitonic-gfx90a");
  auto reply = compileNamed("bitonic-gfx90a");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  MemoryBufferRef made(reply.bytes, "made");
  for (const char *section : {".text", ".rodata", ".note"})
    EXPECT_TRUE(cantFail(sectionBytes(*file, section)) == cantFail(sectionBytes(made, section)))
        << section;
  auto marker = nlohmann::json::parse(cantFail(sectionBytes(made, ".meld")).str());
  EXPECT_EQ(marker["kernels"][0]["name"], "bitonic");
  EXPECT_FALSE(marker.contains("timings"));
  EXPECT_TRUE(nlohmann::json::parse(reply.json)["timings"].contains("totalMs"));
}

// The source is the oracle: the branch is on its `if` line, what is left of the bar comes from one
// arm and what is right of it from the other.
// Bitcode from elsewhere (MELD_BITCODE_PATH) comes without the line that tells the version.
TEST(Compile, withoutACommandLineTheVersionIsTheObjects) {
  for (const char *name : {"reduce-v5", "reduce-nocmd"}) {
    auto file = codeObject(name);
    std::string bytes = file->getBuffer().str();
    if (size_t at = bytes.find(".llvmcmd"); at != std::string::npos)
      bytes[at + 1] = 'x';        // a section of another name
    constexpr size_t version = 8; // EI_ABIVERSION
    CompileRequest request;
    request.codeObject = bytes;
    request.meld.passes = "none";
    auto reply = compile(request);
    ASSERT_EQ(reply.status, Status::replaced) << name << ": " << reply.reason;
    EXPECT_EQ(reply.bytes[version], bytes[version]) << name;
  }
}

/// A compile of reduce-nocmd, whose bitcode is without the compiler's line, edited.
CompileReply compileEdited(const std::function<void(Module &)> &edit) {
  const std::string bytes = edited("reduce-nocmd", edit);
  CompileRequest request;
  request.codeObject = bytes;
  request.meld.passes = "none";
  return compile(request);
}

// gfx900's code runs on no gfx90a, and the other way round; comgr makes it all the same, as functions say
// what they are for, and the header would be the object's.
TEST(Compile, bitcodeForAnotherProcessorIsRefused) {
  const auto setProcessor = [](StringRef kind, const char *processor) {
    return [=](Module &module) {
      for (Function &f : module)
        if (!f.isDeclaration() &&
            (f.getCallingConv() == CallingConv::AMDGPU_KERNEL) == (kind == "kernel")) {
          f.removeFnAttr("target-cpu");
          if (*processor)
            f.addFnAttr("target-cpu", processor);
        }
    };
  };
  for (const char *other : {"gfx900", "gfx908", "gfx1030"}) {
    auto reply = compileEdited(setProcessor("kernel", other));
    EXPECT_EQ(reply.status, Status::failed) << other;
    EXPECT_TRUE(StringRef(reply.reason)
                    .contains(std::string("is for ") + other + ", the code object is for gfx90a"))
        << reply.reason;
    EXPECT_TRUE(reply.permanent);
  }
  EXPECT_EQ(compileEdited(setProcessor("kernel", "gfx90a")).status, Status::replaced);
  EXPECT_EQ(compileEdited(setProcessor("kernel", "")).status, Status::replaced) << "for any";
}

// blockDim is read from the packet up to version 4, from other places behind the arguments from 5 on.
TEST(Compile, bitcodeForAnotherCodeObjectVersionIsRefused) {
  const unsigned own =
      cantFail(readDeviceObject(*codeObject("reduce-nocmd"))).codeObjectVersion * 100;
  for (const char *flag : {"amdgpu_code_object_version", "amdhsa_code_object_version"})
    for (unsigned version : {300, 400, 500, 600}) {
      bool hasOther = false; // LLVM takes both for the same flag and refuses two of it
      auto reply = compileEdited([&](Module &module) {
        hasOther = meld::passes::compat::codeObjectVersion(module) && !module.getModuleFlag(flag);
        auto *value = ConstantInt::get(Type::getInt32Ty(module.getContext()), version);
        module.setModuleFlag(Module::Error, flag, ConstantAsMetadata::get(value));
      });
      if (hasOther)
        continue;
      EXPECT_EQ(reply.status == Status::replaced, version == own) << flag << " " << version;
      if (version != own) {
        EXPECT_TRUE(StringRef(reply.reason)
                        .contains("for code-object version " + std::to_string(version / 100)))
            << reply.reason;
      }
    }
}

TEST(Compile, bitcodeForAnotherMachineIsRefused) {
  for (const char *triple :
       {"x86_64-pc-linux-gnu", "amdgcn-amd-amdpal", "nvptx64-nvidia-cuda", ""}) {
    auto reply = compileEdited(
        [&](Module &module) { meld::passes::compat::setTargetTriple(module, triple); });
    EXPECT_EQ(reply.status, Status::failed) << triple;
    EXPECT_TRUE(StringRef(reply.reason).contains(std::string("for '") + triple)) << reply.reason;
  }
}

// The IR's features say 64 lanes, or nothing and the processor's name decides; what runs is what the
// object's metadata say.
TEST(Compile, kernelsWhoseIrIsOfOtherWavesAreLeftAlone) {
  auto file = codeObject("diamond-gfx90a");
  std::string bytes = file->getBuffer().str();
  const std::string key = ".wavefront_size";
  size_t changed = 0;
  for (size_t at = bytes.find(key); at != std::string::npos; at = bytes.find(key, at + 1)) {
    ASSERT_EQ(bytes[at + key.size()], 64) << "MessagePack, a small number";
    bytes[at + key.size()] = 32;
    ++changed;
  }
  ASSERT_GT(changed, 0u);
  CompileRequest request;
  request.codeObject = file->getBuffer();
  ASSERT_EQ(compile(request).status, Status::replaced) << "melds as it is";
  request.codeObject = bytes;
  auto reply = compile(request);
  EXPECT_EQ(reply.status, Status::unchanged) << reply.reason << reply.json;
}

TEST(Compile, meldedSidesAreRecordedWithTheirLines) {
  auto reply = compileNamed("diamond-debug", "");
  auto kernels = nlohmann::json::parse(reply.json)["kernels"];
  auto kernel = std::find_if(kernels.begin(), kernels.end(),
                             [](const auto &k) { return k["name"] == "diamond"; });
  ASSERT_NE(kernel, kernels.end());
  size_t melded = 0;
  for (const auto &decision : (*kernel)["decisions"]) {
    if (!decision["melded"].get<bool>()) {
      EXPECT_FALSE(decision.contains("sides"));
      continue;
    }
    if (!decision.contains("sides"))
      continue; // a pass that melds no two sides
    ++melded;
    const std::string place = decision["location"];
    EXPECT_NE(place.find("diamond.hip:10"), std::string::npos) << place;
    size_t both = 0, stores = 0;
    for (const auto &row : decision["sides"]["rows"]) {
      ASSERT_EQ(row.size(), 3u);
      const std::string whose = row[0], left = row[1], right = row[2];
      if (whose == "blocks")
        continue;
      EXPECT_EQ(left.empty(), whose.rfind("right", 0) == 0) << row;
      EXPECT_EQ(right.empty(), whose.rfind("left", 0) == 0) << row;
      both += whose == "both";
      if (whose == "both" && left.rfind("store float", 0) == 0) {
        ++stores;
        EXPECT_EQ(left.substr(left.find("  ")), "  diamond.hip:11");
        EXPECT_EQ(right.substr(right.find("  ")), "  diamond.hip:13");
        EXPECT_EQ(right.rfind("store float", 0), 0u) << right;
      }
    }
    EXPECT_GT(both, 2u);
    EXPECT_EQ(stores, 1u);
    EXPECT_EQ(decision["sides"]["leftOut"], 0);
  }
  EXPECT_EQ(melded, 1u) << reply.json;
  // For people: a load must not pay for it.
  if (reply.status == Status::replaced) {
    MemoryBufferRef made(reply.bytes, "made");
    auto marker = nlohmann::json::parse(cantFail(sectionBytes(made, ".meld")).str());
    for (const auto &one : marker["kernels"])
      EXPECT_FALSE(one.contains("decisions")) << one;
    EXPECT_FALSE(marker.contains("functions"));
  }
}

TEST(Compile, deterministic) {
  for (const char *name : {"bitonic-gfx90a", "rdc"})
    for (const char *passes : {"none", ""}) {
      auto a = compileNamed(name, passes), b = compileNamed(name, passes);
      EXPECT_EQ(a.status, b.status);
      EXPECT_EQ(a.reason, b.reason);
      EXPECT_TRUE(a.bytes == b.bytes) << name;
    }
}

TEST(Compile, unitsOfOneDeviceLinkBecomeOneObject) {
  auto file = codeObject("rdc");
  auto reply = compileNamed("rdc");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  auto before = readKernels(*file), after = readKernels(MemoryBufferRef(reply.bytes, "made"));
  ASSERT_TRUE(before && after);
  ASSERT_EQ(after->size(), 2u);
  ASSERT_EQ(before->size(), 2u);
  for (auto &b :
       *before) { // both units reached across: everything is inlined, as the original link did
    auto a = std::find_if(after->begin(), after->end(),
                          [&](const Kernel &k) { return k.name == b.name; });
    ASSERT_NE(a, after->end()) << b.name;
    EXPECT_EQ(a->resources.scratchBytes, b.resources.scratchBytes) << b.name;
    EXPECT_EQ(a->resources.ldsBytes, b.resources.ldsBytes) << b.name;
  }
}

TEST(Compile, unitsLinkedAsMachineCodeBecomeOneObject) {
  auto file = codeObject("rdc_notes");
  ASSERT_TRUE(file);
  auto before = readKernels(*file);
  ASSERT_TRUE(bool(before)) << toString(before.takeError());
  ASSERT_EQ(before->size(), 2u);
  auto reply = compileNamed("rdc_notes");
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  auto after = readKernels(MemoryBufferRef(reply.bytes, "made"));
  ASSERT_TRUE(bool(after)) << toString(after.takeError());
  ASSERT_EQ(after->size(), 2u);
}

TEST(Compile, unchangedSaysWhy) {
  auto plain = compileNamed("reduce-plain", "");
  EXPECT_EQ(plain.status, Status::unchanged);
  EXPECT_EQ(plain.reason, "no bitcode");
  EXPECT_TRUE(plain.permanent);
  EXPECT_TRUE(plain.bytes.empty());
  EXPECT_EQ(compileNamed("reduce-O0", "").reason, "compiled with -O0");

  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.kernelInclude = "^nothing$";
  EXPECT_EQ(compile(r).reason, "no kernel selected");
  r.meld.kernelInclude = "";
  r.meld.kernelExclude = "bit.*";
  EXPECT_EQ(compile(r).reason, "no kernel selected");
}

TEST(Compile, badRequestsFailWithAReason) {
  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.kernelInclude = "(";
  auto reply = compile(r);
  EXPECT_EQ(reply.status, Status::failed);
  EXPECT_NE(reply.reason.find("kernel include"), std::string::npos) << reply.reason;
  r.meld.kernelInclude = "";
  r.isa = "amdgcn-amd-amdhsa--gfx900";
  reply = compile(r);
  EXPECT_EQ(reply.status, Status::failed);
  EXPECT_TRUE(reply.permanent);
  EXPECT_NE(reply.reason.find("gfx900"), std::string::npos);
  r.isa = "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-";
  r.meld.passes = "none";
  EXPECT_EQ(compile(r).status, Status::replaced);
}

nlohmann::json kernelOf(const CompileReply &reply, const char *name) {
  auto json = nlohmann::json::parse(reply.json);
  for (auto &k : json["kernels"])
    if (k["name"] == name)
      return k;
  return {};
}

TEST(Compile, bitonicSortIsMelded) {
  for (const char *name : {"bitonic-gfx90a", "bitonic-gfx900"}) {
    auto file = codeObject(name);
    auto reply = compileNamed(name, "");
    ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
    auto before = readKernels(*file), after = readKernels(MemoryBufferRef(reply.bytes, "made"));
    ASSERT_TRUE(before && after);
    EXPECT_LT(after->front().code.size(), before->front().code.size() * 7 / 10);
    auto k = kernelOf(reply, "bitonic");
    EXPECT_TRUE(k["melded"].get<bool>());
    EXPECT_GT(k["gainPercent"].get<double>(), 0);
    bool melded = false;
    for (auto &d : k["decisions"])
      melded |= d["melded"].get<bool>();
    EXPECT_TRUE(melded);
  }
}

// The verdict is each kernel's own: what is not kept comes back with the original's instructions.
TEST(Compile, kernelsOfOneModuleAreJudgedOneByOne) {
  auto file = codeObject("mixed");
  for (const char *exclude : {"", "^bitonic$", "^(diamond|viaFunction)$"}) {
    CompileRequest r;
    r.codeObject = file->getBuffer();
    r.meld.kernelExclude = exclude;
    auto reply = compile(r);
    ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
    auto before = readKernels(*file), after = readKernels(MemoryBufferRef(reply.bytes, "made"));
    ASSERT_TRUE(before && after);
    ASSERT_EQ(before->size(), 4u);
    unsigned melded = 0;
    for (size_t i = 0; i < before->size(); ++i) {
      auto k = kernelOf(reply, (*before)[i].name.c_str());
      if (k["melded"].get<bool>()) {
        ++melded;
        EXPECT_LT(k["after"]["estimatedCycles"].get<double>(),
                  k["before"]["estimatedCycles"].get<double>());
        EXPECT_GE(k["after"]["wavesPerSimd"].get<int>(), k["before"]["wavesPerSimd"].get<int>());
      } else {
        EXPECT_EQ((*before)[i].code.size(), (*after)[i].code.size()) << (*before)[i].name;
        EXPECT_EQ((*before)[i].resources.vgprs, (*after)[i].resources.vgprs) << (*before)[i].name;
      }
    }
    EXPECT_GT(melded, 0u);
    EXPECT_FALSE(StringRef(exclude).contains("bitonic") &&
                 kernelOf(reply, "bitonic")["melded"].get<bool>());
    EXPECT_FALSE(StringRef(exclude).contains("diamond") &&
                 kernelOf(reply, "diamond")["melded"].get<bool>());
  }
}

// A write that fails is fatal to LLVM, at the end of an object's life.
TEST(Compile, withoutRoomForTemporaryFilesNothingIsBegun) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 8192;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto reply = compileNamed("bitonic-gfx90a", "");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(reply.status, Status::failed);
  EXPECT_FALSE(reply.permanent) << "another process may have room";
  EXPECT_NE(reply.reason.find("RLIMIT_FSIZE, 8192 bytes"), std::string::npos) << reply.reason;
  EXPECT_EQ(compileNamed("bitonic-gfx90a", "").status, Status::replaced);
}

TEST(Compile, profitThresholdIsObeyed) {
  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.minProfit = 1000;
  auto reply = compile(r);
  EXPECT_EQ(reply.status, Status::unchanged);
  EXPECT_NE(reply.reason.find("nothing profitable"), std::string::npos) << reply.reason;
}

// LLVM's instruction selection ends the process on an intrinsic of another target.
TEST(Compile, fatalErrorInTheBackEndFailsAndNothingElse) {
  auto bad = edited("diamond-gfx90a", [](Module &m) {
    auto *f = Function::Create(FunctionType::get(Type::getVoidTy(m.getContext()), false),
                               Function::ExternalLinkage, "llvm.x86.sse2.pause", m);
    IRBuilder<> builder(&*m.getFunction("diamond")->getEntryBlock().getFirstInsertionPt());
    builder.CreateCall(f);
  });
  CompileRequest r;
  r.codeObject = bad;
  r.meld.passes = "none";
  unwoundThroughLlvm = true;
  for (int i = 0; i < 2; ++i) {
    auto reply = compile(r);
    EXPECT_EQ(reply.status, Status::failed);
    EXPECT_FALSE(reply.permanent);
    EXPECT_NE(reply.reason.find("fatal error"), std::string::npos) << reply.reason;
    EXPECT_TRUE(reply.bytes.empty());
    // comgr's lock was released: the next compile works.
    EXPECT_EQ(compileNamed("diamond-gfx90a").status, Status::replaced);
  }
}

TEST(Compile, undefinedSymbolsAreNoticed) {
  // comgr's link lets them pass, the loader would not.
  auto bad = edited("diamond-gfx90a", [](Module &m) {
    auto callee = m.getOrInsertFunction("nowhere", Type::getVoidTy(m.getContext()));
    IRBuilder<> builder(&*m.getFunction("diamond")->getEntryBlock().getFirstInsertionPt());
    builder.CreateCall(callee);
  });
  CompileRequest r;
  r.codeObject = bad;
  r.meld.passes = "none";
  auto reply = compile(r);
  // The gate notices, or lld ("undefined symbol: nowhere") where comgr's link does.
  if (reply.status == Status::failed) {
    EXPECT_NE(reply.reason.find("undefined symbol: nowhere"), std::string::npos) << reply.reason;
  } else {
    EXPECT_TRUE(is_contained(gateFindings(bad, reply.bytes),
                             "symbol-added [nowhere]: refers to a new symbol"));
  }
}

TEST(Compile, missingKernelIsNoticed) {
  auto bad =
      edited("diamond-gfx90a", [](Module &m) { m.getFunction("diamond")->eraseFromParent(); });
  CompileRequest r;
  r.codeObject = bad;
  r.meld.passes = "none";
  auto reply = compile(r);
  EXPECT_EQ(reply.status, Status::failed);
  EXPECT_NE(reply.reason.find("diamond"), std::string::npos) << reply.reason;
}

TEST(Compile, missingGlobalIsNoticed) {
  auto bad = edited("reduce-gfx90a",
                    [](Module &m) { m.getGlobalVariable("offsets")->setName("renamed"); });
  CompileRequest r;
  r.codeObject = bad;
  r.meld.passes = "none";
  auto reply = compile(r);
  EXPECT_EQ(reply.status, Status::replaced);
  EXPECT_TRUE(
      is_contained(gateFindings(bad, reply.bytes), "symbol-missing [offsets]: symbol is missing"));
}

// Damaged IR may crash LLVM itself, which closes the guard: hence a process of its own.
int compileDamaged() {
  auto file = codeObject("diamond-gfx900");
  auto object = readDeviceObject(*file);
  if (!object)
    return 1;
  unwoundThroughLlvm = true; // some of the damage is a crash that the guard survives
  std::mt19937 random(3);
  unsigned failed = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bitcode = object->modules[0].str();
    for (int k = 0; k < 1 + i % 3; ++k)
      bitcode[4 + random() % (bitcode.size() - 4)] ^= char(1u << random() % 8);
    auto bad = withSection(file->getBuffer(), ".llvmbc", bitcode);
    CompileRequest r;
    r.codeObject = bad;
    r.meld.passes = "none";
    auto reply = compile(r);
    if (reply.status == Status::failed) {
      ++failed;
      if (reply.reason.empty() || !reply.bytes.empty())
        return 2;
    }
  }
  return failed ? 0 : 3;
}

TEST(CompileDeathTest, damagedBitcodeNeverAborts) {
  EXPECT_EXIT(std::exit(compileDamaged()), testing::ExitedWithCode(0), "");
}

TEST(Compile, dumpsWhatWasAskedFor) {
  SmallString<128> dir;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("meld-dumps", dir));
  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.passes = "none";
  r.dumpDir = dir.str().str();
  r.dump = "isa,cfg,decision";
  ASSERT_EQ(compile(r).status, Status::replaced);
  std::set<std::string> names;
  std::error_code ec;
  for (sys::fs::recursive_directory_iterator it(dir, ec), end; it != end && !ec; it.increment(ec))
    names.insert(sys::path::filename(it->path()).str());
  for (const char *want :
       {"bitonic.before.s", "bitonic.after.s", "bitonic.before.dot", "decisions.json"})
    EXPECT_TRUE(names.count(want)) << want;
  EXPECT_FALSE(names.count("after.ll"));
  sys::fs::remove_directories(dir);
}

TEST(Compile, dumpsBeforeAndAfterMelding) {
  SmallString<128> dir;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("meld-dumps", dir));
  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.dumpDir = dir.str().str();
  r.dump = "ir,cfg";
  ASSERT_EQ(compile(r).status, Status::replaced);
  std::map<std::string, std::string> dumped;
  std::error_code ec;
  for (sys::fs::recursive_directory_iterator it(dir, ec), end; it != end && !ec; it.increment(ec))
    if (auto content = MemoryBuffer::getFile(it->path()))
      dumped[sys::path::filename(it->path()).str()] = (*content)->getBuffer().str();
  for (const char *ir : {"before.ll", "after.ll"}) {
    LLVMContext context;
    SMDiagnostic problem;
    auto module = parseIR(MemoryBufferRef(dumped[ir], ir), problem, context);
    ASSERT_TRUE(module) << ir << ": " << problem.getMessage().str();
    EXPECT_TRUE(std::any_of(module->begin(), module->end(), [](const Function &f) {
      return f.getCallingConv() == CallingConv::AMDGPU_KERNEL && !f.isDeclaration();
    })) << ir;
  }
  EXPECT_NE(dumped["before.ll"], dumped["after.ll"]);
  for (const char *graph : {"bitonic.before.dot", "bitonic.after.dot"}) {
    EXPECT_EQ(dumped[graph].rfind("digraph", 0), 0u) << graph;
    EXPECT_NE(dumped[graph].find("->"), std::string::npos) << graph;
  }
  EXPECT_NE(dumped["bitonic.before.dot"], dumped["bitonic.after.dot"]);
  EXPECT_FALSE(dumped.count("bitonic.after.s"));
  sys::fs::remove_directories(dir);
}

TEST(Compile, unwritableDumpDirectoryOnlyWarns) {
  auto file = codeObject("bitonic-gfx90a");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.passes = "none";
  r.dumpDir = "/proc/no-such-place";
  bool warned = false;
  r.log = [&](int level, const std::string &m) {
    warned |= level == 2 && m.find("/proc/no-such-place") != std::string::npos;
  };
  EXPECT_EQ(compile(r).status, Status::replaced);
  EXPECT_TRUE(warned);
}

} // namespace
