"""Mutations of what keeps changed code out of the way of faults in LLVM (passes/llvm_fixes)."""
from mutation import Mutation

division = "llvm_fixes/unsigned_division.cpp"
mutations = [
    Mutation("unsigned division: numbers that are not negative", division, "return !computeKnownBits(operand, layout).isNonNegative();", "return true;", tests="unsigned-division"),
    Mutation("unsigned division: numbers of many bits", division, "if (!type->isVectorTy() && ComputeNumSignBits(operand, layout) < fewEqualBits)", "if (false)", tests="unsigned-division"),
    Mutation("unsigned division: one element of a vector", division, "!type->isVectorTy() && ComputeNumSignBits", "ComputeNumSignBits", tests="unsigned-division"),
    Mutation("unsigned division: signed ones", division, "(opcode != Instruction::UDiv && opcode != Instruction::URem) ||", "(!Instruction::isIntDivRem(opcode)) ||", tests="unsigned-division"),
    Mutation("unsigned division: constants of 32 bits", division, "if (bits == 32 && isa<Constant>(division.getOperand(1)))", "if (false)", tests="unsigned-division"),
    Mutation("unsigned division: constants of 64 bits", division, "if (bits == 32 && isa<Constant>", "if (isa<Constant>", tests="unsigned-division"),
    Mutation("unsigned division: a divided constant", division, "isa<Constant>(division->getOperand(0)) ? 1 : 0", "0", tests="unsigned-division"),
    Mutation("atomics apart: comparisons and exchanges", "llvm_fixes/atomics_apart.cpp", 'name.contains(".cmpswap") ? nullptr : ', "", tests="atomics-apart"),
    Mutation("atomics apart: private memory", "llvm_fixes/atomics_apart.cpp", "&& space != ldsSpace)", "&& space != ldsSpace && space != 5)", tests="atomics-apart"),
    Mutation("atomics apart: of buffers", "llvm_fixes/atomics_apart.cpp", '"llvm.amdgcn.raw.buffer.atomic.",\n        ', "", tests="atomics-apart"),
    Mutation("hidden: one element of a vector", "llvm_fixes/hidden.cpp", "for (unsigned i = 0; i != elements; ++i) {", "for (unsigned i = 0; i != 1; ++i) {", tests="unsigned-division"),
]

