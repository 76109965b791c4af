#include "passes/cost/machine_code.h"
#include "passes/compat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace llvm;

namespace meld::passes {

using compat::startsWith;

struct Disassembler::State {
  Triple triple{"amdgcn-amd-amdhsa"};
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> assembler;
  std::unique_ptr<MCInstrInfo> instructions;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> decoder;
  std::unique_ptr<MCInstPrinter> printer;
  unsigned exec = 0; ///< the register; its halves are parts of it
};

Disassembler::Disassembler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Disassembler::Disassembler(Disassembler &&) noexcept = default;
Disassembler &Disassembler::operator=(Disassembler &&) noexcept = default;
Disassembler::~Disassembler() = default;

static Error noMachine(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

// Registering twice is harmless; the table is not locked, so once.
static void initializeDecoder() {
  static const bool once = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  (void)once;
}

Expected<Disassembler> Disassembler::create(StringRef processor) {
  initializeDecoder();
  auto s = std::make_unique<State>();
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(s->triple.str(), error);
  if (!target)
    return noMachine("LLVM: " + error);
  s->registers.reset(target->createMCRegInfo(s->triple.str()));
  s->assembler.reset(target->createMCAsmInfo(*s->registers, s->triple.str(), s->options));
  s->instructions.reset(target->createMCInstrInfo());
  s->subtarget.reset(target->createMCSubtargetInfo(s->triple.str(), processor, ""));
  if (!s->registers || !s->assembler || !s->instructions || !s->subtarget)
    return noMachine("LLVM: no machine-code support for " + processor);
  s->context = std::make_unique<MCContext>(s->triple, s->assembler.get(), s->registers.get(),
                                           s->subtarget.get());
  s->decoder.reset(target->createMCDisassembler(*s->subtarget, *s->context));
  s->printer.reset(
      target->createMCInstPrinter(s->triple, 0, *s->assembler, *s->instructions, *s->registers));
  if (!s->decoder || !s->printer)
    return noMachine("LLVM: no disassembler for " + processor);
  for (unsigned r = 1; r < s->registers->getNumRegs(); ++r)
    if (StringRef(s->registers->getName(r)) == "EXEC")
      s->exec = r;
  return Disassembler(std::move(s));
}

namespace {

Flow flowOf(StringRef name) {
  if (startsWith(name, "S_ENDPGM") || startsWith(name, "S_SETPC"))
    return Flow::end;
  if (startsWith(name, "S_BRANCH"))
    return Flow::jump;
  if (startsWith(name, "S_CBRANCH_EXECZ"))
    return Flow::branchIfNoLanes;
  if (startsWith(name, "S_CBRANCH_EXECNZ"))
    return Flow::branchIfLanes;
  if (startsWith(name, "S_CBRANCH"))
    return Flow::uniformBranch;
  return Flow::next;
}

// LLVM's descriptions of encoded instructions lack what these write implicitly.
bool namesExec(StringRef name) {
  return name.contains("SAVEEXEC") || name.contains("WREXEC") || startsWith(name, "V_CMPX");
}

/// s_or_saveexec_b64 s[4:5], -1
bool turnsAllOn(StringRef name, const MCInst &inst) {
  return (startsWith(name, "S_OR_SAVEEXEC") || startsWith(name, "S_XOR_SAVEEXEC")) &&
         any_of(inst,
                [](const MCOperand &operand) { return operand.isImm() && operand.getImm() == -1; });
}

/// For MachineFunction::lanesMoved.
struct LaneUses {
  std::vector<MCRegister> used;              // by each instruction but reading and writing lanes
  SmallSetVector<MCRegister, 8> withScalars; // whose lanes are written
  bool saving = false; // a function saves what its caller has in the lanes that are off

  void note(const MachineInstruction &instruction, const MCInst &inst) {
    const StringRef name = instruction.name;
    if (startsWith(name, "V_WRITELANE"))
      withScalars.insert(inst.getOperand(0).getReg());
    else if (!startsWith(name, "V_READLANE") && !saving)
      for (const MCOperand &operand : inst)
        if (operand.isReg() && MCRegister(operand.getReg()).isValid())
          used.push_back(operand.getReg());
    if (instruction.writesExec || instruction.flow != Flow::next)
      saving = instruction.turnsAllOn && startsWith(name, "S_XOR_SAVEEXEC");
  }
  uint32_t moved(const MCRegisterInfo &registers) const {
    return uint32_t(count_if(used, [&](MCRegister one) {
      return any_of(withScalars,
                    [&](MCRegister other) { return registers.regsOverlap(one, other); });
    }));
  }
};

// The decoder attaches no target, so read SOPP's simm16 ourselves (words after the branch).
uint64_t branchTarget(const MCInst &inst, uint64_t address) {
  if (inst.getNumOperands() == 0 || !inst.getOperand(0).isImm())
    return 0;
  return address + 4 + uint64_t(int64_t(int16_t(inst.getOperand(0).getImm())) * 4);
}

void makeBlocks(MachineFunction &f) {
  std::map<uint64_t, size_t> at; // address -> instruction
  for (size_t i = 0; i < f.instructions.size(); ++i)
    at[f.instructions[i].address] = i;
  std::vector<char> leader(f.instructions.size(), 0);
  if (!leader.empty())
    leader[0] = 1;
  for (size_t i = 0; i < f.instructions.size(); ++i) {
    const auto &inst = f.instructions[i];
    if (inst.flow == Flow::next)
      continue;
    if (i + 1 < leader.size())
      leader[i + 1] = 1;
    if (auto it = at.find(inst.target); inst.flow != Flow::end && it != at.end())
      leader[it->second] = 1;
  }
  std::vector<size_t> blockOf(f.instructions.size());
  for (size_t i = 0; i < f.instructions.size(); ++i) {
    if (leader[i])
      f.blocks.push_back({i, 0, {}, 0, 0, 0});
    ++f.blocks.back().count;
    blockOf[i] = f.blocks.size() - 1;
  }
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    auto &block = f.blocks[b];
    const auto &last = f.instructions[block.first + block.count - 1];
    if (last.flow != Flow::end && last.flow != Flow::jump && b + 1 < f.blocks.size())
      block.successors.push_back(b + 1); // the fall-through always comes first
    if (last.flow != Flow::end && last.flow != Flow::next)
      if (auto it = at.find(last.target); it != at.end())
        block.successors.push_back(blockOf[it->second]);
  }
}

struct Order {
  std::vector<size_t> blocks;   // reverse post-order
  std::vector<size_t> position; // of a block in it; npos: unreachable
};
constexpr size_t npos = size_t(-1);

Order reversePostOrder(const MachineFunction &f) {
  Order order;
  order.position.assign(f.blocks.size(), npos);
  std::vector<char> seen(f.blocks.size(), 0);
  std::vector<std::pair<size_t, size_t>> stack;
  if (!f.blocks.empty()) {
    stack.push_back({0, 0});
    seen[0] = 1;
  }
  while (!stack.empty()) {
    auto &[b, next] = stack.back();
    if (next < f.blocks[b].successors.size()) {
      size_t s = f.blocks[b].successors[next++];
      if (!seen[s]) {
        seen[s] = 1;
        stack.push_back({s, 0});
      }
    } else {
      order.blocks.push_back(b);
      stack.pop_back();
    }
  }
  std::reverse(order.blocks.begin(), order.blocks.end());
  for (size_t i = 0; i < order.blocks.size(); ++i)
    order.position[order.blocks[i]] = i;
  return order;
}

// Immediate dominators (Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm").
std::vector<size_t> dominators(const MachineFunction &f, const Order &order,
                               const std::vector<std::vector<size_t>> &predecessors) {
  std::vector<size_t> idom(f.blocks.size(), npos);
  if (order.blocks.empty())
    return idom;
  idom[order.blocks[0]] = order.blocks[0];
  auto meet = [&](size_t a, size_t b) {
    while (a != b) {
      while (order.position[a] > order.position[b])
        a = idom[a];
      while (order.position[b] > order.position[a])
        b = idom[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order.blocks.size(); ++i) {
      size_t b = order.blocks[i], d = npos;
      for (size_t p : predecessors[b])
        if (idom[p] != npos)
          d = d == npos ? p : meet(p, d);
      if (idom[b] != d) {
        idom[b] = d;
        changed = true;
      }
    }
  }
  return idom;
}

void findFrequencies(MachineFunction &f, unsigned waveSize, const RunFacts &known) {
  Order order = reversePostOrder(f);
  std::vector<std::vector<size_t>> predecessors(f.blocks.size());
  for (size_t b : order.blocks)
    for (size_t s : f.blocks[b].successors)
      predecessors[s].push_back(b);
  auto idom = dominators(f, order, predecessors);
  auto dominates = [&](size_t a, size_t b) {
    while (order.position[b] > order.position[a])
      b = idom[b];
    return a == b;
  };

  // Natural loops, one per header; innermost header per block by loop size.
  std::map<size_t, std::vector<char>> loops;
  for (size_t b : order.blocks)
    for (size_t h : f.blocks[b].successors) {
      if (!dominates(h, b))
        continue;
      auto &body = loops[h];
      body.resize(f.blocks.size(), 0);
      body[h] = 1;
      std::vector<size_t> work{b};
      while (!work.empty()) {
        size_t x = work.back();
        work.pop_back();
        if (body[x])
          continue;
        body[x] = 1;
        work.insert(work.end(), predecessors[x].begin(), predecessors[x].end());
      }
    }
  for (auto &[header, body] : loops)
    for (size_t b = 0; b < body.size(); ++b)
      f.blocks[b].loopDepth += body[b] ? 1 : 0;

  auto staysInLoops = [&](size_t from, size_t to) {
    for (auto &[header, body] : loops)
      if (body[from] && !body[to])
        return false;
    return true;
  };
  // Acyclic part: probability of reaching a block in one round of its loop.
  std::vector<double> reach(f.blocks.size(), 0);
  if (!order.blocks.empty())
    reach[order.blocks[0]] = f.blocks[order.blocks[0]].lanes = 1;
  auto someOf = [&](double lanes) { return 1 - std::pow(1 - lanes, waveSize); };
  for (size_t b : order.blocks) {
    auto &block = f.blocks[b];
    reach[b] = std::min(reach[b], 1.0);
    const auto &last = f.instructions[block.first + block.count - 1];
    const double someLeft = block.lanes > 0 ? someOf(block.lanes / 2) / someOf(block.lanes) : 1;
    for (size_t i = 0; i < block.successors.size(); ++i) {
      size_t s = block.successors[i];
      if (order.position[s] <= order.position[b])
        continue; // back edge
      bool isTarget = i == 1 || block.successors.size() == 1;
      const bool forSome = block.successors.size() == 2 &&
                           last.flow == (isTarget ? Flow::branchIfLanes : Flow::branchIfNoLanes);
      f.blocks[s].lanes = std::max(f.blocks[s].lanes, forSome ? block.lanes / 2 : block.lanes);
      double share = 1;
      bool leaves =
          block.successors.size() == 2 &&
          (!staysInLoops(b, block.successors[0]) || !staysInLoops(b, block.successors[1]) ||
           order.position[block.successors[1 - i]] <= order.position[b]);
      if (block.successors.size() == 2 && !leaves) {
        if (last.flow == Flow::uniformBranch)
          share = 0.5;
        else if (last.flow == Flow::branchIfNoLanes)
          share = isTarget ? 1 - someLeft : someLeft;
        else if (last.flow == Flow::branchIfLanes)
          share = isTarget ? someLeft : 1 - someLeft;
      }
      reach[s] += reach[b] * share;
    }
  }
  for (size_t b : order.blocks) {
    double trips = 1;
    for (unsigned d = 0; d < f.blocks[b].loopDepth; ++d)
      trips *= known.tripsAt(d);
    f.blocks[b].frequency = reach[b] * trips;
  }
  f.order = std::move(order.blocks);
}

} // namespace

MachineFunction Disassembler::decode(const MachineKernel &kernel, const RunFacts &known) const {
  MachineFunction f;
  LaneUses lanes;
  for (uint64_t at = 0; at < kernel.code.size();) {
    MCInst inst;
    uint64_t size = 0;
    uint64_t address = kernel.address + at;
    auto status =
        state_->decoder->getInstruction(inst, size, kernel.code.slice(at), address, nulls());
    MachineInstruction m;
    m.address = address;
    if (status == MCDisassembler::Fail || size == 0) {
      size = std::min<uint64_t>(4, kernel.code.size() - at);
    } else {
      m.name = state_->instructions->getName(inst.getOpcode()).str();
      m.flow = flowOf(m.name);
      m.writesExec =
          namesExec(m.name) || state_->instructions->get(inst.getOpcode())
                                   .hasDefOfPhysReg(inst, state_->exec, *state_->registers);
      if (m.flow != Flow::next && m.flow != Flow::end)
        m.target = branchTarget(inst, address);
      m.turnsAllOn = turnsAllOn(m.name, inst);
      lanes.note(m, inst);
    }
    m.size = uint32_t(size);
    if (size >= 4)
      m.immediate = support::endian::read16le(kernel.code.data() + at);
    f.instructions.push_back(std::move(m));
    at += size;
  }
  f.lanesMoved = lanes.moved(*state_->registers);
  makeBlocks(f);
  findFrequencies(f, kernel.resources.waveSize, known);
  return f;
}

std::string Disassembler::print(const MachineKernel &kernel) const {
  MachineFunction f = decode(kernel);
  std::string text;
  raw_string_ostream os(text);
  os << kernel.name << ":\n";
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const auto &block = f.blocks[b];
    os << formatv("; block {0}, loop depth {1}, frequency {2:f3}\n", b, block.loopDepth,
                  block.frequency);
    for (size_t i = block.first; i < block.first + block.count; ++i) {
      const auto &m = f.instructions[i];
      uint64_t at = m.address - kernel.address;
      os << formatv("  {0:x-6}:", at);
      MCInst inst;
      uint64_t size = 0;
      if (!m.name.empty() &&
          state_->decoder->getInstruction(inst, size, kernel.code.slice(at), m.address, nulls()) !=
              MCDisassembler::Fail)
        state_->printer->printInst(&inst, m.address, "", *state_->subtarget, os);
      else
        os << "\t<not an instruction>";
      if (m.target)
        os << formatv("  ; -> {0:x-6}", m.target - kernel.address);
      os << '\n';
    }
  }
  return os.str();
}

std::string toDot(const MachineFunction &f, StringRef title) {
  std::string text;
  raw_string_ostream os(text);
  os << "digraph \"" << title << "\" {\n  node [shape=box];\n";
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const auto &block = f.blocks[b];
    os << formatv("  b{0} [label=\"{0}\\n{1} instructions, depth {2}, frequency {3:f3}\"];\n", b,
                  block.count, block.loopDepth, block.frequency);
    for (size_t s : block.successors)
      os << formatv("  b{0} -> b{1};\n", b, s);
  }
  os << "}\n";
  return os.str();
}

} // namespace meld::passes
