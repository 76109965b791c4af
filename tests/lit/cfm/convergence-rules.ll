; Legality rule 2: a side with an operation that talks to other lanes is left whole, wherever in it the operation
; stands and however alike the rest is.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane(i32, i32)
declare i32 @llvm.amdgcn.writelane(i32, i32, i32)
declare i32 @llvm.amdgcn.ds.permute(i32, i32)
declare i32 @llvm.amdgcn.ds.swizzle(i32, i32 immarg)
declare i32 @llvm.amdgcn.mov.dpp.i32(i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.amdgcn.wqm.i32(i32)
declare i32 @llvm.amdgcn.set.inactive.i32(i32, i32)
declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32 immarg)
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.wave.barrier()
declare i32 @device(i32) convergent

; llvm.amdgcn.readlane on both sides.
; CHECK-LABEL: @readlane(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.readlane
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.readlane
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @readlane(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @llvm.amdgcn.readlane(i32 %x2, i32 0)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @llvm.amdgcn.readlane(i32 %y2, i32 0)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; llvm.amdgcn.ds.permute on both sides.
; CHECK-LABEL: @permute(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.ds.permute
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.ds.permute
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @permute(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @llvm.amdgcn.ds.permute(i32 %x2, i32 8)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @llvm.amdgcn.ds.permute(i32 %y2, i32 8)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; llvm.amdgcn.ds.swizzle on both sides.
; CHECK-LABEL: @swizzle(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.ds.swizzle
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.ds.swizzle
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @swizzle(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @llvm.amdgcn.ds.swizzle(i32 %x2, i32 100)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @llvm.amdgcn.ds.swizzle(i32 %y2, i32 100)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; llvm.amdgcn.mov.dpp on both sides.
; CHECK-LABEL: @mov_dpp(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.mov.dpp
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.mov.dpp
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @mov_dpp(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %x2, i32 1, i32 15, i32 15, i1 false)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %y2, i32 1, i32 15, i32 15, i1 false)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; llvm.amdgcn.set.inactive on both sides.
; CHECK-LABEL: @set_inactive(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.set.inactive
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.set.inactive
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @set_inactive(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x2, i32 0)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @llvm.amdgcn.set.inactive.i32(i32 %y2, i32 0)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; llvm.amdgcn.wave.barrier on both sides.
; CHECK-LABEL: @wave_barrier(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.wave.barrier
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @llvm.amdgcn.wave.barrier
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @wave_barrier(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  call void @llvm.amdgcn.wave.barrier()
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  call void @llvm.amdgcn.wave.barrier()
  store i32 %y2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; device on both sides.
; CHECK-LABEL: @device_function(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @device
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: @device
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @device_function(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %xr = call i32 @device(i32 %x2)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  %yr = call i32 @device(i32 %y2)
  store i32 %yr, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; On one side alone: the code around it does not move either.
; CHECK-LABEL: @barrier_left_only(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.s.barrier
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @barrier_left_only(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  call void @llvm.amdgcn.s.barrier()
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; On one side alone: the code around it does not move either.
; CHECK-LABEL: @ballot_left_only(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: load
; CHECK: @llvm.amdgcn.ballot
; CHECK: store
; CHECK: right:
; CHECK: load
; CHECK: store
; CHECK: ret void
define amdgpu_kernel void @ballot_left_only(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  %lb = icmp sgt i32 %x2, 3
  %xr = call i32 @llvm.amdgcn.ballot.i32(i1 %lb)
  store i32 %xr, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Behind a branch inside the side: the code above it may meld, the part with the operation stays on its side.
; CHECK-LABEL: @inside_a_region(
; CHECK: br i1 %c, label %[[L:.*]], label %[[R:.*]]
; CHECK: [[L]]:
; CHECK: @llvm.amdgcn.ds.permute
; CHECK: [[R]]:
; CHECK: @llvm.amdgcn.ds.permute
; CHECK: ret void
define amdgpu_kernel void @inside_a_region(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %left.then, label %left.end
left.then:
  %xr = call i32 @llvm.amdgcn.ds.permute(i32 %x, i32 8)
  store i32 %xr, ptr addrspace(3) %p
  br label %left.end
left.end:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp sgt i32 %y, 4
  br i1 %yc, label %right.then, label %right.end
right.then:
  %yr = call i32 @llvm.amdgcn.ds.permute(i32 %y, i32 8)
  store i32 %yr, ptr addrspace(3) %p
  br label %right.end
right.end:
  br label %join
join:
  ret void
}

; In a loop of the side.
; CHECK-LABEL: @inside_a_loop(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: @llvm.amdgcn.s.barrier
; CHECK: right:
; CHECK: @llvm.amdgcn.s.barrier
; CHECK: ret void
define amdgpu_kernel void @inside_a_loop(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %xi = phi i32 [ 0, %0 ], [ %xj, %left ]
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.barrier()
  %xj = add i32 %xi, 1
  %xc = icmp ult i32 %xj, %n
  br i1 %xc, label %left, label %left.end
left.end:
  br label %join
right:
  %yi = phi i32 [ 0, %0 ], [ %yj, %right ]
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.barrier()
  %yj = add i32 %yi, 1
  %yc = icmp ult i32 %yj, %n
  br i1 %yc, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}
