// What is not melded beside what is: kernels that are left out are the original's code, variables
// lie where their declarations allow.
#include "jit/code_object.h"
#include "jit/compile.h"
#include "jit/same_code.h"
#include "jit/units.h"
#include "tests/jit/gate_view.h"
#include "tests/jit/test_objects.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <nlohmann/json.hpp>

using namespace llvm;
using namespace meld::jit;
using namespace meld::jit::test;
using Status = CompileReply::Status;

namespace {

/// The kernels whose code is not the original's.
std::set<std::string> changed(StringRef original, StringRef made) {
  auto before = readKernels(MemoryBufferRef(original, "original")),
       after = readKernels(MemoryBufferRef(made, "made"));
  EXPECT_TRUE(before && after);
  auto disassembler = cantFail(Disassembler::create("gfx90a"));
  std::set<std::string> names;
  for (size_t i = 0; i < before->size(); ++i)
    if (!isSameCode(disassembler, (*before)[i], (*after)[i]))
      names.insert((*before)[i].name);
  return names;
}

TEST(Kept, KernelsThatAreLeftOutAreTheOriginals) {
  auto file = codeObject("kept");
  for (const bool include : {true, false}) {
    CompileRequest r;
    r.codeObject = file->getBuffer();
    (include ? r.meld.kernelInclude : r.meld.kernelExclude) =
        include ? "^sides$" : "^(longestMatch|window)$";
    const auto reply = compile(r);
    ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
    EXPECT_EQ(changed(file->getBuffer(), reply.bytes), std::set<std::string>{"sides"});
    EXPECT_EQ(reply.reason, "1 kernel(s) improved");
  }
}

// Nor do those change in which nothing is found to meld.
TEST(Kept, KernelsWithNothingToMeldAreTheOriginals) {
  auto file = codeObject("kept");
  CompileRequest r;
  r.codeObject = file->getBuffer();
  r.meld.without.insert("scalarize");
  r.meld.passes = "branch-fusion";
  const auto reply = compile(r);
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;
  const auto json = nlohmann::json::parse(reply.json);
  std::set<std::string> melded;
  for (const auto &kernel : json["kernels"])
    for (const auto &decision : kernel["decisions"])
      if (decision["melded"].get<bool>())
        melded.insert(kernel["name"].get<std::string>());
  ASSERT_EQ(melded, std::set<std::string>{"sides"});
  EXPECT_EQ(changed(file->getBuffer(), reply.bytes), melded);
}

/// The object with bitcode in which the left-out kernel does one store more.
std::string otherBitcode(StringRef kernelName) {
  auto file = codeObject("kept");
  auto object = cantFail(readDeviceObject(*file));
  LLVMContext context;
  auto module = cantFail(parseUnits(object.modules, context));
  Function &kernel = *module->getFunction(kernelName);
  IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  builder.CreateStore(builder.getInt8(0), kernel.getArg(0), /*isVolatile=*/true);
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(*module, os);
  return withSection(file->getBuffer(), ".llvmbc", bitcode);
}

// Bitcode that does not give the kernel's code: what the user has left out would be exchanged
// without being asked for, whatever the estimate says, and forced or not.
TEST(Kept, AKernelThatIsLeftOutIsNeverExchanged) {
  const std::string object = otherBitcode("window");
  for (const bool force : {false, true}) {
    CompileRequest r;
    r.codeObject = object;
    r.meld.kernelInclude = "^sides$";
    r.meld.force = force;
    const auto reply = compile(r);
    EXPECT_EQ(reply.status, Status::unchanged) << force;
    EXPECT_NE(reply.reason.find("window: left out, and a recompile does not give its code"),
              std::string::npos)
        << reply.reason;
  }
}

// A variable in front of the others, of an odd size: they all move.
TEST(Kept, VariablesMayMoveAsFarAsTheirDeclarationsAllow) {
  auto file = codeObject("kept");
  auto object = cantFail(readDeviceObject(*file));
  LLVMContext context;
  auto module = cantFail(parseUnits(object.modules, context));
  Type *type = Type::getInt16Ty(context);
  for (const char *neighbour : {"shorts", "floats"}) {
    auto *next = module->getNamedGlobal(neighbour);
    auto *front =
        new GlobalVariable(*module, type, next->isConstant(), GlobalValue::InternalLinkage,
                           ConstantInt::get(type, 9), Twine("front.of.") + neighbour, next,
                           GlobalValue::NotThreadLocal, next->getType()->getAddressSpace());
    front->setAlignment(Align(2));
    Function &kernel = *module->getFunction("sides");
    IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    builder.CreateLoad(type, front, /*isVolatile=*/true);
  }
  SmallString<0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(*module, os);
  const std::string edited = withSection(file->getBuffer(), ".llvmbc", bitcode);
  CompileRequest r;
  r.codeObject = edited;
  r.meld.kernelInclude = "^sides$";
  r.meld.force = true; // it is not about gain
  const auto reply = compile(r);
  ASSERT_EQ(reply.status, Status::replaced) << reply.reason;

  // As far as the test goes: it has moved, and what was aligned by chance no longer is.
  EXPECT_EQ(addressOf(edited, "shorts") % 64, 0u);
  EXPECT_NE(addressOf(reply.bytes, "shorts") % 64, 0u);
  EXPECT_EQ(addressOf(reply.bytes, "shorts") % 2, 0u);
  EXPECT_EQ(addressOf(reply.bytes, "floats") % 4, 0u);
  EXPECT_EQ(addressOf(reply.bytes, "strict") % 64, 0u);
  const auto marker = nlohmann::json::parse(
      cantFail(sectionBytes(MemoryBufferRef(reply.bytes, ""), ".meld")).str());
  EXPECT_EQ(marker["variables"]["shorts"], 2); // alignof(short)
  EXPECT_EQ(marker["variables"]["floats"], 4);
  EXPECT_EQ(marker["variables"]["strict"], 64);
  EXPECT_EQ(gateFindings(edited, reply.bytes), std::vector<std::string>{});
}

} // namespace
