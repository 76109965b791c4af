; Operations that talk to other lanes are never paired and never lose or gain control dependences: the whole
; side stays as it was.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)
declare void @llvm.amdgcn.s.barrier()
declare i32 @callee(i32) convergent

; CHECK-LABEL: @ballot(
; CHECK: left:
; CHECK: call i64 @llvm.amdgcn.ballot.i64
; CHECK: right:
; CHECK: call i64 @llvm.amdgcn.ballot.i64
define amdgpu_kernel void @ballot(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = icmp ugt i32 %tid, 9
  %l = call i64 @llvm.amdgcn.ballot.i64(i1 %a)
  store i64 %l, ptr addrspace(3) %p
  br label %join
right:
  %b = icmp ugt i32 %tid, 9
  %r = call i64 @llvm.amdgcn.ballot.i64(i1 %b)
  store i64 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @readfirstlane(
; CHECK: left:
; CHECK: call i32 @llvm.amdgcn.readfirstlane
; CHECK: right:
; CHECK: call i32 @llvm.amdgcn.readfirstlane
define amdgpu_kernel void @readfirstlane(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @llvm.amdgcn.readfirstlane(i32 %tid)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @llvm.amdgcn.readfirstlane(i32 %tid)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @shuffle(
; CHECK: left:
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
; CHECK: right:
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
define amdgpu_kernel void @shuffle(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @llvm.amdgcn.ds.bpermute(i32 4, i32 %tid)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @llvm.amdgcn.ds.bpermute(i32 8, i32 %tid)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @dpp(
; CHECK: left:
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32
; CHECK: right:
; CHECK: call i32 @llvm.amdgcn.update.dpp.i32
define amdgpu_kernel void @dpp(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %tid, i32 1, i32 15, i32 15, i1 false)
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %tid, i32 1, i32 15, i32 15, i1 false)
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @barrier(
; CHECK: left:
; CHECK: call void @llvm.amdgcn.s.barrier
; CHECK: right:
; CHECK: call void @llvm.amdgcn.s.barrier
define amdgpu_kernel void @barrier(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.barrier()
  br label %join
right:
  store i32 2, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.barrier()
  br label %join
join:
  ret void
}

; CHECK-LABEL: @convergent_call(
; CHECK: left:
; CHECK: call i32 @callee
; CHECK: right:
; CHECK: call i32 @callee
define amdgpu_kernel void @convergent_call(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 @callee(i32 1) convergent
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 @callee(i32 2) convergent
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @convergent_asm(
; CHECK: left:
; CHECK: call i32 asm
; CHECK: right:
; CHECK: call i32 asm
define amdgpu_kernel void @convergent_asm(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i32 asm "v_mov_b32 $0, 1", "=v"() convergent
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = call i32 asm "v_mov_b32 $0, 1", "=v"() convergent
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}
