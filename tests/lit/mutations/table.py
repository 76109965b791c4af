"""One mutation a check: where it stands, what it is replaced by, and why none can notice, where that is so."""
from collections import namedtuple

# A rule for metadata that asks one side only, for `also`.
first = ("melder/metadata_rules.cpp", "struct Kind {", "MDNode *first(MDNode *left, MDNode *) { return left; }\nstruct Kind {")

# `also`: a second edit, (file, text, replacement), where two checks refuse the same thing. `tests`: which to run, where the
# runner's choice leaves them out.
Mutation = namedtuple("Mutation", "name file text replacement redundant also tests", defaults=["", None, ""])
legality, merge, plan, codegen, nodes = (
    f"melder/{name}.cpp" for name in ("legality", "merge_instruction", "planner", "codegen", "nodes"))
metadata, markers = (f"melder/{name}.cpp" for name in ("metadata_rules", "scope_markers"))
wave, divergence = "analysis/wave_state.cpp", "analysis/divergence.cpp"
triangles, tails, switch, unpredicate, hoist = (
    f"transform/{name}.cpp" for name in ("triangles", "tail_merge", "meld_switch", "unpredicate", "hoist_selects"))

flat, makeFlat = (f"transform/flatten/{name}.cpp" for name in ("legality", "codegen"))
nests = "flatten-loops"
delay, part = (f"transform/flatten/{name}.cpp" for name in ("delay_iterations", "part_loop"))
sides = "delay-iterations"