far = "llvm_fixes/far_conditions.cpp"
motion = "llvm_fixes/code_motion.cpp"
exits = "llvm_fixes/own_exits.cpp"
mutations += [
    Mutation("far conditions: what stays in the loop", far, "around && motion.mayLeave(*condition, *around)", "around", tests="far-conditions"),
    Mutation("far conditions: what may leave the loop", far, "around && motion.mayLeave(*condition, *around)", "false", tests="far-conditions"),
    Mutation("far conditions: several branches", far, "(of.count > 1 || isNumber(*condition))", "isNumber(*condition)", tests="far-conditions"),
    Mutation("far conditions: one branch", far, "(of.count > 1 || isNumber(*condition))", "true", tests="far-conditions"),
    Mutation("far conditions: numbers", far, "(of.count > 1 || isNumber(*condition))", "of.count > 1", tests="far-conditions"),
    Mutation("far conditions: chosen numbers", far, "isa<Constant>(chosen->getTrueValue()) && isa<Constant>(chosen->getFalseValue())", "false", tests="far-conditions"),
    Mutation("far conditions: choices of others", far, "isa<Constant>(chosen->getTrueValue()) && isa<Constant>(chosen->getFalseValue())", "true", tests="far-conditions"),
    Mutation("far conditions: numbers of negations", far, "      return isNumber(*user);", "      return false;", tests="far-conditions"),
    Mutation("far conditions: near and far", far, "    if (far || moved)", "    if (true)", tests="far-conditions"),
    Mutation("far conditions: switches", far, "else if (auto *choice = dyn_cast<SwitchInst>(&terminator))", "else if (auto *choice = dyn_cast<SwitchInst>(&terminator); false)", tests="far-conditions"),
    Mutation("far conditions: negated switches", far, "  if (negated)\n    read =", "  if (false)\n    read =", tests="far-conditions"),
    Mutation("far conditions: negations", far, "negated ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE", "CmpInst::ICMP_NE", tests="far-conditions"),
    Mutation("far conditions: irreducible cycles", far, "return irreducible ? known\n                       : ", "return ", tests="far-conditions"),
    Mutation("far conditions: what the first lane need not know", far, ">= Width::wave", ">= Width::thread", tests="far-conditions"),
    Mutation("far conditions: frozen values", far, "!mayBeAnything(*terminator.getOperand(0))", "true", tests="far-conditions"),
    Mutation("far conditions: values that are only loaded", far, "!mayBeAnything(*terminator.getOperand(0))", "false", tests="far-conditions"),
    Mutation("far conditions: LLVM's word alone", "analysis/backend_view.h", " && !isDivergent(value))", ")", tests="far-conditions"),
    Mutation("far conditions: behind phis", "melder/place.cpp", "return isa<PHINode>(made)", "return false", tests="far-conditions"),
    Mutation("far conditions: not hidden", far, "number = hiddenNumber(builder, *condition);", "number = builder.CreateSExt(condition, builder.getInt32Ty());", tests="far-conditions"),
    Mutation("own exits: outermost loops are unified", exits, "return loop->getParentLoop() && hasSeveralWaysOut", "return hasSeveralWaysOut", tests="own-exits"),
    Mutation("own exits: loops that all leave in one round", exits, "return divergence->exitWidth(*loop) < Width::wave;", "return true;", tests="own-exits"),
    Mutation("own exits: loops with one way out", exits, "return edges.size() > 1;", "return true;", tests="own-exits",
             redundant="then LLVM's passes change nothing, or what code generation would change anyway"),
    Mutation("own exits: loops with several ways out", exits, "return edges.size() > 1;", "return false;", tests="own-exits"),
    Mutation("own exits: loops that are two", exits, "return !loop->getLoopLatch() && leftInTurns(loop); // two loops, it may be", "return false;", tests="own-exits"),
    Mutation("own exits: switches", exits, "    first(LowerSwitchPass());\n", "", tests="own-exits"),
    Mutation("own exits: phis", exits, "if (phi.getType()->isIntegerTy(1))", "if (false)", tests="own-exits"),
    Mutation("own exits: numbers move", exits, "  useHere(builder, *number, /*scalar=*/false);\n", "", tests="own-exits"),
    Mutation("own exits: behind both loops", exits, "return around && around != &loop && around->contains(&loop);", "return around != &loop;", tests="own-exits"),
    Mutation("own exits: phis of the outer loop", exits, "phi ? *phi->getIncomingBlock(use) : *user->getParent();", "*user->getParent();", tests="own-exits",
             redundant="they differ for phis behind both loops alone, which are no conditions of a loop"),
    Mutation("code motion: what hangs on itself", motion, "return !passesEntry(*made);", "return true;", tests="far-conditions"),
    Mutation("code motion: peeling", motion, "    state = State::onPath;\n", "    if (isa<PHINode>(made) && cycle_.isEntry(made->getParent()))\n      return false;\n    state = State::onPath;\n", tests="far-conditions"),
    Mutation("code motion: convergent calls", motion, "(call && call->isConvergent()) || ", "", tests="far-conditions"),
    Mutation("code motion: volatile ones", motion, "instruction.isVolatile() || instruction.mayWriteToMemory()", "false", tests="far-conditions",
             redundant="what is volatile, or a call that writes, differs between lanes to our analysis, so that no branch by it is changed"),
    Mutation("code motion: memory that is written", motion, "return instruction.mayReadFromMemory() && motion_", "return false && motion_", tests="far-conditions"),
    Mutation("code motion: memory that is not", motion, "isModSet(aliases_.getModRefInfo(&instruction, *read))", "true", tests="far-conditions"),
    Mutation("code motion: phis of phis", motion, "        phis.insert(further);", "        return value;", tests="far-conditions"),
    Mutation("code motion: values of other rounds", motion, "made && !all_of(phis, isKnown)", "made && !isKnown(phi)", tests="far-conditions"),
]

orAddress = "llvm_fixes/or_address.cpp"
mutations += [
    Mutation("or: through arithmetic", orAddress, "if (isArithmetic(*value) && seen_", "if (false && seen_", tests="or-address"),
    Mutation("or: integers made pointers", orAddress, "      if (mayBeShift(instruction))", "      if (false)", tests="or-address"),
    Mutation("or: indices", orAddress, "        finder.look(index);", "        ;", tests="or-address"),
    Mutation("or: addresses alone", orAddress, "{gdsSpace, ldsSpace, scratchSpace}", "{gdsSpace, ldsSpace, scratchSpace, globalSpace}", tests="or-address"),
    Mutation("or: GDS and scratch", orAddress, "{gdsSpace, ldsSpace, scratchSpace}", "{ldsSpace}", tests="or-address"),
    Mutation("or: bits that are known apart", orAddress, "&&\n           !haveNoCommonBitsSet(x, bits, layout_);", ";", tests="or-address"),
]

