"""Mutations for units.py: one check each, where it stands, what it is replaced by, and the tests that have to notice."""
from collections import namedtuple

# `test` is the target, `filter` what it is to run, `users` the sources to compile again because they read a mutated header.
# `library`: the check ends up in this shared library, and `source` is the test's, with the libraries' place in a macro.
Unit = namedtuple("Unit", "name file text replacement test filter users library source seconds redundant also",
                  defaults=[(), "", "", 60, "", ()])
units = []


def add(test, filter, file, mutations, **more):
    for name, text, replacement, *rest in mutations:
        one = dict(test=test, filter=filter, **more)
        one.update(*rest)
        units.append(Unit(name, file, text, replacement, **one))


# What may run beside an original, and with which packet.
add("gate_test", "VersionGate*:*/VersionGate*:VersionPacket*", "runtime/gate/version_gate.cpp", [
    ("version gate: targets", "  compareTargets(original, version, add);\n", ""),
    ("version gate: one kernel", "if (version.metadata.kernels.size() != 1)", "if (false)"),
    ("version gate: interfaces", "  compareInterfaces(original, *a, version, *b, add);\n", ""),
    ("version gate: symbols", "  compareSymbols(original, version, *b, add);\n", ""),
    ("version gate: symbols of its own", "if (symbol.defined() && symbol.name != kernel.name &&", "if (false && symbol.name != kernel.name &&"),
    ("version gate: variables are there", "if (!variable || variable->type != STT_OBJECT)", "if (variable && variable->type != STT_OBJECT)"),
    ("version gate: variables are variables", "if (!variable || variable->type != STT_OBJECT)", "if (!variable)"),
    ("version gate: names of dynamic LDS", "if (!symbol.defined() && (!same || same->defined()))", "if (!symbol.defined())"),
    ("version gate: scratch", "if (b->privateSize > a->privateSize)", "if (false)"),
    ("version gate: dynamic stack", "if (b->usesDynamicStack && !a->usesDynamicStack)", "if (false)"),
    ("version gate: LDS", "if (b->groupSize > a->groupSize)", "if (false)"),
    ("version gate: registers", "  compareRegisters(original, *a, *b, lower, add);\n", ""),
    ("packet: dynamic LDS behind other static LDS", "  if (version.groupBytes != original.groupBytes && given.groupBytes != original.groupBytes)", "  if (false)"),
    ("packet: scratch", "  if (version.privateBytes > given.privateBytes)", "  if (false)"),
    ("packet: dynamic stack", "  if (version.dynamicStack && !original.dynamicStack)", "  if (false)"),
    ("packet: scratch that was asked for", "!original.dynamicStack && given.privateBytes == original.privateBytes", "!original.dynamicStack"),
    ("packet: a dynamic stack is the host's", "!original.dynamicStack && given.privateBytes == original.privateBytes",
     "given.privateBytes == original.privateBytes"),
])
add("gate_test", "*", "runtime/gate/kernel_interface.cpp", [
    ("interface: flags", "if (a.e_flags != b.e_flags)", "if (false)"),
    ("interface: code-object version", "if (before.isa.codeObjectVersion != after.isa.codeObjectVersion)", "if (false)"),
    ("interface: metadata version", "if (before.metadata.versionMajor != after.metadata.versionMajor ||\n      before.metadata.versionMinor != after.metadata.versionMinor)",
     "if (false)"),
    ("interface: target of the metadata", "if (before.metadata.target != after.metadata.target)", "if (false)"),
    ("interface: name of the descriptor", "if (a.symbol != b.symbol)", "if (false)"),
    ("interface: size of the arguments", "if (b.kernargSize > a.kernargSize || b.kernargSize < explicitBytes(b))",
     "if (b.kernargSize < explicitBytes(b))"),
    ("interface: size of the explicit arguments", "|| b.kernargSize < explicitBytes(b))", ")"),
    ("interface: alignment of the arguments", "if (b.kernargAlign > a.kernargAlign)", "if (false)"),
    ("interface: explicit arguments", "if (part(a, false) != part(b, false))", "if (false)"),
    ("interface: hidden arguments", "if (std::find(given.begin(), given.end(), arg) == given.end())", "if (false)"),
    ("interface: wave size", "if (a.wavefrontSize != b.wavefrontSize)", "if (false)"),
    ("interface: required size of a workgroup", "if (a.reqdWorkgroupSize != b.reqdWorkgroupSize)", "if (false)"),
    ("interface: largest workgroup", "if (b.maxFlatWorkgroupSize < a.maxFlatWorkgroupSize)", "if (false)"),
    ("interface: descriptor", "if (is->groupSize != b.groupSize || is->privateSize != b.privateSize ||\n      is->wavefrontSize() != b.wavefrontSize)", "if (false)"),
    ("interface: modes of floating point", "if ((was->rsrc1 ^ is->rsrc1) & kFloatModeMask)", "if (false)"),
    ("interface: occupancy", "(was && is ? *is >= *was : !more)", "(was && is ? true : !more)"),
    ("interface: registers of an unknown processor", "(was && is ? *is >= *was : !more)", "(was && is ? *is >= *was : true)"),
    ("interface: cooperative launches", "if (a.cooperative && more)", "if (false)"),
])
add("gate_test", "*", "runtime/gate/gate.cpp", [
    ("gate: kernels that are missing", 'add(GateReason::kernelSet, kernel.name, "kernel is missing");', ";"),
    ("gate: kernels that are new", "if (!before_.metadata.find(kernel.name))", "if (false)"),
    ("gate: scratch", "if (b.privateSize > a.privateSize)", "if (false)",
     {"redundant": "its descriptor says so, too, or does not agree with it, which is a finding"}),
    ("gate: LDS", "if (b.groupSize > a.groupSize)", "if (false)"),
    ("gate: dynamic stack", "if (b.usesDynamicStack && !a.usesDynamicStack)", "if (false)"),
    ("gate: symbols that are missing", "if (!same || !same->defined() || same->type != symbol.type)", "if (!same)"),
    ("gate: symbols that are new", "if (!known.contains(symbol.name) && !namesBuild(symbol))", "if (false)"),
    ("gate: a build's name is new", "if (!known.contains(symbol.name) && !namesBuild(symbol))", "if (!known.contains(symbol.name))"),
    ("gate: size of a variable", "if (a.size != b.size) {", "if (false) {"),
    ("gate: address of a variable", "if (const uint64_t promised = promised_.of(a); is < promised)", "if (const uint64_t promised = promised_.of(a); false)"),
    ("gate: what a variable begins with", "    if (!same)\n      add(GateReason::symbolBytes", "    if (false)\n      add(GateReason::symbolBytes"),
])

