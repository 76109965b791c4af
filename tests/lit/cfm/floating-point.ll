; Legality rule 5: fast-math flags are intersected, rounding and exception behaviour must be equal.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare float @llvm.experimental.constrained.fmul.f32(float, float, metadata, metadata)
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.sqrt.f64(double)

; Equal rounding and exception behaviour: one.
; CHECK-LABEL: @strict_same(
; CHECK-COUNT-1: constrained.fadd
; CHECK-NOT: constrained.fadd
; CHECK: ret void
define amdgpu_kernel void @strict_same(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) strictfp {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l = call float @llvm.experimental.constrained.fadd.f32(float %x, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r = call float @llvm.experimental.constrained.fadd.f32(float %y, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Rounding differs: two.
; CHECK-LABEL: @strict_rounding_differs(
; CHECK-COUNT-2: constrained.fadd
; CHECK-NOT: constrained.fadd
; CHECK: ret void
define amdgpu_kernel void @strict_rounding_differs(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) strictfp {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l = call float @llvm.experimental.constrained.fadd.f32(float %x, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r = call float @llvm.experimental.constrained.fadd.f32(float %y, float %k, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  store float %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Exception behaviour differs: two.
; CHECK-LABEL: @strict_exceptions_differ(
; CHECK-COUNT-2: constrained.fadd
; CHECK-NOT: constrained.fadd
; CHECK: ret void
define amdgpu_kernel void @strict_exceptions_differ(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) strictfp {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l = call float @llvm.experimental.constrained.fadd.f32(float %x, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r = call float @llvm.experimental.constrained.fadd.f32(float %y, float %k, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  store float %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A strict operation of one side may raise: it stays behind the branch.
; CHECK-LABEL: @strict_not_speculated(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: constrained.fmul
; CHECK: br label
; CHECK: ret void
define amdgpu_kernel void @strict_not_speculated(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) strictfp {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l = call float @llvm.experimental.constrained.fmul.f32(float %x, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  %l1 = call float @llvm.experimental.constrained.fadd.f32(float %l, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = call float @llvm.experimental.constrained.fadd.f32(float %y, float %k, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  store float %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Flags of both stay, flags of one go: operation, compare, select, negation, call.
; CHECK-LABEL: @flags_of_operations(
; CHECK: fadd nnan contract float
; CHECK: fcmp ninf contract olt float
; CHECK: select nsz contract i1
; CHECK: fneg arcp contract float
; CHECK: call nnan contract float @llvm.fma
; CHECK: ret void
define amdgpu_kernel void @flags_of_operations(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fadd nnan ninf contract float %x, %k
  %l2 = fcmp ninf nsz contract olt float %l1, 1.0
  %l3 = select nsz arcp contract i1 %l2, float %l1, float %k
  %l4 = fneg arcp contract float %l3
  %l5 = call nnan contract float @llvm.fma.f32(float %l4, float %k, float %x)
  store float %l5, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = fadd nnan nsz contract float %y, %m
  %r2 = fcmp ninf contract olt float %r1, 1.0
  %r3 = select nsz contract i1 %r2, float %r1, float %k
  %r4 = fneg arcp nnan contract float %r3
  %r5 = call nnan ninf contract float @llvm.fma.f32(float %r4, float %m, float %y)
  store float %r5, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; `fast` against nothing: contraction differs, so two.
; CHECK-LABEL: @fast_and_strict(
; CHECK-DAG: fmul fast float
; CHECK-DAG: fmul float
; CHECK: ret void
define amdgpu_kernel void @fast_and_strict(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fmul fast float %x, %k
  store float %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = fmul float %y, %k
  store float %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Contraction of a call differs: two.
; CHECK-LABEL: @contract_of_calls(
; CHECK-COUNT-2: @llvm.fma.f32
; CHECK-NOT: @llvm.fma.f32
; CHECK: ret void
define amdgpu_kernel void @contract_of_calls(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = call contract float @llvm.fma.f32(float %x, float %k, float %x)
  store float %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = call float @llvm.fma.f32(float %y, float %k, float %y)
  store float %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; `!fpmath` of one side alone is dropped: the other side asked for the exact result.
; CHECK-LABEL: @accuracy_of_one(
; CHECK: fdiv float %{{[^,]*}}, %{{[^,!]*}}{{$}}
; CHECK-NOT: fdiv
; CHECK: ret void
define amdgpu_kernel void @accuracy_of_one(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fdiv float %x, %k, !fpmath !0
  store float %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = fdiv float %y, %k
  store float %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; x < y against y > x: one compare, no select of operands.
; CHECK-LABEL: @compare_swapped(
; CHECK: fcmp olt float %[[A:[^,]*]], %[[B:.*]]
; CHECK-NOT: fcmp
; CHECK: ret void
define amdgpu_kernel void @compare_swapped(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fcmp olt float %x, %k
  %l2 = zext i1 %l1 to i32
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %p
  %r1 = fcmp ogt float %k, %y
  %r2 = zext i1 %r1 to i32
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Ordered against unordered: NaN decides, so two.
; CHECK-LABEL: @ordered_unordered(
; CHECK-DAG: fcmp olt
; CHECK-DAG: fcmp ult
; CHECK: ret void
define amdgpu_kernel void @ordered_unordered(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fcmp olt float %x, %k
  %l2 = zext i1 %l1 to i32
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %p
  %r1 = fcmp ult float %y, %k
  %r2 = zext i1 %r1 to i32
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The function's denormal mode is left as it is.
; CHECK-LABEL: @denormal_mode(
; CHECK-SAME: #[[MODE:[0-9]+]]
; CHECK: fmul float
; CHECK-NOT: fmul
; CHECK: ret void
define amdgpu_kernel void @denormal_mode(ptr addrspace(3) %p, ptr addrspace(3) %q, float %k, float %m) #0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %l1 = fmul float %x, %k
  store float %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %r1 = fmul float %y, %m
  store float %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK: attributes #[[MODE]] = { {{.*}}"denormal-fp-math-f32"="preserve-sign,preserve-sign"
attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
!0 = !{float 2.5}