mutations = [
    # What a side may not hold.
    Mutation("obstacle: convergent operation", legality,
             'if (isConvergentOperation(instruction))\n      return "a convergent', 'if (false)\n      return "a convergent'),
    Mutation("obstacle: alloca", legality,
             'if (isa<AllocaInst>(instruction))\n      return', 'if (false)\n      return'),
    Mutation("obstacle: token", legality, "if (instruction.getType()->isTokenTy())\n      return", "if (false)\n      return",
             "what gives a token has effects that are not known; those that control convergence have none, and their functions "
             "are not looked at"),
    Mutation("obstacle: musttail", legality, "call && call->isMustTailCall()", "call && false",
             "a musttail call stands before a return, and no part of an arm ends in a return"),
    Mutation("obstacle: end of the side", legality,
             "if (!isa<BranchInst>(terminator) && !isa<SwitchInst>(terminator))", "if (false)",
             "a part of an arm goes on to a next block, so it ends in a branch or switch; callbr and invoke are asked for "
             "in the whole function"),
    Mutation("obstacle: block address", legality, 'if (block.hasAddressTaken())\n    return', 'if (false)\n    return',
             "functions with block addresses are not looked at"),
    Mutation("function and obstacle: block address", legality, 'if (block.hasAddressTaken())\n    return',
             'if (false)\n    return', also=("decisions.cpp", "if (block.hasAddressTaken() ||", "if (")),
    Mutation("function: optnone", "decisions.cpp", "function.hasFnAttribute(Attribute::OptimizeNone) ||", "",
             "the pass manager itself skips passes that are not required"),
    # Speculation.
    Mutation("speculation: memory", legality, "if (instruction.mayReadOrWriteMemory() || isa<PHINode>(instruction) ||",
             "if (isa<PHINode>(instruction) ||"),
    Mutation("speculation: constant divisor", legality,
             "if (instruction.isIntDivRem() && !isa<ConstantInt>(instruction.getOperand(1)))", "if (false)",
             "LLVM 15 asks for a constant, too; later versions may use what is known at the place"),
    Mutation("speculation: safe at all", legality, "return isSafeToSpeculativelyExecute(&instruction);", "return true;"),
    Mutation("speculation: promises dropped", codegen, "          compat::dropPromises(*clone);", "          (void)clone;"),
    # Which operands may be selected.
    Mutation("operand: immediate argument", legality, "return !call->paramHasAttr(index, Attribute::ImmArg) &&", "return"),
    Mutation("operand: struct index", legality, "return !step.isStruct();", "return true;"),
    Mutation("operand: lane to extract", legality, "return index == 0;\n  if (isa<InsertElementInst>", "return true;\n  if (isa<InsertElementInst>"),
    Mutation("operand: lane to insert", legality, "return index < 2;", "return true;"),
    Mutation("operand: metadata", legality, "if (type->isMetadataTy() || type->isTokenTy()", "if (type->isTokenTy()",
             "the verifier refuses a select of metadata and the melding is put back"),
    Mutation("shape: types", legality,
             "left.getOpcode() != right.getOpcode() || left.getType() != right.getType() ||\n      left.getNumOperands()",
             "left.getOpcode() != right.getOpcode() ||\n      left.getNumOperands()"),
    Mutation("shape: types of operators", legality,
             "left.getOpcode() != right.getOpcode() || left.getType() != right.getType() ||\n        (isa<FPMathOperator>(left)",
             "left.getOpcode() != right.getOpcode() ||\n        (isa<FPMathOperator>(left)"),
    Mutation("shape: operand types", legality, "if (l->getType() != r->getType())\n      return false;", ""),
    # Calls.
    Mutation("call: callee", legality, "!isa<CallInst>(left) || left.getCalledOperand() != right.getCalledOperand() ||",
             "!isa<CallInst>(left) ||", "an operand that may not be selected must be equal"),
    Mutation("call: bundles", legality, "if (left.hasOperandBundles() || right.hasOperandBundles() || left.isInlineAsm() ||",
             "if (left.isInlineAsm() ||"),
    Mutation("call: inline assembly", legality, "left.isInlineAsm() ||\n", "\n"),
    Mutation("call: nomerge", legality, "left.cannotMerge() || right.cannotMerge())", "false)"),
    Mutation("call: scalar descriptors", legality, "if (left.getArgOperand(i) != right.getArgOperand(i))\n        return false;", ";"),
    Mutation("call: attributes", legality, "return isa<IntrinsicInst>(left) || left.getAttributes() == right.getAttributes();",
             "return true;"),
    Mutation("call: attributes of merged intrinsics", merge, "if (l.getAttributes() != attributesOf(r, swapped))", "if (false)"),
    Mutation("call: tail marker", merge, "if (!l.isTailCall() || !r.isTailCall())", "if (false)"),
    Mutation("call: values for scalar registers", "decisions.cpp",
             "hasConvergenceTokens(function) || hasScalarArguments(function))", "hasConvergenceTokens(function))"),
    Mutation("call: scalar registers are not selected", legality, " &&\n           !call->paramHasAttr(index, Attribute::InReg);", ";",
             "functions with such calls are not looked at"),
    Mutation("function: convergence tokens", "decisions.cpp",
             "hasConvergenceTokens(function) || hasScalarArguments(function))", "hasScalarArguments(function))"),
    # Scopes and lifetimes.
    Mutation("scopes: declarations stay", codegen,
             "else if (cursor.declared->insert(marker.getOperand(0)).second)\n        copy(&marker, side, current);", ""),
    Mutation("scopes: once", codegen, "cursor.declared->insert(marker.getOperand(0)).second", "true"),
    Mutation("scopes: of copies", markers, "if (!declared.empty() && !copies.empty())", "if (false)"),
    Mutation("scopes: of what is left of a round", "scalarize/together.cpp", ', ".rest", /*declaring=*/blocks_);', ', ".rest");'),
    Mutation("lifetimes: settled at all", codegen, "  settleLifetimes(lifetimesOf(plan, true), lifetimesOf(plan, false));\n", ""),
    Mutation("lifetimes: markers stay", codegen,
             "copy(&marker, side, guard.block[side] ? guard.block[side] : current);", ";"),
    Mutation("lifetimes: addresses that are kept", markers, "return found.isAll && any_of(", "return any_of("),
    Mutation("lifetimes: a start before each access", markers, "return dominators.dominates(start, access);", "return true;"),
    Mutation("lifetimes: a start each time", markers, "return isStart(*start) && dominators.dominates(entry, start->getParent()) &&", "return isStart(*start) &&"),
    Mutation("lifetimes: one of two objects", markers,
             "if (!gone.count(other) && any_of(candidatesOf(*other), [&](AllocaInst *object) {",
             "if (false && any_of(candidatesOf(*other), [&](AllocaInst *object) {"),
    Mutation("lifetimes: ends in a tail", tails, "  widenLifetimesIn(tail);\n", ""),
    # Pairs.
    Mutation("pair: commutative only", legality, "if (left.isCommutative() && left.getNumOperands() >= 2)",
             "if (left.getNumOperands() >= 2)"),
    Mutation("pair: contraction", legality,
             "if (isa<FPMathOperator>(left) && left.hasAllowContract() != right.hasAllowContract())", "if (false)"),
    Mutation("pair: operators that commute", legality, "return {true, left.isCommutative()};", "return {true, true};"),
    Mutation("pair: contraction of operators", legality,
             "(isa<FPMathOperator>(left) && left.hasAllowContract() != right.hasAllowContract()))\n      return {};\n    return {true,",
             "false)\n      return {};\n    return {true,"),
    Mutation("pair: predicate", legality, "shape.straight = l->getPredicate() == predicate;", "shape.straight = true;"),
    Mutation("pair: swapped predicate", legality,
             "shape.swapped = l->getPredicate() == CmpInst::getSwappedPredicate(predicate);", "shape.swapped = true;"),
    Mutation("pair: mirrored predicate", legality, "invertRight ? r->getInversePredicate() : r->getPredicate();",
             "r->getPredicate();"),
    Mutation("pair: element type of an address", legality,
             "return {l->getSourceElementType() == cast<GetElementPtrInst>(right).getSourceElementType(),", "return {true,"),
    Mutation("pair: position extracted", legality,
             "return {l->getIndices() == cast<ExtractValueInst>(right).getIndices(), false};", "return {true, false};"),
    Mutation("pair: position inserted", legality,
             "return {l->getIndices() == cast<InsertValueInst>(right).getIndices(), false};", "return {true, false};"),
    Mutation("pair: shuffle mask", legality,
             "return {l->getShuffleMask() == cast<ShuffleVectorInst>(right).getShuffleMask(), false};", "return {true, false};"),
    Mutation("pair: convergent", legality, "isConvergentOperation(left) || isConvergentOperation(right))\n    return {};",
             "false)\n    return {};"),
    Mutation("pair and obstacle: convergent", legality, "isConvergentOperation(left) || isConvergentOperation(right))\n    return {};",
             "false)\n    return {};", also=(legality, 'if (isConvergentOperation(instruction))\n      return', 'if (false)\n      return')),
]


def memory(kind, before, checks):
    """The conditions of one kind of memory operation; `before` is the text from its cast to the first condition."""
    for name, text, replacement in checks:
        mutations.append(Mutation(f"{kind}: {name}", legality, before + text, before + replacement))