# Versions of one kernel: cut down to it, and bound to the original's variables.
bind, isolate, reach = (f"jit/variant/{name}.cpp" for name in ("bind", "isolate", "reach"))
add("version_test", "Bind*:Isolate*", bind, [
    ("bind: calls through pointers", "if (reached.indirectCall)", "if (false)", {"filter": "VersionRefused.codeAddresses"}),
    ("bind: addresses of functions", "if (!reached.addressTaken.empty())", "if (false)"),
    ("bind: aliases", "if (!reached.others.empty())", "if (false)"),
    ("bind: functions without code", "if (function->isDeclaration() && !function->isIntrinsic())", "if (false)"),
    ("bind: other memory", "if (space != globalAddressSpace && space != constantAddressSpace)", "if (false)"),
    ("bind: a variable of each thread", "if (variable->isThreadLocal())", "if (false)"),
    ("bind: sizes", "if (layout.getTypeAllocSize(variable.getValueType()).getFixedValue() != original.size)", "if (false)"),
    ("bind: alignment in the original", "|| !isAligned(counted, original.address))", ")"),
    ("bind: alignment beyond a page", "if (counted.value() > pageBytes ||", "if ("),
    ("bind: only what is defined", "it->second.defined && !it->second.code", "!it->second.code"),
    ("bind: no code", "it->second.defined && !it->second.code", "it->second.defined"),
    ("bind: what nobody else can name", "} else if (!canBeCopied(*variable)) {", "} else if (false) {"),
    ("bind: initial values that hold", "if (!variable.hasDefinitiveInitializer())\n    return false;", ""),
    ("bind: copies whose address is kept", "return isOnlyRead(variable);", "return variable.isConstant();"),
    ("bind: names of functions", "      makeLocal(*function);\n", "      (void)function;\n"),
    ("bind: the rest goes", "  eraseUnreached(reached, module);\n", ""),
])
add("version_test", "Bind*:Isolate*:VersionRefused.whatOnlyTheOriginalCanName", isolate, [
    ("isolate: assembly of the module", "if (!module.getModuleInlineAsm().empty())", "if (false)"),
    ("isolate: what is written to", "!isOnlyRead(*variable))", "false)"),
])
add("version_test", "Bind*:Isolate*", reach, [
    ("reach: calls through pointers", "else if (!reached_.indirectCall)\n          reached_.indirectCall = call;", "",
     {"filter": "VersionRefused.codeAddresses"}),
    ("reach: addresses of functions", "        reached_.addressTaken.insert(f);\n", ""),
    ("reach: addresses of blocks", "        reached_.addressTaken.insert(block->getFunction());\n", ""),
    ("reach: aliases", "        reached_.others.insert(other);\n", ""),
    ("reach: what initial values name", "if (variable.hasInitializer() && follow_(variable))", "if (false)"),
    ("reach: the value, not where it goes", "copy->getArgOperandNo(&use) == 1)", "true)"),
    ("reach: other uses", "if (!isa<GEPOperator, BitCastOperator, AddrSpaceCastOperator, PHINode, SelectInst>(user))\n        return false;", ""),
])

