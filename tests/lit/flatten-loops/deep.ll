; Of three loops in each other the inner two become one.
; RUN: %opt -passes='meld-flatten-loops,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=TOLD
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=NESTED
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; NESTED: Depth=3
; ISA: Depth=2
; ISA-NOT: Depth=3

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The outer loop is one of a nest itself; the innermost pair is taken. The next item is known before the inner loop.
; TOLD: meld-flatten-loops melded %middle (flattened loop at depth 2): U=4 T=1
; CHECK-LABEL: @three_deep(
; TOLD: meld-flatten-loops left %top: assembly in the nest
; CHECK: middle.round:
; CHECK: middle.anew:
; CHECK-NEXT: phi i32 [ %[[AHEAD:.*]], %behind ]
define amdgpu_kernel void @three_deep(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %top
top:
  %k = phi i32 [ 0, %entry ], [ %k.next, %top.end ]
  br label %middle
middle:
  %r = phi i32 [ %x, %top ], [ %next, %behind ]
  %next = add i32 %r, 64
  %q = add i32 %r, %k
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %q
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ %e, %middle ], [ %j, %inner ]
  %h = lshr i32 %i, 1
  %j = xor i32 %h, %k
  %more = icmp ugt i32 %j, 5
  br i1 %more, label %inner, label %behind
behind:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %j, ptr addrspace(1) %o
  %again = icmp slt i32 %next, %n
  br i1 %again, label %middle, label %top.end
top.end:
  %k.next = add i32 %k, 1
  %topmost = icmp slt i32 %k.next, %n
  br i1 %topmost, label %top, label %exit
exit:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