load = "auto *r = cast<LoadInst>(&right);\n    return {samePlace(l->getPointerOperand(), r->getPointerOperand()) &&\n"
store = load.replace("LoadInst", "StoreInst")
volatile = "                l->isVolatile() == r->isVolatile() && "
ordering = "l->getOrdering() == r->getOrdering() &&\n"
scope = "                l->getSyncScopeID() == r->getSyncScopeID(),"
blank = "                "
for kind, head in (("load", load), ("store", store)):
    memory(kind, head, [
        ("volatile", volatile + ordering + scope, blank + ordering + scope),
        ("ordering", volatile + ordering + scope, volatile + "\n" + scope),
        ("scope", volatile + ordering + scope, volatile + "l->getOrdering() == r->getOrdering(),"),
    ])
rmw = "auto *r = cast<AtomicRMWInst>(&right);\n    return {"
rest = ("l->getOperation() == r->getOperation() && l->isVolatile() == r->isVolatile() &&\n"
        "                l->getOrdering() == r->getOrdering() && l->getSyncScopeID() == r->getSyncScopeID(),")
memory("read-modify-write", rmw, [
    ("operation", rest, rest.replace("l->getOperation() == r->getOperation() && ", "")),
    ("volatile", rest, rest.replace("l->isVolatile() == r->isVolatile() &&", "")),
    ("ordering", rest, rest.replace("l->getOrdering() == r->getOrdering() && ", "")),
    ("scope", rest, rest.replace(" && l->getSyncScopeID() == r->getSyncScopeID()", "")),
])
exchange = "auto *r = cast<AtomicCmpXchgInst>(&right);\n    return {"
rest = ("l->isVolatile() == r->isVolatile() && l->isWeak() == r->isWeak() &&\n"
        "                l->getSuccessOrdering() == r->getSuccessOrdering() &&\n"
        "                l->getFailureOrdering() == r->getFailureOrdering() &&\n"
        "                l->getSyncScopeID() == r->getSyncScopeID(),")
memory("compare-and-exchange", exchange, [
    ("volatile", rest, rest.replace("l->isVolatile() == r->isVolatile() && ", "")),
    ("weak", rest, rest.replace("l->isWeak() == r->isWeak() &&", "")),
    ("success", rest, rest.replace("l->getSuccessOrdering() == r->getSuccessOrdering() &&", "")),
    ("failure", rest, rest.replace("l->getFailureOrdering() == r->getFailureOrdering() &&", "")),
    ("scope", rest, rest.replace(" &&\n                l->getSyncScopeID() == r->getSyncScopeID()", "")),
])
fence = "auto *r = cast<FenceInst>(&right);\n    return {"
rest = "l->getOrdering() == r->getOrdering() && l->getSyncScopeID() == r->getSyncScopeID(),"
memory("fence", fence, [
    ("ordering", rest, rest.replace("l->getOrdering() == r->getOrdering() && ", "")),
    ("scope", rest, rest.replace(" && l->getSyncScopeID() == r->getSyncScopeID()", "")),
])

