#include "tests/runtime/softgpu/mem/assembler.h"
#include "passes/compat.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

namespace meld::softgpu::test {

using namespace llvm;

namespace {

/// GFX11's names for those of GFX9 and GFX10 that LLVM has no alias for ("RDNA3" ISA, chapter 16).
constexpr std::pair<StringLiteral, StringLiteral> kGfx11[] = {
    {"load_ubyte_d16_hi", "load_d16_hi_u8"},   {"load_ubyte_d16", "load_d16_u8"},
    {"load_sbyte_d16_hi", "load_d16_hi_i8"},   {"load_sbyte_d16", "load_d16_i8"},
    {"load_short_d16_hi", "load_d16_hi_b16"},  {"load_short_d16", "load_d16_b16"},
    {"store_byte_d16_hi", "store_d16_hi_b8"},  {"store_short_d16_hi", "store_d16_hi_b16"},
    {"atomic_fcmpswap", "atomic_cmpswap_f32"}, {"atomic_fmin", "atomic_min_f32"},
    {"atomic_fmax", "atomic_max_f32"},         {"atomic_csub", "atomic_csub_u32"},
    {"load_dword_addtid", "load_addtid_b32"},  {"store_dword_addtid", "store_addtid_b32"},
};

std::string named(std::string text, StringRef cpu) {
  if (passes::compat::startsWith(cpu, "gfx11"))
    for (const auto &[before, now] : kGfx11)
      if (const size_t at = text.find(before.str() + " "); at != std::string::npos)
        return text.replace(at, before.size(), now.str());
  return text;
}

} // namespace

std::vector<uint8_t> assemble(const std::string &text, const std::string &cpu) {
  static const bool ready = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)ready;
  const Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple.str(), error);
  if (!target)
    return {};
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple.str()));
  std::unique_ptr<MCAsmInfo> asmInfo(target->createMCAsmInfo(*registers, triple.str(), options));
  std::unique_ptr<MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple.str(), cpu, ""));
  SourceMgr sources;
  sources.setDiagHandler([](const SMDiagnostic &, void *) {});
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(named(text, cpu) + "\n"), SMLoc());
  MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<MCObjectFileInfo> files(target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(files.get());

  SmallString<1024> bytes;
  raw_svector_ostream out(bytes);
  std::unique_ptr<MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  auto writer = backend->createObjectWriter(out);
#if LLVM_VERSION_MAJOR >= 20
  std::unique_ptr<MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
#else
  std::unique_ptr<MCStreamer> streamer(
      target->createMCObjectStreamer(triple, context, std::move(backend), std::move(writer),
                                     std::move(emitter), *subtarget, true, true, false));
#endif
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(false))
    return {};
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "test"));
  if (!object) {
    consumeError(object.takeError());
    return {};
  }
  for (const object::SectionRef &section : (*object)->sections()) {
    Expected<StringRef> name = section.getName();
    Expected<StringRef> contents = section.getContents();
    if (name && contents && *name == ".text")
      return {contents->bytes_begin(), contents->bytes_end()};
    if (!name)
      consumeError(name.takeError());
    if (!contents)
      consumeError(contents.takeError());
  }
  return {};
}

} // namespace meld::softgpu::test
