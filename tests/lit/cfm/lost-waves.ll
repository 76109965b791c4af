; Both sides keep six vectors alive around a division they have in common. Melded all twelve live at
; once: what the shared division saves is less than the waves that no longer fit would cost.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes='meld-cfm<no-pressure>' -S %s | FileCheck %s --check-prefix=BLIND
; RUN: %opt -passes=meld-cfm -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY
; WHY: meld-cfm left %entry: diamond: fewer waves would cost more

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @wide(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: udiv
; BLIND-LABEL: @wide(
; BLIND-COUNT-1: udiv
; BLIND-NOT: udiv
define amdgpu_kernel void @wide(ptr addrspace(1) %p, i32 %n, i32 %m) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr <8 x i32>, ptr addrspace(1) %p, i32 %x
  %v = load <8 x i32>, ptr addrspace(1) %q
  %odd = and i32 %x, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %left, label %right
left:
  %l0 = xor <8 x i32> %v, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %l1 = xor <8 x i32> %v, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %l2 = xor <8 x i32> %v, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %l3 = xor <8 x i32> %v, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %l4 = xor <8 x i32> %v, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %l5 = xor <8 x i32> %v, <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %lc = udiv i32 %x, %n
  %ls1 = and <8 x i32> %l0, %l1
  %ls2 = and <8 x i32> %ls1, %l2
  %ls3 = and <8 x i32> %ls2, %l3
  %ls4 = and <8 x i32> %ls3, %l4
  %ls5 = and <8 x i32> %ls4, %l5
  %lw = insertelement <8 x i32> %ls5, i32 %lc, i32 0
  br label %join
right:
  %r0 = shl <8 x i32> %v, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %r1 = shl <8 x i32> %v, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %r2 = shl <8 x i32> %v, <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>
  %r3 = shl <8 x i32> %v, <i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4, i32 4>
  %r4 = shl <8 x i32> %v, <i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5, i32 5>
  %r5 = shl <8 x i32> %v, <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %rc = udiv i32 %x, %m
  %rs1 = or <8 x i32> %r0, %r1
  %rs2 = or <8 x i32> %rs1, %r2
  %rs3 = or <8 x i32> %rs2, %r3
  %rs4 = or <8 x i32> %rs3, %r4
  %rs5 = or <8 x i32> %rs4, %r5
  %rw = insertelement <8 x i32> %rs5, i32 %rc, i32 0
  br label %join
join:
  %w = phi <8 x i32> [ %lw, %left ], [ %rw, %right ]
  store <8 x i32> %w, ptr addrspace(1) %q
  ret void
}