mutations += [
    # Loops.
    Mutation("loop: atomics", legality, "if (instruction.isAtomic() || instruction.isVolatile() ||", "if (instruction.isVolatile() ||"),
    Mutation("loop: volatile", legality, "instruction.isVolatile() || isa<FenceInst>", "isa<FenceInst>"),
    Mutation("loop: fences", legality, "|| isa<FenceInst>(instruction))\n      return true;", ")\n      return true;",
             "a fence is atomic to LLVM"),
    Mutation("loop: any of it", plan, "if (loops && (synchronises(*l) || synchronises(*r)))", "if (false)"),
    Mutation("loop: a side that leaves", plan, "if (oneSideLeavesTheLoop(plan)) {", "if (false) {"),
    Mutation("loop: promises of the branch", codegen, "shareMetadata(*clone, *l, *r);", ""),
    Mutation("loop: promises of the way back", codegen, "shareMetadata(*branch, *l, *r);", ""),
    # What a merged instruction may promise.
    Mutation("merge: flags", merge, "merged.andIRFlags(&right);", ""),
    Mutation("merge: metadata", merge, "shareMetadata(merged, left, right);", ""),
    Mutation("merge: of one side only", metadata, "MDNode *other = right.getMetadata(kind);",
             "MDNode *other = right.getMetadata(kind) ? right.getMetadata(kind) : node;"),
    Mutation("merge: type of the access", metadata, '{"tbaa", MDNode::getMostGenericTBAA}', '{"tbaa", first}', also=first),
    Mutation("merge: alias scopes", metadata, '{"alias.scope", MDNode::getMostGenericAliasScope}', '{"alias.scope", first}', also=first),
    Mutation("merge: noalias", metadata, '{"noalias", MDNode::intersect}', '{"noalias", first}', also=first),
    Mutation("merge: range", metadata, '{"range", MDNode::getMostGenericRange}', '{"range", first}', also=first),
    Mutation("merge: accuracy", metadata, '{"fpmath", MDNode::getMostGenericFPMath}', '{"fpmath", first}', also=first),
    Mutation("merge: dereferenceable", metadata, '{"dereferenceable", MDNode::getMostGenericAlignmentOrDereferenceable}',
             '{"dereferenceable", first}', also=first),
    Mutation("merge: access groups", metadata, '{"llvm.access.group", onlyIfSame}', '{"llvm.access.group", first}', also=first),
    Mutation("merge: unknown kinds", metadata, "return kind.rule;\n  return nullptr;", "return kind.rule;\n  return onlyIfSame;"),
    Mutation("merge: notes on waves", codegen, "  forgetUniformNotes(function);", "",
             "the table of kinds drops them from what is merged; the rest is for values made of such"),
    Mutation("merge: promises of exchanged operands", merge, "if (!swapped)\n    return list;", "return list;"),
    Mutation("merge: alignment of loads", merge,
             "load->setAlignment(std::min(cast<LoadInst>(left).getAlign(), cast<LoadInst>(right).getAlign()));", "(void)load;"),
    Mutation("merge: alignment of stores", merge,
             "std::min(cast<StoreInst>(left).getAlign(), cast<StoreInst>(right).getAlign())", "cast<StoreInst>(left).getAlign()"),
    Mutation("merge: alignment of read-modify-writes", merge,
             "std::min(cast<AtomicRMWInst>(left).getAlign(), cast<AtomicRMWInst>(right).getAlign())",
             "cast<AtomicRMWInst>(left).getAlign()"),
    # Divergence.
    Mutation("width: any branch", "transform/cfm.cpp", "if (!now.divergence.isDivergentBranch(block)) {", "if (false) {"),
    Mutation("width: uniform loads", "melder/node_planner.cpp", "if (!shape || losesScalarLoad(*left[l], *right[r]))",
             "if (!shape)"),
    Mutation("width: wave size", "analysis/gpu_info.cpp", 'if (features.contains("+wavefrontsize64"))\n    return 64;', ""),
    Mutation("width: threshold", "analysis/thread_table.cpp", "if (table[flat % row] != table[first % row])", "if (false)"),
    # Shapes of control flow.
    Mutation("shape: one block for both sides", plan, "if (l == r || isa<Constant>(branch.getCondition()))",
             "if (isa<Constant>(branch.getCondition()))"),
    Mutation("shape: a side reached from elsewhere", plan, "if (!ownSide(l) || !ownSide(r))", "if (false)"),
    Mutation("shape: a part entered from elsewhere", nodes,
             "if (!dominators.dominates(entry, successor) || seen.size() > maxNodeBlocks)", "if (seen.size() > maxNodeBlocks)",
             "a block that the part's entry does not dominate has a way in from outside, and a part has but one"),
    Mutation("shape: parts have one entry", nodes, "while (!node.blocks.empty() && !isClosed(node, dominators));", "while (false);"),
    Mutation("shape: loops with loops", nodes, "left.blocks.size() != right.blocks.size() || left.isLoop != right.isLoop ||",
             "left.blocks.size() != right.blocks.size() ||",
             "the edge back to the entry stays in its part and has no counterpart in a part without one"),
    Mutation("shape: successors of open ends", nodes,
             "return left_.openEnd ? l == r : (l == left_.next && r == right_.next);", "return true;"),
    Mutation("shape: cases of switches", nodes, "if (lc->getCaseValue() != rc->getCaseValue() ||\n            !visit", "if (!visit"),
    Mutation("shape: one partner a block", nodes, "if (known != state.toRight.end())\n      return known->second == r;",
             "if (known != state.toRight.end())\n      return true;"),
    # Ifs in a row.
    Mutation("triangles: uniform", triangles,
             "first->getSuccessor(0) == first->getSuccessor(1) ||\n      !context.divergence.isDivergentBranch(&block))",
             "first->getSuccessor(0) == first->getSuccessor(1))"),
    Mutation("triangles: convergent between", triangles, "if (any_of(*pair.middle, isConvergentOperation))", "if (false)"),
    Mutation("triangles: convergent in the first", triangles,
             "if (way != pair.middle && !freeOfConvergence(way, pair.middle, context))", "if (false)"),
    Mutation("triangles: convergent in the second", triangles,
             "if (successor != join && !freeOfConvergence(successor, join, context))", "if (false)"),
    Mutation("triangles: the end of a loop", triangles, "if (context.dominators.dominates(successor, pair.middle))", "if (false)"),
    Mutation("triangles: calls not to be copied", triangles, "call && call->cannotDuplicate()", "call && false"),
    Mutation("triangles: both ways known", triangles, "if (!known || after[false] == after[true])", "if (after[false] == after[true])"),
    Mutation("triangles: two ways in", triangles, "if (!middle->hasNPredecessors(2))\n    return false;", ""),
    Mutation("triangles: speculation", triangles, "if (above && maySpeculate(instruction)) {",
             "if (above && !isConvergentOperation(instruction)) {"),
    Mutation("triangles: effects stay", triangles,
             "bool after = joinIsOurs && !hasOrderedEffect(instruction) && !instruction.use_empty() &&",
             "bool after = joinIsOurs && !instruction.use_empty() &&"),
    # What the sides do last.
    Mutation("tails: uniform", tails,
             "analyses_.divergence.isDivergentBranch(common) &&\n           !state", "!state"),
    Mutation("tails: scalar loads", tails, "usedBelowOnly(right, tail) ||\n        losesScalarLoad(left, right))",
             "usedBelowOnly(right, tail))"),
    Mutation("tails: used alike", tails, "if (row.size() != at.size() || !usedAlike(tail, row))", "if (row.size() != at.size())"),
    Mutation("tails: other uses", tails, "if (!shape || !usedBelowOnly(left, tail) || !usedBelowOnly(right, tail) ||", "if (!shape ||",
             "what stands at the end of a block that only jumps to the join is used below in the block or by the join's phis; "
             "the block dominates nothing else"),
    # Switches.
    Mutation("switch: obstacles", switch, "if (!body.obstacle.empty()) {", "if (false) {"),
    # What both sides compute in a loop.
    Mutation("hoist: divisions", hoist, "return !binary->isIntDivRem();", "return true;"),
    Mutation("hoist: what else is taken", hoist, "else if (!loop.isLoopInvariant(operand))", "else if (false)"),
    Mutation("hoist: taken twice", hoist, "return selects == 1 &&", "return selects > 0 &&"),
    Mutation("hoist: values of the loop", hoist, "loop.isLoopInvariant(select.getTrueValue()) &&", "true &&"),
    Mutation("hoist: scalar conditions", hoist, "divergence_.width(select.getCondition()) != Width::thread", "false"),
    Mutation("hoist: more promises", hoist, "!cast<Operator>(other).hasPoisonGeneratingFlags()", "true"),
    Mutation("hoist: steps over", hoist, "if (cast<GetElementPtrInst>(other).getSourceElementType() !=\n            address->getSourceElementType())", "if (false)"),
    # Code that goes back behind a branch.
    Mutation("unpredicate: uniform", unpredicate,
             "!isa<Constant>(select->getCondition()) &&\n"
             "          divergence.widthAtUse(select->getCondition(), select) == Width::thread)",
             "!isa<Constant>(select->getCondition()))"),
    Mutation("unpredicate: convergent", unpredicate, "instruction.getType()->isTokenTy() || isConvergentOperation(instruction) ||",
             "instruction.getType()->isTokenTy() ||"),
    Mutation("unpredicate: effects", unpredicate, "instruction.mayHaveSideEffects() || isIgnorable(instruction))",
             "isIgnorable(instruction))"),
    Mutation("unpredicate: volatile and atomic", unpredicate, "if (!load || !load->isSimple())", "if (!load)",
             "LLVM counts volatile and ordered loads among what writes; what is left, an unordered one, could move"),
    Mutation("unpredicate: writes between", unpredicate,
             "return none_of(writes_, isBetween);", "return true;"),
    Mutation("unpredicate: other uses", unpredicate, "if (own == -1 || (side != -1 && side != own)) {",
             "if (side != -1 && own != -1 && side != own) {"),
    Mutation("unpredicate: both sides", unpredicate, "if (own == -1 || (side != -1 && side != own)) {", "if (own == -1) {"),
    Mutation("unpredicate: poison", unpredicate, "if (!isGuaranteedNotToBeUndefOrPoison(condition, nullptr, end)) {", "if (false) {"),
    # What a wave does as one.
    Mutation("wave: more than convergent", legality, "waveOperation(*call).use != WaveUse::none);", "false);"),
    Mutation("wave: unknown intrinsics", wave, "if (!call.mayHaveSideEffects())\n      return {};\n    return {WaveUse::changes",
             "return {};\n    return {WaveUse::changes"),
    Mutation("wave: assembly", wave, "return strongest(result, ofAssembly(*call));", "return result;"),
    Mutation("wave: empty assembly", wave, "!assembly.hasSideEffects() || text.empty()", "!assembly.hasSideEffects()",
             "more would be left as it was, which no test asks for"),
    Mutation("wave: MODE in assembly", wave, '"setreg", "_mode",', '"setreg",'),
    Mutation("wave: what callees do", wave, "return strongest(result, ofFunction(*callee));", "return result;"),
    Mutation("wave: longest name", wave, "!name.empty(); name = name.rsplit('.').first", "!name.empty(); name = \"\""),
    Mutation("wave: changes in a side", plan, "why = stateForbids(", "why = modeChanges_ ? nullptr : stateForbids("),
    Mutation("wave: changes in another tail", tails, " &&\n           !stateForbids(*common, tail.join, modeChanges_);", ";"),
    Mutation("wave: MODE and floating point", wave, "if (modeChanges && hangsOnMode(instruction))", "if (false)"),
    Mutation("wave: MODE and ifs in a row", triangles, "if (any_of(*pair.middle, hangsOnMode) &&", "if (false &&"),
    Mutation("wave: MODE between value and select", unpredicate, "if (any_of(changes_, isBetween) && hangsOnMode(instruction))", "if (false)"),
    Mutation("wave: guarded copies", "scalarize/dynamic_convergence.cpp", "isConvergentOperation(*call) ||", "call->isConvergent() ||"),
    Mutation("wave: copied loops", "scalarize/converged_loops.cpp", "!isConvergentOperation(*call) &&", "!call->isConvergent() &&"),
    Mutation("wave: kept apart", "transform/cfm.cpp", "  keepApart(function);\n", ""),
    Mutation("wave: not merged", "melder/keep_apart.cpp", "call->addFnAttr(Attribute::NoMerge);", ""),
    Mutation("wave: a number each", "melder/keep_apart.cpp", "std::to_string(number++)", "std::to_string(number)"),
    # What the first lane may be asked for.
    Mutation("first lane: branches", "transform/uniform_branch.cpp", "firstLaneBranchWidth(&block)", "branchWidth(&block)"),
    Mutation("first lane: values", "scalarize/uniform_values.cpp",
             "divergence_.firstLaneWidth(&instruction, &instruction)", "divergence_.width(&instruction)", tests="scalarize/values"),
    Mutation("first lane: addresses", "scalarize/constant_loads.cpp",
             "divergence.firstLaneWidth(load->getPointerOperand(), load)",
             "divergence.widthAtUse(load->getPointerOperand(), load)"),
    Mutation("first lane: phis of undefined values", divergence, "(undefined || !phi->hasConstantOrUndefValue())",
             "!phi->hasConstantOrUndefValue()"),
    Mutation("first lane: frozen", divergence, "if (undefined && isa<FreezeInst>(instruction))", "if (false)"),
    Mutation("first lane: callees", "analysis/summarise_calls.cpp", "options.meaning = Meaning::firstLane;", ""),
    Mutation("first lane: where lanes without a value go", divergence,
             "if (firstLane_) // threads without a value go where they like", "if (false)"),
    Mutation("first lane: cycles with two ways in", divergence,
             "result = meet(result, cycles_[cycle->second].width);", ";"),
]

