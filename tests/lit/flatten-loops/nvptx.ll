; Another SIMT target: nests are flattened where no lanes are counted, which is an instruction of AMD's.
; RUN: %opt -passes='meld-flatten-loops' -S %s | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-lanes=8>' -S %s | FileCheck %s --check-prefix=LANES
; RUN: %opt -passes='meld-flatten-loops' %s -o - | %llc -mcpu=sm_70 | FileCheck %s --check-prefix=PTX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; One loop is left: a block that goes back to a round's head, whose phi says where a lane is.
; CHECK-LABEL: @nest(
; CHECK: asm sideeffect ""
; CHECK: ret void
; LANES-LABEL: @nest(
; LANES-NOT: asm sideeffect
; LANES: ret void
; PTX: .visible .entry nest(
; PTX: ret;
define ptx_kernel void @nest(ptr %rows, ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %behind ]
  %sum = phi i32 [ 0, %entry ], [ %sum.inner, %behind ]
  %at = add i32 %i, %t
  %row = getelementptr i32, ptr %rows, i32 %at
  %length = load i32, ptr %row
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi i32 [ %sum, %outer ], [ %sum.inner, %inner ]
  %p = mul i32 %s, 3
  %sum.inner = add i32 %p, %j
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %length
  br i1 %more, label %inner, label %behind
behind:
  %i.next = add i32 %i, 1
  %on = icmp slt i32 %i.next, %n
  br i1 %on, label %outer, label %exit
exit:
  %to = getelementptr i32, ptr %out, i32 %t
  store i32 %sum.inner, ptr %to
  ret void
}