own = "llvm_fixes/own_lanes.cpp"
mutations += [
    Mutation("own lanes: the others", own, "if ((!isMissing(missing) && !mayBeMissing.count(missing)) || missing == &place)", "if (false)", tests="own-lanes"),
    Mutation("own lanes: several values that all lanes have", own, "(!isMissing(missing) && !mayBeMissing.count(missing))", "!mayBeMissing.count(missing)", tests="own-lanes"),
    Mutation("own lanes: of one value alone", own, "|| !phi.hasConstantOrUndefValue())", ")", tests="own-lanes"),
    Mutation("own lanes: elements of constants", own, "      return part && isUndefined(part);", "      return false;", tests="own-lanes"),
    Mutation("own lanes: elements that are inserted", own, "if (index && index->equalsInt(element))", "if (false)", tests="own-lanes"),
    Mutation("own lanes: elements that are shuffled", own, "element = unsigned(from) % elements;", ";", tests="own-lanes"),
    Mutation("own lanes: elements of the second vector", own, "unsigned(from) < elements ? 0 : 1", "0", tests="own-lanes"),
    Mutation("own lanes: what is computed of nothing", own, "} else if (wouldInstructionBeTriviallyDead", "} else if (false && wouldInstructionBeTriviallyDead", tests="own-lanes"),
    Mutation("own lanes: effects", own, "} else if (wouldInstructionBeTriviallyDead(&instruction)) {", "} else {", tests="own-lanes"),
    Mutation("own lanes: what is known", own, "if (made && !dominators.dominates(made, &phi))", "if (made)", tests="own-lanes"),
    Mutation("own lanes: what is not known", own, "if (made && !dominators.dominates(made, &phi))", "if (false)", tests="own-lanes"),
    Mutation("own lanes: poison in the place of undef", own, " ||\n         isGuaranteedNotToBePoison(&value);", " || true;", tests="own-lanes"),
    Mutation("own lanes: poison may become poison", own, "isa<PoisonValue>(other) || !isUndefined(other)", "!isUndefined(other)", tests="own-lanes"),
    Mutation("own lanes: phis that others become", own, "        open.insert(cast<Instruction>(user));", "        ;", tests="own-lanes"),
    Mutation("own lanes: nobody's", own, "hasNone(*phi) ? UndefValue::get(phi->getType()) : onlyValue(*phi)", "onlyValue(*phi)", tests="own-lanes"),
    Mutation("own lanes: undef is no poison", own, "hasNone(*phi) ? UndefValue::get", "hasNone(*phi) ? PoisonValue::get", tests="own-lanes"),
    Mutation("own lanes: vectors as a whole", own, "  if (!vector)\n    return", "  if (true)\n    return", tests="own-lanes"),
    Mutation("own lanes: found later", own, "(!isMissing(missing) && !mayBeMissing.count(missing))", "!isMissing(missing)", tests="own-lanes"),
    Mutation("own lanes: constants of which others are made", own, " && !isa<ConstantInt>(value))", ")", tests="own-lanes"),
    Mutation("own lanes: found later by a phi of rounds", own, "(!phi || isOfRounds(*phi, dominators)) &&", "!phi &&", tests="own-lanes"),
    Mutation("own lanes: found later by other phis", own, "(!phi || isOfRounds(*phi, dominators)) &&", "", tests="own-lanes"),
    Mutation("own lanes: found later by what is made of it", own, "if (mayBe(*cast<Instruction>(user)))", "if (false)", tests="own-lanes"),
    Mutation("own lanes: loaded where it is stored", own, "if (to && !isa", "if (false && !isa", tests="own-lanes"),
    Mutation("own lanes: found later in a whole vector", own, "!isa<InsertElementInst>(instruction) && !isa", "!isa", tests="own-lanes"),
    Mutation("own lanes: heads of loops", own, "if (!isOfRounds(phi, dominators))\n", "if (true)\n", tests="own-lanes"),
    Mutation("own lanes: two ways round, or in", own, "phi.getNumIncomingValues() == 2 && goesRound(0) != goesRound(1)", "goesRound(0) != goesRound(1)", tests="own-lanes"),
    Mutation("own lanes: joins of two ways", own, "goesRound(0) != goesRound(1)", "true", tests="own-lanes"),
    Mutation("own lanes: two edges of a switch", own, "    if (!value)\n      value = isUndefined(missing)", "      value = isUndefined(missing)", tests="own-lanes"),
]