# Threads that wait for each other (analysis/forward_progress.h).
progress, cycles, calls = (f"analysis/{name}.cpp" for name in ("forward_progress", "waiting_cycles", "waiting_calls"))
mutations += [
    Mutation("waits: sides", plan, "if (progress_.keepsOrder(*block))", "if (false)"),
    Mutation("waits: in a pair", plan, "if (progress_.mayWait(*l, head) || progress_.mayWait(*r, head))", "if (false)"),
    Mutation("waits: switch", switch, "if (now.progress.keepsOrder(*block))", "if (false)"),
    Mutation("waits: tails", tails, "if (analyses.progress.waitsAbove(join)) {", "if (false) {"),
    Mutation("waits: ifs in a row", triangles, "if (context.progress.waitsBetween(*pair.first->getParent(), join))", "if (false)"),
    Mutation("waits: messages of ifs in a row", triangles, "if (passesMessages(pair, join, context))", "if (false)"),
    Mutation("waits: fall-through into a message", "transform/switch_chain.cpp", "synchronises(block))", "false)"),
    Mutation("waits: guards", "scalarize/converged_loops.cpp", "if (!site.why && progress_.keepsOrder(block))", "if (false)"),
    Mutation("waits: a way that others share", progress, "waiting.count(several) || ", ""),
    Mutation("waits: the loop around the branch", progress, "cycle && !isInside(&from, cycle, known.cycles); cycle", "cycle; cycle"),
    Mutation("waits: atomic and volatile loads", cycles, "if (load->isVolatile() || load->isAtomic())\n          return true;", ""),
    Mutation("waits: polled loads", cycles, "(orders_ || staysTheSame(load->getPointerOperand()))", "orders_"),
    Mutation("waits: loads in cycles that order memory", cycles, "(orders_ || staysTheSame(load->getPointerOperand()))",
             "staysTheSame(load->getPointerOperand())"),
    Mutation("waits: calls and intrinsics", cycles, "if (call->mayReadOrWriteMemory() || call->mayHaveSideEffects() || call->isInlineAsm())",
             "if (call->isInlineAsm())"),
    Mutation("waits: atomic updates", cycles, "} else if (instruction->mayReadOrWriteMemory()) {", "} else if (false) {"),
    Mutation("waits: paths", cycles, "if (!askForPaths())", "if (false)"),
    Mutation("waits: no exits", cycles, "if (!exits)\n      return true;", ""),
    Mutation("waits: retried at one place", cycles, "return exchange && staysTheSame(exchange->getPointerOperand()) &&", "return exchange &&"),
    Mutation("waits: retried with what was found", cycles, "expectsWhatItFound(*exchange) && any_of", "any_of"),
    Mutation("waits: retried alone", cycles, "if (!found || exchange)\n          return false;", "if (!found)\n          continue;"),
    Mutation("waits: leaves on success", cycles, "return isEveryRound(*block) && leavesOnSuccess(*block, *exchange);",
             "return isEveryRound(*block);"),
    Mutation("waits: tried in every round", cycles, "return isEveryRound(*block) && leavesOnSuccess(*block, *exchange);",
             "return leavesOnSuccess(*block, *exchange);"),
    Mutation("waits: a step of nothing", cycles, " && !isZero(*add->getOperand(1 - i))", ""),
    Mutation("waits: memory of others", cycles, "argument->onlyReadsMemory());", "true);"),
    Mutation("waits: assembly", calls, "if (call->isInlineAsm())\n    return mayWaitInAssembly(*call);", "if (call->isInlineAsm())\n    return false;"),
    Mutation("waits: barriers", calls, "return call.isConvergent() || (intrinsic", "return (intrinsic",
             "of the target's intrinsics that are known to end, those that are convergent (ds.append) do; barriers are not among "
             "them. It is for what later versions bring"),
    Mutation("waits: unknown intrinsics", calls, "(intrinsic.isTargetIntrinsic() && !isKnownToEnd(call, name))", "false"),
    Mutation("waits: functions", calls, "    return mayWait(*callee);", "    return false;"),
    Mutation("waits: functions of functions", calls, "bool waits = any_of(instructions(callee), [&](const Instruction &i) { return mayWait(i); });",
             "bool waits = false;"),
    Mutation("waits: unknown functions", calls, "return !call->hasFnAttr(Attribute::WillReturn) || call->isConvergent();", "return false;"),
    # Faults of LLVM that a transform stays away from.
    Mutation("unpredicate: tests of one bit", "transform/unpredicate.cpp", "if (isBitTestOfLlvm15(*condition) && isInCycle(block))", "if (false)"),
    # What is not changed, and what is left out.
    Mutation("untouched: functions that hold no change", "pipeline.cpp",
             "if (!holdsChanges(function) || !options_", "if (!options_"),
    Mutation("untouched: left out", "pipeline.cpp",
             "if (!holdsChanges(function) || !options_.wantsKernel(function.getName()))", "if (!holdsChanges(function))"),
    Mutation("untouched: what is inlined", "llvm_fixes/changed_functions.cpp", "work_.push_back(&function);", ";"),
    Mutation("untouched: tables of functions", "llvm_fixes/changed_functions.cpp",
             "if (!function.isDeclaration())\n          mark(function);", "if (false)\n          mark(function);"),
    # Sides of loops that lanes wait for.
    Mutation("delay: what stands against it", delay, "if (!why) {", "if (true) {", tests=sides),
    Mutation("delay: uniform branches", delay, "          !divergence_.isDivergentBranch(block))", "          false)", tests=sides),
    Mutation("delay: cheap sides", delay, "own < leastCost || 2 * own < rest", "false", tests=sides),
    Mutation("delay: two dear sides", delay, "(other && cost(other->own, loop) * mostOfOtherSide > own)", "false", tests=sides),
    Mutation("delay: who does not come back", part, "!with.count(loop.getLoopLatch()) ||", "", tests=sides),
    Mutation("delay: ways out of copies", part, "addFromCopy(phi, *block);", "(void)phi;", tests=sides),
    Mutation("delay: the header's values", part, "mapped(phi.getIncomingValueForBlock(latch_)), latch", "phi.getIncomingValueForBlock(latch_), latch",
             tests=sides),
    # Nests of loops.
    Mutation("flatten: alloca", flat, "if (isa<AllocaInst>(instruction))", "if (false)", tests=nests),
    Mutation("flatten: token", flat, "if (instruction.getType()->isTokenTy())", "if (false)",
             "functions with tokens that control convergence are not looked at, and no other gives one here", tests=nests),
    Mutation("flatten: volatile", flat, "if (instruction.isVolatile())", "if (false)", tests=nests),
    Mutation("flatten: assembly", flat, "if (call.isInlineAsm())", "if (false)", tests=nests),
    Mutation("flatten: calls", flat, 'return "a call in the nest";', "return nullptr;", tests=nests),
    Mutation("flatten: operations of the wave", flat, "if (isConvergentOperation(call))", "if (false)", tests=nests),
    Mutation("flatten: scalar operands", flat, 'return "an operation that wants its operands in scalar registers";',
             "return nullptr;", tests=nests),
    Mutation("flatten: unknown memory", flat, 'return "an operation on memory that is not known well enough";',
             "return nullptr;", tests=nests),
    Mutation("flatten: values through LDS", flat, "if (shared.reads && shared.writes && hasLds", "if (false && hasLds",
             tests=nests),
    Mutation("flatten: flat pointers to LDS", flat, " || space == flatSpace;", ";", tests=nests),
    Mutation("flatten: results of updates of LDS", flat, "use.reads |= !instruction.use_empty();", "", tests=nests),
    Mutation("flatten: copies to LDS", flat, "use.writes |= mayBeShared(copy->getRawDest(), divergence);", "", tests=nests),
    Mutation("flatten: copies of LDS", flat, "use.reads |= mayBeShared(transfer->getRawSource(), divergence);", "(void)transfer;",
             tests=nests),
    Mutation("flatten: rounding", flat, "if (changesMode(function))", "if (false)", tests=nests),
    Mutation("flatten: two ways in", flat, "if (containsIrreducibleCFG<BasicBlock *>(order, divergence.loops()))", "if (false)",
             tests=nests),
    Mutation("flatten: waiting", flat, "if (waits(function, outer, divergence, dominators))", "if (false)", tests=nests),
    Mutation("flatten: the outer loop waits", flat, "cycle->getDepth() >= outer.getLoopDepth()",
             "cycle->getDepth() > outer.getLoopDepth()", tests=nests),
    Mutation("flatten: ballots of its own", flat, "if (asksLanes && asksForLanes(function, divergence))", "if (false)", tests=nests),
    Mutation("flatten: uniform counts", "transform/flatten/flatten_loops.cpp", "|| !leavesApart(*inner, divergence))", ")",
             tests=nests),
    Mutation("flatten: what was found of a nest", "transform/flatten/flatten_loops.cpp", "? noNest : verdict->second;", "? noNest : nullptr;",
             tests=nests),
    Mutation("flatten: the next pair of a nest", "transform/flatten/flatten_loops.cpp", "(*verdicts)[round] = nullptr;", "",
             tests=nests),
    Mutation("flatten: steps of rounds", "transform/flatten/flatten_loops.cpp", "return rounds.count(block); }))", "return false; }))",
             tests=nests),
    Mutation("flatten: kernels only", "transform/flatten/flatten_loops.cpp",
             "divergence.gpu().kind() != GpuKind::amdgpu || !divergence.gpu().isKernel()",
             "divergence.gpu().kind() != GpuKind::amdgpu", tests=nests),
    Mutation("flatten: scopes that begin in the nest", makeFlat, "if (scopes.empty())", "if (true)", tests=nests),
    Mutation("flatten: lifetimes", makeFlat, "widenLifetimes(lifetimes);", "", tests=nests),
    Mutation("flatten: promises of the loops", makeFlat, "outerEnd_->setMetadata(LLVMContext::MD_loop, nullptr);", "", tests=nests),
    Mutation("flatten: the mark at the turn", makeFlat, "mark(*turn_);", "", tests=nests),
    Mutation("flatten: the mark of the round", makeFlat, "mark(*round_);", "", tests=nests),
    Mutation("flatten: nobody is left in the inner loop", makeFlat, "builder.CreateOr(enough, none, \"opens\")",
             "builder.CreateAnd(enough, builder.getTrue(), \"opens\")", tests=nests),
    Mutation("flatten: a lane's next item", makeFlat, "old->getIncomingValueForBlock(back), back);",
             "PoisonValue::get(old->getType()), back);", tests=nests),
]

