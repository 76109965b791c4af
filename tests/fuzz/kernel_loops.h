// Loops of nests (StmtKind::nestLoop), as IR.
#pragma once

#include "tests/fuzz/kernel_ast.h"

#include <llvm/IR/IRBuilder.h>
#include <vector>

namespace meld::fuzz {

class NestLoops {
public:
  explicit NestLoops(llvm::IRBuilder<> &builder) : b_(builder) {}

  /// `test` makes the loop's expression, `body` what stands in it, both at the builder's place.
  void emit(LoopForm form, uint32_t limit, llvm::Value *thread, uint32_t threads,
            llvm::function_ref<llvm::Value *()> test, llvm::function_ref<void()> body) {
    const bool strides = form == LoopForm::gridStride;
    llvm::Value *bound = b_.getInt32(limit);
    if (form == LoopForm::counted)
      bound = b_.CreateAnd(test(), b_.getInt32(limit - 1));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("nest"), *next = block("next"),
                     *done = block("left");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode *item = b_.CreatePHI(b_.getInt32Ty(), 2, "item");
    item->addIncoming(strides ? thread : b_.getInt32(0), before);
    loops_.push_back({item, next, done});
    if (form != LoopForm::behind)
      goOnIf(b_.CreateICmpULT(item, bound), done);
    if (form == LoopForm::before)
      goOnIf(b_.CreateICmpNE(test(), b_.getInt32(0)), done);
    body();
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    llvm::Value *following = b_.CreateAdd(item, b_.getInt32(strides ? threads : 1));
    if (form == LoopForm::behind) {
      goOnIf(b_.CreateICmpULT(following, bound), done);
      goOnIf(b_.CreateICmpNE(test(), b_.getInt32(0)), done);
    }
    item->addIncoming(following, b_.GetInsertBlock());
    b_.CreateBr(head);
    loops_.pop_back();
    b_.SetInsertPoint(done);
  }

  /// Where `condition` holds, to behind the loop `out` levels out, or to its next item.
  void leaveIf(llvm::Value *condition, uint32_t out, bool goesOn) {
    const Loop &loop = at(out);
    llvm::BasicBlock *on = block("on");
    b_.CreateCondBr(condition, goesOn ? loop.next : loop.done, on);
    b_.SetInsertPoint(on);
  }

  llvm::Value *item(uint32_t out) const { return at(out).item; }

private:
  struct Loop {
    llvm::Value *item;
    llvm::BasicBlock *next, *done;
  };

  const Loop &at(uint32_t out) const { return loops_.at(loops_.size() - 1 - out); }
  llvm::BasicBlock *block(const char *name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, b_.GetInsertBlock()->getParent());
  }
  void goOnIf(llvm::Value *condition, llvm::BasicBlock *otherwise) {
    llvm::BasicBlock *on = block("on");
    b_.CreateCondBr(condition, on, otherwise);
    b_.SetInsertPoint(on);
  }

  llvm::IRBuilder<> &b_;
  std::vector<Loop> loops_;
};

} // namespace meld::fuzz
