; Calls: what pairs, and what stays one call a side (legality rules 2 and 6).
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; Right without our own verifier behind it, which would put a wrong melding back: opt's has the last word.
; RUN: %opt -passes='meld-cfm<no-verify>' -disable-output %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @pure(i32) nounwind readnone willreturn
declare i32 @other(i32) nounwind readnone willreturn
declare void @effect(i32) nounwind willreturn
declare i32 @llvm.ctlz.i32(i32, i1 immarg)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare float @llvm.maxnum.f32(float, float)
declare void @llvm.memcpy.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1 immarg)
declare i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32>, i32, i32, i32 immarg)
declare float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3), float, i32 immarg, i32 immarg, i1 immarg)
declare token @llvm.call.preallocated.setup(i32)

; The same function, not convergent, equal attributes: one call of selected arguments.
; CHECK-LABEL: @same_callee(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: call i32 @pure
; CHECK-NOT: call i32 @pure
; CHECK: ret void
define amdgpu_kernel void @same_callee(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @pure(i32 1)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @pure(i32 2)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Different functions: two.
; CHECK-LABEL: @different_callee(
; CHECK-DAG: call i32 @pure
; CHECK-DAG: call i32 @other
; CHECK: ret void
define amdgpu_kernel void @different_callee(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @pure(i32 1)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @other(i32 2)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; An indirect call through one pointer pairs,
; CHECK-LABEL: @same_pointer(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: call void %
; CHECK-NOT: call void %
; CHECK: ret void
define amdgpu_kernel void @same_pointer(ptr %f, ptr %g) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void %f(i32 1) willreturn readonly
  br label %join
right:
  call void %f(i32 2) willreturn readonly
  br label %join
join:
  ret void
}

; through two it does not: the callee is never selected.
; CHECK-LABEL: @different_pointer(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call void %
; CHECK-NOT: call void %
; CHECK: ret void
define amdgpu_kernel void @different_pointer(ptr %f, ptr %g) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void %f(i32 1) willreturn
  br label %join
right:
  call void %g(i32 2) willreturn
  br label %join
join:
  ret void
}

; A promise of one call alone does not hold for both.
; CHECK-LABEL: @attributes_differ(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call i32 @pure
; CHECK-NOT: call i32 @pure
; CHECK: ret void
define amdgpu_kernel void @attributes_differ(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @pure(i32 noundef 1)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @pure(i32 2)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; `nomerge` is obeyed.
; CHECK-LABEL: @nomerge(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call void @effect
; CHECK-NOT: call void @effect
; CHECK: ret void
define amdgpu_kernel void @nomerge(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @effect(i32 1) nomerge
  br label %join
right:
  call void @effect(i32 2) nomerge
  br label %join
join:
  ret void
}

; A call marked convergent where it stands keeps its whole side as it was.
; CHECK-LABEL: @convergent_at_the_call(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call void @effect
; CHECK-NOT: call void @effect
; CHECK: ret void
define amdgpu_kernel void @convergent_at_the_call(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @effect(i32 1) convergent
  br label %join
right:
  call void @effect(i32 2) convergent
  br label %join
join:
  ret void
}

; Operand bundles: two, even when equal.
; CHECK-LABEL: @bundles(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call void @effect
; CHECK-NOT: call void @effect
; CHECK: ret void
define amdgpu_kernel void @bundles(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @effect(i32 1) [ "deopt"(i32 7) ]
  br label %join
right:
  call void @effect(i32 2) [ "deopt"(i32 7) ]
  br label %join
join:
  ret void
}

; `tail` only when both are.
; CHECK-LABEL: @tail_marker(
; CHECK: {{^ *}}call void @effect
; CHECK-NOT: call
; CHECK: ret void
define amdgpu_kernel void @tail_marker(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  tail call void @effect(i32 1)
  br label %join
right:
  call void @effect(i32 2)
  br label %join
join:
  ret void
}

; Equal immediate arguments pair
; CHECK-LABEL: @immediate_equal(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: call i32 @llvm.ctlz
; CHECK-NOT: call i32 @llvm.ctlz
; CHECK: ret void
define amdgpu_kernel void @immediate_equal(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %r = call i32 @llvm.ctlz.i32(i32 %y, i1 true)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; and different ones do not, for nothing can select them; what stands around them does.
; CHECK-LABEL: @immediate_differs(
; CHECK: load i32
; CHECK-NOT: load i32
; CHECK-COUNT-2: call i32 @llvm.ctlz
; CHECK-NOT: call i32 @llvm.ctlz
; CHECK: ret void
define amdgpu_kernel void @immediate_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l0 = mul i32 %x, %x
  %l = call i32 @llvm.ctlz.i32(i32 %l0, i1 true)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %r0 = mul i32 %y, %y
  %r = call i32 @llvm.ctlz.i32(i32 %r0, i1 false)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Commutative intrinsics take the order that needs no select; a funnel shift does not commute.
; CHECK-LABEL: @commuted_intrinsics(
; CHECK: call i32 @llvm.smax.i32
; CHECK-NOT: smax
; CHECK: call i32 @llvm.fshl.i32
; CHECK-NOT: fshl
; CHECK: ret void
define amdgpu_kernel void @commuted_intrinsics(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l = call i32 @llvm.smax.i32(i32 %x, i32 %tid)
  %l2 = call i32 @llvm.fshl.i32(i32 %l, i32 %x, i32 3)
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %r = call i32 @llvm.smax.i32(i32 %tid, i32 %y)
  %r2 = call i32 @llvm.fshl.i32(i32 %r, i32 %y, i32 5)
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A funnel shift with exchanged operands needs its selects.
; CHECK-LABEL: @order_of_arguments(
; CHECK: %[[X:.*]] = load i32
; CHECK-DAG: %[[A:.*]] = select i1 %c, i32 %tid, i32 %[[X]]
; CHECK-DAG: %[[B:.*]] = select i1 %c, i32 %[[X]], i32 %tid
; CHECK: call i32 @llvm.fshl.i32(i32 %[[A]], i32 %[[B]], i32 3)
; CHECK-NOT: fshl
; CHECK: ret void
define amdgpu_kernel void @order_of_arguments(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l2 = call i32 @llvm.fshl.i32(i32 %tid, i32 %x, i32 3)
  %l3 = mul i32 %l2, %l2
  store i32 %l3, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %r2 = call i32 @llvm.fshl.i32(i32 %y, i32 %tid, i32 3)
  %r3 = mul i32 %r2, %r2
  store i32 %r3, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Copies pair when both are volatile or neither is (an immediate argument).
; CHECK-LABEL: @copies(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: call void @llvm.memcpy
; CHECK-NOT: call void @llvm.memcpy
; CHECK: ret void
define amdgpu_kernel void @copies(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 16, i1 false)
  br label %join
right:
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %q, ptr addrspace(3) %p, i32 16, i1 false)
  br label %join
join:
  ret void
}

; One of them volatile: two.
; CHECK-LABEL: @copy_volatile_differs(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call void @llvm.memcpy
; CHECK-NOT: call void @llvm.memcpy
; CHECK: ret void
define amdgpu_kernel void @copy_volatile_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 16, i1 false)
  br label %join
right:
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %q, ptr addrspace(3) %p, i32 16, i1 true)
  br label %join
join:
  ret void
}

; A buffer descriptor must stay in scalar registers: no select of two.
; CHECK-LABEL: @descriptor_differs(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: call i32 @llvm.amdgcn.raw.buffer.load
; CHECK-NOT: call i32 @llvm.amdgcn.raw.buffer.load
; CHECK: ret void
define amdgpu_kernel void @descriptor_differs(<4 x i32> inreg %d, <4 x i32> inreg %e, ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %d, i32 %tid, i32 0, i32 0)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %e, i32 %tid, i32 0, i32 0)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The same descriptor and offset: one.
; CHECK-LABEL: @descriptor_same(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: call i32 @llvm.amdgcn.raw.buffer.load
; CHECK-NOT: call i32 @llvm.amdgcn.raw.buffer.load
; CHECK: ret void
define amdgpu_kernel void @descriptor_same(<4 x i32> inreg %d, <4 x i32> inreg %e, ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %d, i32 %tid, i32 0, i32 0)
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %d, i32 %tid, i32 0, i32 0)
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; An LDS float add takes any address: one.
; CHECK-LABEL: @lds_float_add(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-1: {{call float @llvm.amdgcn.ds.fadd|atomicrmw fadd}}
; CHECK-NOT: {{call float @llvm.amdgcn.ds.fadd|atomicrmw fadd}}
; CHECK: ret void
define amdgpu_kernel void @lds_float_add(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) %p, float 1.0, i32 0, i32 0, i1 false)
  br label %join
right:
  %r = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) %q, float 2.0, i32 0, i32 0, i1 false)
  br label %join
join:
  ret void
}

; Inline assembly is never paired, convergent or not, and stays behind its own side's branch.
; CHECK-LABEL: @asm_not_convergent(
; CHECK: = call i32 @llvm.amdgcn.workitem
; CHECK-COUNT-2: asm "v_mov_b32
; CHECK-NOT: asm "v_mov_b32
; CHECK: ret void
define amdgpu_kernel void @asm_not_convergent(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %x) nounwind willreturn readnone
  %l1 = mul i32 %l, %l
  %l2 = udiv i32 %l1, %tid
  %l3 = udiv i32 %tid, %l2
  %l4 = udiv i32 %l3, %x
  store i32 %l4, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %r = call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %y) nounwind willreturn readnone
  %r1 = mul i32 %r, %r
  %r2 = udiv i32 %r1, %tid
  %r3 = udiv i32 %tid, %r2
  %r4 = udiv i32 %r3, %y
  store i32 %r4, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A token has no select and no phi: the sides stay.
; CHECK-LABEL: @token(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @token(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %t = call token @llvm.call.preallocated.setup(i32 0)
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 7
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %u = call token @llvm.call.preallocated.setup(i32 0)
  %r = load i32, ptr addrspace(3) %p
  %r1 = mul i32 %r, 9
  store i32 %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A dynamic alloca of one side: the sides stay.
; CHECK-LABEL: @alloca_in_arm(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @alloca_in_arm(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = alloca i32, i32 %tid, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %a
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 7
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %b = alloca i32, i32 %tid, addrspace(5)
  store volatile i32 1, ptr addrspace(5) %b
  %r = load i32, ptr addrspace(3) %p
  %r1 = mul i32 %r, 9
  store i32 %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A musttail call ends its side.
; CHECK-LABEL: @musttail(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: musttail call
; CHECK-NOT: musttail
define void @musttail(i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %left, label %right
left:
  musttail call void @effect(i32 1)
  ret void
right:
  musttail call void @effect(i32 2)
  ret void
}