# Floating point that is settled before it is melded (the settling itself: table.py).
add("meld_jit_test", "Verdict.floatingPoint*:Compile.bitonicSortIsMelded", "jit/fp_survey.cpp", [
    ("settled: the original's code", "          !isSameCode(disassembler, *state->second.before, kernel))\n        continue;", "          false)\n        continue;"),
])
add("meld_jit_test", "Settled.*", "passes/transform/fp_choices.cpp", [
    ("settled: names of values do not count", "isValue(name) ? std::to_string(numberOf(name)) : name.str()", "name.str()"),
])
# What is looked at of some kernels alone.
add("meld_jit_test", "Cut.*", "jit/cut.cpp", [
    ("cut: what another kernel writes", "isUsedOutside(*variable, reached))", "false)"),
    ("cut: choices of what is gone", "passes::leavesFpChoices(function, contractAll)", "false"),
])
add("meld_jit_test", "SearchBudget.*", "jit/search_budget.cpp", [
    ("budget: the object's", "price > ofObject_ - spent_ ||", ""),
    ("budget: nothing is free", "std::max<uint64_t>(instructions, 1)", "instructions"),
])
choices = "passes/transform/fp_choices.cpp"
add("passes_tests", "FpChoices.*", choices, [
    ("choices: other flags", "if (otherFlags(*op) || instruction.getMetadata(LLVMContext::MD_fpmath))", "if (instruction.getMetadata(LLVMContext::MD_fpmath))"),
    ("choices: accuracy", "if (otherFlags(*op) || instruction.getMetadata(LLVMContext::MD_fpmath))", "if (otherFlags(*op))"),
    ("choices: product and sum in one", "call && call->getIntrinsicID() == Intrinsic::fmuladd)\n      return true;", "call && false)\n      return true;"),
    ("choices: two that contract", "if (contracting > 1)", "if (false)"),
    ("choices: all contract", "(contractAll && !isSettled(function))", "false"),
    ("choices: the function's own flags", "return any && any_of(looseFpAttributes,", "return false && any_of(looseFpAttributes,"),
    ("choices: who may be changed", "if (only || leavesFpChoices(function, contractAll))", "if (only)"),
    ("choices: nobody while they are settled", "if (only || leavesFpChoices(function, contractAll))", "if (leavesFpChoices(function, contractAll))"),
    ("choices: what goes into callers", "         !leavesChoicesAnywhere(*function.getParent());", "         true;"),
    ("choices: before inlining", "if ((early && awaitsInlining(function)) ||", "if ("),
    ("choices: at its point", "if (!settling_->isDue(function, point_)) {", "if (false) {"),
    ("choices: left open", "      settling_->leftOpen(function);\n", "      ;\n"),
    ("choices: the whole function has a number", "  function.print(os);\n", ""),
])
add("passes_tests", "FpChoices.*", "passes/transform/fp_settler.cpp", [
    ("choices: flags go", "      instruction.copyFastMathFlags(FastMathFlags());\n", ""),
    ("choices: promises of accuracy go", "      instruction.setMetadata(LLVMContext::MD_fpmath, nullptr);\n", ""),
    ("choices: the function's own flags go", "      function_.removeFnAttr(name);\n", ""),
])

