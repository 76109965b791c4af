; Selects of every kind of value, in every address space; code generation takes them.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx900 -o /dev/null
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
@lds.a = internal addrspace(3) global [64 x i32] undef
@lds.b = internal addrspace(3) global [64 x i32] undef

; CHECK-LABEL: @lds_globals(
; CHECK: select i1 %c, ptr addrspace(3) @lds.a, ptr addrspace(3) @lds.b
; CHECK: getelementptr
; CHECK-NOT: getelementptr
; CHECK: ret void
define amdgpu_kernel void @lds_globals(i32 %v) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = getelementptr [64 x i32], ptr addrspace(3) @lds.a, i32 0, i32 %tid
  store i32 %v, ptr addrspace(3) %l
  br label %join
right:
  %r = getelementptr [64 x i32], ptr addrspace(3) @lds.b, i32 0, i32 %tid
  store i32 %v, ptr addrspace(3) %r
  br label %join
join:
  ret void
}

; CHECK-LABEL: @flat(
; CHECK: select i1 %c, ptr %p, ptr %q
define amdgpu_kernel void @flat(ptr %p, ptr %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i64 1, ptr %p
  br label %join
right:
  store i64 2, ptr %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @global(
; CHECK: select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q
define amdgpu_kernel void @global(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i8 1, ptr addrspace(1) %p
  br label %join
right:
  store i8 2, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @private(
; CHECK: select i1 %c, ptr addrspace(5) %p, ptr addrspace(5) %q
define void @private(ptr addrspace(5) %p, ptr addrspace(5) %q, i32 %tid) {
  %c = icmp eq i32 %tid, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(5) %p
  br label %join
right:
  store i32 2, ptr addrspace(5) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @vectors(
; CHECK: select i1 %c, <4 x float> %a, <4 x float> %b
define amdgpu_kernel void @vectors(ptr addrspace(1) %p, <4 x float> %a, <4 x float> %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %pl = getelementptr <4 x float>, ptr addrspace(1) %p, i32 %tid
  %l = load <4 x float>, ptr addrspace(1) %pl
  %l1 = fadd <4 x float> %l, %a
  store <4 x float> %l1, ptr addrspace(1) %pl
  br label %join
right:
  %pr = getelementptr <4 x float>, ptr addrspace(1) %p, i32 %tid
  %r = load <4 x float>, ptr addrspace(1) %pr
  %r1 = fadd <4 x float> %r, %b
  store <4 x float> %r1, ptr addrspace(1) %pr
  br label %join
join:
  ret void
}

; Uniform loads that the scalar unit does stay apart: no vector load of a selected address.
; CHECK-LABEL: @uniform_loads(
; CHECK-NOT: select i1 %c, ptr addrspace(4)
; CHECK: ret void
define amdgpu_kernel void @uniform_loads(ptr addrspace(4) %p, ptr addrspace(4) %q, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(4) %p
  %l1 = mul i32 %l, %tid
  store i32 %l1, ptr addrspace(3) %o
  br label %join
right:
  %r = load i32, ptr addrspace(4) %q
  %r1 = mul i32 %r, %tid
  store i32 %r1, ptr addrspace(3) %o
  br label %join
join:
  ret void
}

; Struct fields differ: indices into a struct cannot be selected, the addresses can.
; CHECK-LABEL: @structs(
; CHECK-NOT: getelementptr {{.*}} i32 %meld
; CHECK: ret void
define amdgpu_kernel void @structs(ptr addrspace(1) %p, i32 %v) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = getelementptr { i32, i32, i64 }, ptr addrspace(1) %p, i32 %tid, i32 0
  store i32 %v, ptr addrspace(1) %l
  br label %join
right:
  %r = getelementptr { i32, i32, i64 }, ptr addrspace(1) %p, i32 %tid, i32 1
  store i32 %v, ptr addrspace(1) %r
  br label %join
join:
  ret void
}