keep = "llvm_fixes/keep_joins.cpp"
mutations += [
    Mutation("keep joins: an or", keep, "  if (match(&instruction, m_Or(m_Value(), m_Value())))\n    return true;\n", "", tests="keep-joins"),
    Mutation("keep joins: a choice between conditions", keep, "return isa<SelectInst>(instruction) ||\n", "return\n", tests="keep-joins"),
    Mutation("keep joins: an and that is negated", keep, "    return any_of(instruction.users(),\n", "    return false && any_of(instruction.users(),\n", tests="keep-joins"),
    Mutation("keep joins: an and that is not negated", keep, "    return any_of(instruction.users(),\n", "    return true || any_of(instruction.users(),\n", tests="keep-joins"),
    Mutation("keep joins: a select for an and", keep, "match(&condition, m_Select(m_Value(), m_Value(), m_Zero())) ||", "", tests="keep-joins"),
    Mutation("keep joins: the other select for an and", keep, "match(&condition, m_Select(m_Value(), m_Zero(), m_Value()))", "false", tests="keep-joins"),
    Mutation("keep joins: comparisons of conditions", keep, "return isa<SelectInst>(instruction) ||\n         (isa<ICmpInst>(instruction) && isCondition(*instruction.getOperand(0)));",
             "return isa<SelectInst>(instruction);", tests="keep-joins"),
    Mutation("keep joins: what is made of comparisons", keep, "isa<PHINode>(instruction) ||\n          (isa<ICmpInst>(instruction) && isCondition(*instruction.getOperand(0))));",
             "isa<PHINode>(instruction));", tests="keep-joins"),
    Mutation("keep joins: extensions", keep, "if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction))\n    return isCondition", "if (false)\n    return isCondition", tests="keep-joins"),
    Mutation("keep joins: signed extensions", keep, "isa<ZExtInst>(instruction) || isa<SExtInst>(instruction)", "isa<ZExtInst>(instruction)", tests="keep-joins"),
    Mutation("keep joins: by operations", keep, "(isa<BinaryOperator>(instruction) || isa<SelectInst>(instruction) ||", "(isa<SelectInst>(instruction) ||", tests="keep-joins"),
    Mutation("keep joins: by selects", keep, "(isa<BinaryOperator>(instruction) || isa<SelectInst>(instruction) ||", "(isa<BinaryOperator>(instruction) ||", tests="keep-joins"),
    Mutation("keep joins: by freezes", keep, "isa<FreezeInst>(instruction) || isa<PHINode>(instruction) ||", "isa<PHINode>(instruction) ||", tests="keep-joins"),
    Mutation("keep joins: by phis", keep, "isa<FreezeInst>(instruction) || isa<PHINode>(instruction) ||", "isa<FreezeInst>(instruction) ||", tests="keep-joins"),
    Mutation("keep joins: conditions that are loaded", keep, " && !isa<LoadInst>(made))\n        found", ")\n        found", tests="keep-joins"),
    Mutation("keep joins: selects of numbers", keep, "return user != same && (isCondition(*user) || isMadeOfConditions(*user));", "return user != same;", tests="keep-joins"),
    Mutation("keep joins: conditions as numbers", keep, "(isCondition(*user) || isMadeOfConditions(*user));", "isCondition(*user);", tests="keep-joins"),
    Mutation("keep joins: waves of 64", keep, "isJoin(instruction) && gpu.waveSize() == 32", "isJoin(instruction)", tests="keep-joins"),
    Mutation("keep joins: numbers and constants", keep, " ||\n          computeKnownBits(&other, layout).isConstant())", ")", tests="keep-joins"),
    Mutation("keep joins: numbers of the same block", keep, " ||\n          made->getParent() == join.getParent())", ")", tests="keep-joins"),
    Mutation("keep joins: numbers that phis choose", keep, "isa<PHINode>(made) || isa<LoadInst>(made)", "isa<LoadInst>(made)", tests="keep-joins"),
    Mutation("keep joins: numbers that are loaded", keep, "isa<PHINode>(made) || isa<LoadInst>(made)", "isa<PHINode>(made)", tests="keep-joins"),
    Mutation("keep joins: numbers with a bit that is clear", keep, "!computeKnownBits(made, layout).Zero.isZero() ||", "", tests="keep-joins"),
    Mutation("keep joins: numbers of 64 bits", keep, " || join.getType()->getIntegerBitWidth() > 32)", ")", tests="keep-joins"),
]