# The end of the process while the compiler is at work.
add("meld_jit_test", "ExitOrderDeathTest.*", "runtime/host/exit_handlers.cpp", [
    ("exit: the compiler's handlers come after ours", "  if (auto *stop = stopFirst.load())\n    stop();\n", ""),
])
add("meld_jit_test", "ExitOrderDeathTest.*", "jit/exit_order.cpp", [
    ("exit: all of the compiler's registrations", "  if (isCompilerLibrary(object.dlpi_name ? object.dlpi_name : \"\"))\n    return true;\n", ""),
])

# meld verify: what differs, and whose fault it is.
add("verify_parts_test", "Compare.*", "runtime/softgpu/verify/compare.cpp", [
    ("verify: bytes that were not written", "return bits & written;", "return bits;"),
    ("verify: what the original wrote", "(before.holds(page) ? before.written(at) : 0) |", "0 |"),
    ("verify: what the other wrote", "| (own.holds(page) ? own.written(at) : 0);", "| 0;"),
    ("verify: addresses of the same thing", "a == b || (object && object->sameMeaning(a, b))", "a == b"),
])
add("verify_parts_test", "Compare.*:Views.*", "runtime/softgpu/verify/pairs.cpp", [
    ("verify: addresses of two things", "    return originalOf(replacement) == original;\n", "    return true;\n"),
    ("verify: only addresses in the objects", "if (original - originalBase >= originalSize || replacement - replacementBase >= replacementSize)", "if (false)"),
    ("verify: nameless against named", "  return std::ranges::none_of(symbols,", "  return true || std::ranges::none_of(symbols,"),
    ("verify: variables are the original's", "return s && s->variable ? s->original", "return false ? s->original"),
])
add("verify_object_map_test", "*", "shim/verify/object_map.cpp", [
    ("verify: a variable's size", "if (both.variable && original.symbol.size != replacement.symbol.size)", "if (false)"),
    ("verify: several of one name", "if (both.variable && (original.count > 1 || replacement.count > 1))", "if (false)"),
    ("verify: variables without names", "    if (!table->unnamed.empty())\n", "    if (false)\n"),
    ("verify: a variable that is new", "else if (isData(known.symbol) && known.writable)", "else if (false)"),
])
add("verify_parts_test", "Turns.*", "runtime/softgpu/verify/turns.cpp", [
    ("verify: one after the other", "while (!turns_.running_.empty()) {", "while (false) {"),
    ("verify: who did not run alone", "        other->overlapped_ = true;\n", ""),
    ("verify: who keeps others waiting", "        other->heldUp_ |= other->needsOthers_;\n", ""),
])
add("verify_test", "Verify.ARaceIsNot*", "runtime/softgpu/verify/verification.cpp", [
    ("verify: races", "      if (!compare(copies.before, copies.other, nullptr).equal())\n        return Repeat::different;\n", ""),
    ("verify: in reverse order, too", "for (const bool reversed : {false, true}) {", "for (const bool reversed : {false}) {"),
    ("verify: what calls the host", "  if (calledHost.load(std::memory_order_relaxed))\n    problem =", "  if (false)\n    problem =",
     {"filter": "Verify.WhatPrints*"}),
    ("verify: a difference is told", "  results().different(std::move(d));\n", "", {"filter": "Verify.FindsAWrong*"}),
    ("verify: a replacement that does not end", "  request.maxInstructions = maxInstructions_;\n  request.maxTime = maxTime_;\n", "",
     {"filter": "Verify.AReplacementThatDoesNotEnd*"}),
], library="libmeld-softgpu.so", source="tests/verify/verify_test.cpp", seconds=120)

