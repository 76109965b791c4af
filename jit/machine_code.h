// Machine code as a control-flow graph with static frequencies, by the names that jit/ uses for it.
// See passes/cost/machine_code.h.
#pragma once

#include "jit/code_object.h"
#include "passes/cost/machine_code.h"

namespace meld::jit {

using passes::Disassembler;
using passes::Flow;
using passes::loopTrips;
using passes::MachineBlock;
using passes::MachineFunction;
using passes::MachineInstruction;
using passes::toDot;

} // namespace meld::jit