stay = "llvm_fixes/stay_in_loop.cpp"
mutations += [
    Mutation("stay in loop: phis that go away", stay, "if (isa<PHINode>(user) && seen.insert(user).second)", "if (false)", tests="stay-in-loop"),
    Mutation("stay in loop: what goes behind takes along", stay, " || known.contains(user))", ")", tests="stay-in-loop"),
    Mutation("stay in loop: inner loops", stay, "    append_range(inside, inside[i]->children());", "    ;", tests="stay-in-loop"),
    Mutation("stay in loop: lanes that leave together", stay, "if (!hasDivergentExit(loop))", "if (false)", tests="stay-in-loop"),
    Mutation("stay in loop: what reads no scalar of the loop", stay, " || !readsScalarsOf(loop, *instruction))", ")", tests="stay-in-loop"),
    Mutation("stay in loop: scalars from before", stay, "return made && loop.contains(made->getParent()) &&", "return made &&", tests="stay-in-loop"),
    Mutation("stay in loop: masks", stay, "(isMask(*made) || backend_.isScalar(*made))", "backend_.isScalar(*made)", tests="stay-in-loop"),
    Mutation("stay in loop: uniform values", stay, "(isMask(*made) || backend_.isScalar(*made))", "isMask(*made)", tests="stay-in-loop"),
    Mutation("stay in loop: divisions", stay, "  case Instruction::SDiv:\n", "", tests="stay-in-loop"),
    Mutation("stay in loop: elements", stay, "return isa<Constant>(instruction.getOperand(1));", "return true;", tests="stay-in-loop"),
    Mutation("stay in loop: conversions", stay, "  case Instruction::FPToSI:\n", "", tests="stay-in-loop"),
    Mutation("stay in loop: shifts of 128 bits", stay, "return instruction.getType()->getScalarSizeInBits() <= 64;", "return true;", tests="stay-in-loop"),
    Mutation("stay in loop: structures", stay, "if (!structure || isa<ExtractValueInst>(instruction))", "if (true)", tests="stay-in-loop"),
]

# Of sums in several blocks LLVM 17 makes one by phis whose scalar registers it loses in a branch.
affine = "scalarize/affine_address.cpp"
mutations += [
    Mutation("affine: a scalar part for each access", affine, "if (place && known != parts_.end())", "if (false)", tests="affine-address"),
    Mutation("affine: scalar parts of a loop", affine, "return !loop || loop->contains(&access) ? place : nullptr;", "return place;", tests="affine-address"),
    Mutation("affine: scalar parts of another scale", affine, " && part.scale == term.scale;", ";", tests="affine-address"),
    Mutation("affine: scalar parts of another extension", affine, "part.sum == sum && part.extension == term.extension &&", "part.sum == sum &&", tests="affine-address"),
    Mutation("affine: behind phis", "melder/place.cpp", "return isa<PHINode>(made)", "return false", tests="affine-address"),
    Mutation("affine: behind the last leaf", affine, "if (!last || dominators_.dominates(last, made))", "if (!last)", tests="affine-address"),
    Mutation("keep joins: what is read from a lane", keep, "    changed |= keepReading(*reading);", "    ;", tests="keep-joins"),
    Mutation("keep joins: the first lane", keep, "(call->getIntrinsicID() == Intrinsic::amdgcn_readfirstlane ||\n", "(", tests="keep-joins"),
    Mutation("keep joins: another lane", keep, " ||\n          call->getIntrinsicID() == Intrinsic::amdgcn_readlane) &&", ") &&", tests="keep-joins"),
    Mutation("keep joins: read from what is loaded", keep, "!isa<LoadInst>(call->getArgOperand(0)) && ", "", tests="keep-joins"),
    Mutation("keep joins: read from an argument", keep, " && !isa<Argument>(call->getArgOperand(0));", ";", tests="keep-joins"),
]