# Which version of a kernel runs.
add("adapt_test", "SignTest.*", "runtime/adapt/sign_test.h", [
    ("sign test: the margin", "challenger < kWinRatio * incumbent", "challenger < incumbent"),
    ("sign test: losses", "if (losses_ >= look.reject)", "if (false)"),
    ("sign test: the looks", "if (pairs_ != look.pairs)\n      return Verdict::open;", ""),
    ("sign test: the last look", "== std::size(kLooks) ? Verdict::undecided", "== std::size(kLooks) ? Verdict::adopt"),
], users=("runtime/adapt/trial.cpp", "tests/runtime/adapt/trial_test.cpp"))
add("adapt_test", "Trial.*", "runtime/adapt/trial.cpp", [
    ("trial: what is much slower", "  if (heavy_ >= 2)\n    verdict = SignTest::Verdict::reject;\n", ""),
    ("trial: a gain that is too small", "if (incumbent_ && typical_[0] > 0 && gain < leastGain_) {", "if (false) {"),
    ("trial: adopted in vain", "if (demotions_[v] < kDemotions)", "if (true)"),
    ("trial: pairs turn around", "const bool turned = throwCoin();", "const bool turned = false;"),
    ("trial: before the first times are back", "known == 0 ? kBlindPairs : known < kHeavyPairs", "known < kHeavyPairs"),
    ("trial: who may cost no more is given up", "test_.pairs() >= kFirstStop && !pairsUnderWay()", "false"),
    ("trial: the budget of a challenger", "return budget.allows(duelLoss(known + underWay + 1), incumbent);", "return true;"),
    ("trial: the budget of controls", "return controlLosses_ || budget.allows(typical_[0] - incumbent, incumbent);", "return true;"),
    ("trial: how often a winner is controlled", "if (underWay || launches_ < nextControl_)", "if (underWay)"),
    ("trial: times that are none", "if (!(nanoseconds > 0)) // a device that has no clock, or one that was set back\n    return discarded(launch);", ""),
    ("trial: times of another duel", "||\n      pair.serial != launch.serial)\n    return discarded(launch);", ")\n    return discarded(launch);"),
    ("trial: half a pair", "  if (pair.known != 3)\n    return;\n", ""),
    ("trial: two timers for a pair", "if (pairs && timers >= 2 && mayStart(budget)", "if (pairs && mayStart(budget)"),
    ("trial: no timers", "  if (timers == 0)\n    return launch;\n", ""),
    ("trial: a winner that loses", "  controlLosses_ = 0;\n  nextControl_ = launches_ + controlEvery_;\n  reconsider();\n", ""),
    ("trial: times that change", "  if (offSame_ >= kOffInARow)\n    reconsider();\n", ""),
    ("trial: false alarms", "if (launches_ < decidedAt_ + (uint64_t{16} << idle_))\n    return;", ""),
], seconds=240)