# What is known of a kernel's arguments, and that folding gives the machine's bits (specialize/).
known, folding = "specialize/known_values.cpp", "specialize/exact_folding.cpp"
mutations += [
    Mutation("specialize: zeros as limits", folding, "return zeroAsLimit();", "return nullptr;", tests="specialize"),
    Mutation("settle: a negation that would be hoisted", "transform/fp_choices.cpp",
             "if (loop && loop->isLoopInvariant(value) &&", "if (false &&"),
    Mutation("settle: operands made anew for some elements", "transform/fp_choices.cpp",
             "return simpler(sum) || (product.hasOneUse() && simpler(product));", "return product.hasOneUse() && simpler(product);"),
    Mutation("settle: products made anew for some elements", "transform/fp_choices.cpp",
             "return simpler(sum) || (product.hasOneUse() && simpler(product));", "return simpler(sum);"),
    Mutation("settle: a product that stays a vector", "transform/fp_choices.cpp", "if (read && read->getVectorOperand() == &product &&",
             "if (false &&"),
    Mutation("settle: a product that becomes a scalar", "transform/fp_choices.cpp", "        sum.comesBefore(read))", "        true)"),
    Mutation("facts: bytes that nobody knows", known, "if (byte == bytes_.end())\n        return std::nullopt;",
             "if (byte == bytes_.end())\n        continue;", tests="specialize"),
    Mutation("facts: NaNs", known, "return real->isNaN() ? nullptr : real;", "return real;", tests="specialize"),
    Mutation("facts: where arguments lie", known, "offset = alignTo(offset, given.value_or(layout_.getABITypeAlign(type)));", ";",
             tests="specialize"),
    Mutation("facts: arguments by reference", known, "given.value_or(layout_.getABITypeAlign(type))", "layout_.getABITypeAlign(type)",
             tests="specialize"),
    Mutation("facts: the last group", known, "workgroup_ && fullGroups_ && d < 3", "workgroup_ && d < 3", tests="specialize"),
    Mutation("facts: another dimension's groups", known, "return gpu_.workGroupId(*group) == dimension;", "return gpu_.workGroupId(*group).has_value();",
             tests="specialize"),
    Mutation("facts: LDS has no null", known, "is_contained({flat, global, constant}, ", "(flat + global + constant != 99 || type.getPointerAddressSpace() == ", tests="specialize"),
    Mutation("facts: not null is not equal", known, "if (compare->isEquality() &&", "if (", tests="specialize"),
    Mutation("facts: not null is not another pointer", known, "(isNull(*compare->getOperand(0)) || isNull(*compare->getOperand(1))))", "true)",
             tests="specialize"),
    Mutation("facts: the only group", known, "grid_[dimension]->value <= sizeIn(dimension)", "true", tests="specialize"),
    Mutation("facts: the group's size for its count", known, "if (workgroup_ && grid_[dimension] &&", "if (grid_[dimension] &&", tests="specialize"),
    Mutation("facts: the last group's number", "specialize/specialize.cpp", "divideCeil(fact.value, ", "(fact.value / ", tests="specialize"),
    Mutation("facts: another dimension's grid", "specialize/specialize.cpp", " && fact.offset == *dimension)", ")", tests="specialize"),
    Mutation("inexact: what does not run", "specialize/reached.cpp", "if (auto *taken = dyn_cast<ConstantInt>(valueOf(branch->getCondition())))\n        return",
             "if (auto *taken = dyn_cast<ConstantInt>(valueOf(branch->getCondition())); taken && false)\n        return", tests="specialize"),
    Mutation("inexact: the side that runs", "specialize/reached.cpp", "taken->isZero() ? 1 : 0", "taken->isZero() ? 0 : 1", tests="specialize"),
    Mutation("inexact: calls", folding, "!isExactCall(cast<CallBase>(instruction))", "false", tests="specialize"),
    Mutation("inexact: once a loop is unrolled", folding, "if (isa<PHINode, SelectInst>(instruction))", "if (isa<SelectInst>(instruction))",
             tests="specialize"),
    Mutation("inexact: through memory", folding, "if (storesCandidate(instruction))", "if (false)", tests="specialize"),
    Mutation("inexact: tables", folding, "(data && data->isConstant()) ||", "", tests="specialize"),
    Mutation("inexact: denormals", folding, "flushes_ = !isIeee(\"denormal-fp-math\") || !isIeee(\"denormal-fp-math-f32\");", "",
             tests="specialize"),
    Mutation("inexact: rounding modes", folding, "otherMode_ |= changesMode(instruction);", ";", tests="specialize"),
    Mutation("inexact: quotients", folding, "case Instruction::FDiv:\n", "", tests="specialize"),
]
