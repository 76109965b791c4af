; Legality rule 3: what one side alone does is done by all only where that is safe, whatever the operands
; of the threads of the other side are.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@table = internal addrspace(3) global [64 x i32] undef
declare i32 @safe(i32) nounwind readnone willreturn speculatable
declare i32 @unsafe(i32) nounwind readnone willreturn
declare i32 @llvm.cttz.i32(i32, i1 immarg)

; A remainder whose divisor may be zero on the other side.
; CHECK-LABEL: @remainder_by_value(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: urem i32 100, %x
; CHECK: ret void
define amdgpu_kernel void @remainder_by_value(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = urem i32 100, %x
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Division by the constant zero.
; CHECK-LABEL: @remainder_of_zero(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: udiv i32 %x, 0
; CHECK: ret void
define amdgpu_kernel void @remainder_of_zero(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = udiv i32 %x, 0
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Signed division by -1 overflows for one operand.
; CHECK-LABEL: @minus_one(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: sdiv i32 %x, -1
; CHECK: ret void
define amdgpu_kernel void @minus_one(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = sdiv i32 %x, -1
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Signed division by another constant is safe: no branch.
; CHECK-LABEL: @signed_by_constant(
; CHECK-NOT: br i1
; CHECK: sdiv i32 %x, 7
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @signed_by_constant(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = sdiv i32 %x, 7
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A divisor that this side has tested: the other side has not.
; CHECK-LABEL: @guarded_divisor(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: sdiv i32 100
; CHECK: ret void
define amdgpu_kernel void @guarded_divisor(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %o = or i32 %x, 0
  %d = sdiv i32 100, %o
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A load that cannot fault still costs every thread a memory access: not done for all.
; CHECK-LABEL: @dereferenceable_load(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: load i32, ptr addrspace(1) %k
; CHECK: ret void
define amdgpu_kernel void @dereferenceable_load(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = load i32, ptr addrspace(1) %k, align 4
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The same for a variable in LDS.
; CHECK-LABEL: @lds_load(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: load i32, ptr addrspace(3) @table
; CHECK: ret void
define amdgpu_kernel void @lds_load(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = load i32, ptr addrspace(3) @table, align 4
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A load of an address that is only valid on its own side.
; CHECK-LABEL: @out_of_bounds_load(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: load i32, ptr addrspace(1)
; CHECK: ret void
define amdgpu_kernel void @out_of_bounds_load(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %a = getelementptr i32, ptr addrspace(1) %k, i32 %x
  %d = load i32, ptr addrspace(1) %a
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; one that does not promise may not.
; CHECK-LABEL: @other_call(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: call i32 @unsafe
; CHECK: ret void
define amdgpu_kernel void @other_call(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = call i32 @unsafe(i32 %x)
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Promises that held on one side go: undefined results of the other threads must not be undefined behaviour.
; CHECK-LABEL: @promises_dropped(
; CHECK-NOT: br i1
; CHECK: call i32 @llvm.cttz.i32(i32 %x, i1 false){{$}}
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @promises_dropped(ptr addrspace(3) %p, i32 %x, <2 x i32> %w, ptr addrspace(1) dereferenceable(64) align 16 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %s = call i32 @llvm.cttz.i32(i32 %x, i1 false), !range !0
  %d = add i32 %s, 1
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

!0 = !{i32 0, i32 33}