add("adapt_test", "LaunchClass.*", "runtime/adapt/launch_class.h", [
    ("launch class: a power of two is divided by", "x >> std::countr_zero(by)", "x"),
    ("launch class: full groups of a power of two", "(shape.grid[d] & (size - 1)) == 0", "true"),
    ("launch class: full groups of another size", "size != 0 && shape.grid[d] % size == 0", "true"),
    ("launch class: sizes that are no power of two", "return x != 0 && (x & (x - 1)) == 0;", "return x != 0;"),
])
# Which launches a specialised version runs in.
add("adapt_test", "Guard.*:Candidates.*", "runtime/adapt/guard.cpp", [
    ("guard: a word of the arguments", "if ((arguments.word(words_[i].offset) ^ words_[i].value) & words_[i].mask)\n      return false;", ";"),
    ("guard: the last word of the arguments", "for (unsigned i = 0; i < wordCount_; ++i)\n    if ((arguments", "for (unsigned i = 0; i + 1 < wordCount_; ++i)\n    if ((arguments"),
    ("guard: all bytes of a word", "  word->mask |= mask;\n", "  word->mask = mask;\n"),
    ("guard: the work-group", "if (sized_ && launch.workgroup[d] != workgroup_[d])", "if (false)"),
    ("guard: the work-group in all dimensions", "if (sized_ && launch.workgroup[d] != workgroup_[d])", "if (sized_ && d == 0 && launch.workgroup[d] != workgroup_[d])"),
    ("guard: full groups", "if (full_ && !isFull(launch, d))", "if (false)"),
    ("guard: without facts it does not hold", "if (!any_ || arguments.size()", "if (arguments.size()"),
    ("guard: arguments that are not there", "if (!any_ || arguments.size() < argumentBytes_)", "if (!any_)"),
    ("guard: facts behind the arguments", "if (end > std::min(argumentBytes, kMostArgumentBytes))", "if (false)"),
    ("guard: facts that contradict each other", "if ((word->value ^ value) & word->mask & mask)", "if (false)"),
    ("guard: facts that are no words", "if (!width || fact.offset % fact.width)", "if (false)"),
    ("guard: no more than is readable", "wanted > readable || ", ""),
    ("guard: the grid", "if (grid_[d] && launch.grid[d] != grid_[d])", "if (false)"),
    ("guard: the grid in all dimensions", "if (grid_[d] && launch.grid[d] != grid_[d])", "if (d == 0 && grid_[d] && launch.grid[d] != grid_[d])"),
    ("guard: null pointers", "if (arguments.word(nonNull_[i]) == 0)", "if (false)"),
    ("guard: the last null pointer", "i < nonNullCount_; ++i)", "i + 1 < nonNullCount_; ++i)"),
    ("guard: pointers behind the arguments", "if (fact.offset % 8 || end >", "if (fact.offset % 8 && end >"),
    ("guard: too many pointers", "if (nonNullCount_ == kMostPointers)", "if (false)"),
    ("guard: grids that contradict each other", "if (known && known != items)", "if (false)"),
    ("guard: no null block", "if (!from || wanted", "if (wanted"),
    ("guard: a copy of the arguments", "  std::memcpy(bytes_, from, wanted);\n  std::memset(bytes_ + wanted, 0, 8);\n", "  bytes_ = static_cast<const uint8_t *>(from);\n",
     {"also": (("runtime/adapt/guard.h", "uint8_t bytes_[kMostArgumentBytes + 8];", "const uint8_t *bytes_ = nullptr;"),),
      "users": ("runtime/adapt/candidates.cpp", "tests/runtime/adapt/guard_test.cpp", "tests/runtime/adapt/candidates_test.cpp")}),
])
add("adapt_packets_test", "Kernargs.*", "shim/adapt/kernarg_memory.cpp", [
    ("kernargs: memory of the host", "return range.host ? range.end - at : 0;", "return range.end - at;"),
    ("kernargs: up to its end", "range.host ? range.end - at : 0", "range.host ? range.end - range.begin : 0"),
    ("kernargs: what ROCr does not know", "if (!ask_(address, range) || at", "if (ask_(address, range); at"),
    ("kernargs: another allocation's", "|| at < range.begin || at >= range.end)", ")"),
    ("kernargs: asked again", "if (++known.looks < kTrust)", "if (true)"),
    ("kernargs: of another queue", "  known_ = {};\n", ""),
])
add("adapt_test", "Candidates.*", "runtime/adapt/same_bytes.cpp", [
    ("candidates: a byte that changed", "      if (!before || now[i] != was[i]) {", "      if (!before) {"),
    ("candidates: the work-group", "if (!before || !sized)", "if (!before)"),
    ("candidates: a grid that changed", "if (!before || launch.grid[d] != grid_[d])", "if (!before)"),
    ("candidates: pointers that were null before", "      nullBefore_[at / 8] = launches_;\n", "      ;\n"),
])
add("adapt_test", "Candidates.*", "runtime/adapt/same_bytes.h", [
    ("candidates: pointers", "|| !isNull(range))", ")"),
    ("candidates: pointers that were null", "if (isSame(nullBefore_[at / 8], same) &&", "if ("),
], users=("runtime/adapt/candidates.cpp", "tests/runtime/adapt/candidates_test.cpp"))
add("adapt_test", "Candidates.*:Turns.*", "runtime/adapt/turns.cpp", [
    ("turns: what was not there before", "const bool known = to == word.before[0] || to == word.before[1];", "const bool known = true;"),
    ("turns: three values", "to == word.before[0] || to == word.before[1];", "to == word.before[0];"),
    ("turns: more than once", "if (word.again < kAgain)", "if (word.again < 1)"),
    ("turns: pointers", "    if (range.pointer)\n      continue;\n", ""),
    ("turns: the work-group", "  words_.emplace_back();\n", ""),
])
add("adapt_test", "Candidates.*", "runtime/adapt/candidates.cpp", [
    ("candidates: asked for already", "std::find(asked_.begin(), end, digest.value()) != end)", "false)"),
    ("candidates: an end of asking", "hopeless_ = ++askedHere_ >= kMostAsked;", "++askedHere_;"),
    ("candidates: patience", "if (++since_ >= kPatience)", "if (++since_ == 0)"),
    ("candidates: arguments that are not there", "  if (arguments.size() < argumentBytes())\n    return false;\n", ""),
    ("candidates: launches for another purpose", "    oldest->launches.forget();\n", ""),
    ("candidates: purposes before all", "|| (purpose && all_.launches() < kTurnsFirst))", ")"),
    ("candidates: all, after a while", "(purpose && all_.launches() < kTurnsFirst)", "purpose"),
])
add("adapt_packets_test", "Specialised.*", "shim/adapt/kernel_state.cpp", [
    ("specialised: only where the guard holds", "return !version.specialised() || (guards & guardOf(version.kind)) != 0;", "return true;"),
    ("specialised: launches with other facts are measured apart", "if (slot.launchClass == launchClass && slot.guards == guards)", "if (slot.launchClass == launchClass)"),
    ("specialised: what has left runs no more", "    if (slot.guards & guard)\n      slot = ClassSlot();\n", ""),
    ("specialised: places move up", "slot.map[v] = static_cast<uint8_t>(slot.map[v] - (slot.map[v] > version));", ";"),
    ("specialised: a question at a time", "|| state.making == Making::wanted ||\n      state.making == Making::making)", ")"),
])

# The same by whole programs whose arguments change at random: what runs has to give the original's bytes.
random_launches = dict(library="libmeld.so", source="tests/e2e/random_launches/random_launches_test.cpp", seconds=300)
add("e2e_random_launches_test", "RandomLaunches.InAStream:RandomLaunches.InEveryWayThereIs", "runtime/adapt/guard.cpp", [
    ("random: a word of the arguments", "if ((arguments.word(words_[i].offset) ^ words_[i].value) & words_[i].mask)\n      return false;", ";"),
    ("random: the last word of the arguments", "for (unsigned i = 0; i < wordCount_; ++i)\n    if ((arguments", "for (unsigned i = 0; i + 1 < wordCount_; ++i)\n    if ((arguments"),
    ("random: all facts of a word", "  word->mask |= mask;\n", "  word->mask = mask;\n"),
    ("random: how wide a fact is", "(fact.width == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * fact.width) - 1)", "uint64_t{0xff}"),
    ("random: half of a fact", "(uint64_t{1} << 8 * fact.width) - 1)", "(uint64_t{1} << 4 * fact.width) - 1)"),
    ("random: where a fact is", "const unsigned shift = 8 * (fact.offset % 8u);", "const unsigned shift = 8 * (fact.offset % 4u);"),
    ("random: the work-group", "if (sized_ && launch.workgroup[d] != workgroup_[d])", "if (false)"),
    ("random: the work-group in all dimensions", "if (sized_ && launch.workgroup[d] != workgroup_[d])",
     "if (sized_ && d == 0 && launch.workgroup[d] != workgroup_[d])"),
    ("random: full groups", "if (full_ && !isFull(launch, d))", "if (false)"),
], **random_launches)
add("e2e_random_launches_test", "RandomLaunches.InAStream:RandomLaunches.InEveryWayThereIs", "shim/adapt/kernel_state.cpp", [
    ("random: only where the guard holds", "if (!version.guard.holds(dispatch.shape, arguments)) {", "if (false) {"),
    ("random: versions of other guards", "return !version.specialised() || (guards & guardOf(version.kind)) != 0;", "return true;"),
    ("random: launches with other facts apart", "if (slot.launchClass == launchClass && slot.guards == guards)", "if (slot.launchClass == launchClass)",
     {"redundant": "what is chosen is compared with the guards that hold once more"}),
], **random_launches)
