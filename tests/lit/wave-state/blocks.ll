; What happens once per wave is no part of what is melded, whatever LLVM says of it: none of these is marked
; convergent. Both sides are alike but for a constant, and stay two.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.s.setprio(i16 immarg)
declare void @llvm.amdgcn.s.sendmsg(i32 immarg, i32)
declare void @llvm.amdgcn.s.setreg(i32 immarg, i32)
declare i32 @llvm.amdgcn.s.getreg(i32 immarg)
declare void @llvm.write_register.i32(metadata, i32)
declare i32 @llvm.read_register.i32(metadata)
declare i64 @llvm.amdgcn.s.memtime()
declare i64 @llvm.readcyclecounter()
declare void @llvm.amdgcn.s.waitcnt(i32 immarg)
declare void @llvm.amdgcn.s.incperflevel(i32 immarg)
declare void @llvm.amdgcn.s.dcache.inv()
declare void @llvm.debugtrap()
declare void @llvm.amdgcn.exp.f32(i32 immarg, i32 immarg, float, float, float, float, i1 immarg, i1 immarg)
declare void @llvm.amdgcn.kill(i1)
declare void @llvm.amdgcn.ds.gws.barrier(i32, i32)
declare void @llvm.amdgcn.from.the.future(i32)
declare i32 @llvm.flt.rounds()

; The same without such an operation, with a lane's own ones and with empty assembly is melded.
; CHECK-LABEL: @own(
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @own(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
declare float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) nocapture, float, i32 immarg, i32 immarg, i1 immarg)
@box = internal addrspace(3) global float undef
; CHECK-LABEL: @own_atomic(
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @own_atomic(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) @box, float 1.0, i32 0, i32 0, i1 false)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call float @llvm.amdgcn.ds.fadd.f32(ptr addrspace(3) @box, float 1.0, i32 0, i32 0, i1 false)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
declare void @llvm.memcpy.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1 immarg)
@from = internal addrspace(3) global [16 x i8] undef
@to = internal addrspace(3) global [16 x i8] undef
; CHECK-LABEL: @own_copy(
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @own_copy(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) @from, ptr addrspace(3) @to, i32 16, i1 false)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) @from, ptr addrspace(3) @to, i32 16, i1 false)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @sleep(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @sleep(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.sleep(i32 3)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.sleep(i32 3)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @priority(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @priority(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.setprio(i16 2)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.setprio(i16 2)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @message(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @message(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.sendmsg(i32 1, i32 0)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.sendmsg(i32 1, i32 0)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @mode(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @mode(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @mode_read(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @mode_read(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call i32 @llvm.amdgcn.s.getreg(i32 6145)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call i32 @llvm.amdgcn.s.getreg(i32 6145)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @register(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @register(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.write_register.i32(metadata !0, i32 5)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.write_register.i32(metadata !0, i32 5)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @register_read(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @register_read(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call i32 @llvm.read_register.i32(metadata !0)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call i32 @llvm.read_register.i32(metadata !0)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @clock(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @clock(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call i64 @llvm.amdgcn.s.memtime()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call i64 @llvm.amdgcn.s.memtime()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @counter(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @counter(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call i64 @llvm.readcyclecounter()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call i64 @llvm.readcyclecounter()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @waiting(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @waiting(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.waitcnt(i32 0)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @level(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @level(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.incperflevel(i32 1)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.incperflevel(i32 1)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @cache(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @cache(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.s.dcache.inv()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.s.dcache.inv()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @trap(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @trap(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.debugtrap()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.debugtrap()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @lines(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @lines(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float 1.0, float 1.0, float 1.0, float 1.0, i1 true, i1 false)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float 1.0, float 1.0, float 1.0, float 1.0, i1 true, i1 false)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @rest_of_lanes(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @rest_of_lanes(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.kill(i1 true)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.kill(i1 true)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @whole_machine(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @whole_machine(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.ds.gws.barrier(i32 1, i32 0)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.ds.gws.barrier(i32 1, i32 0)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @unknown(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @unknown(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @llvm.amdgcn.from.the.future(i32 7)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @llvm.amdgcn.from.the.future(i32 7)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @text(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @text(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void asm sideeffect "s_sleep 3", ""()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void asm sideeffect "s_sleep 3", ""()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @rounding(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @rounding(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %ml = call i32 @llvm.flt.rounds()
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %mr = call i32 @llvm.flt.rounds()
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A change in blocks of its own: the code between is alike, but must not run with the other side's change.
; CHECK-LABEL: @between(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: s.setreg
; CHECK: fmul
; CHECK: s.setreg
; CHECK: right:
; CHECK: fmul
define amdgpu_kernel void @between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  br label %left.body
left.body:
  %x = load float, ptr addrspace(3) %p
  %x1 = fmul float %x, 3.0
  %x2 = fmul float %x1, %x
  store float %x2, ptr addrspace(3) %p
  br label %left.end
left.end:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 0)
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %y1 = fmul float %y, 5.0
  %y2 = fmul float %y1, %y
  store float %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Below a change that all lanes have made, the sides are as good as any, but floating point needs its own block:
; instruction selection may move it past the change back.
; CHECK-LABEL: @below(
; CHECK: s.setreg
; CHECK: br i1
; CHECK: s.setreg
define amdgpu_kernel void @below(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %x1 = fmul float %x, 3.0
  %x2 = fmul float %x1, %x
  store float %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %y1 = fmul float %y, 5.0
  %y2 = fmul float %y1, %y
  store float %y2, ptr addrspace(3) %q
  br label %join
join:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 0)
  ret void
}
; CHECK-LABEL: @below_integers(
; CHECK: s.setreg
; CHECK-NOT: br i1
; CHECK: s.setreg
define amdgpu_kernel void @below_integers(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 0)
  ret void
}
; CHECK-LABEL: @below_priority(
; CHECK: s.setprio
; CHECK-NOT: br i1
; CHECK: s.setprio
define amdgpu_kernel void @below_priority(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.s.setprio(i16 2)
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %x1 = fmul float %x, 3.0
  %x2 = fmul float %x1, %x
  store float %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %y1 = fmul float %y, 5.0
  %y2 = fmul float %y1, %y
  store float %y2, ptr addrspace(3) %q
  br label %join
join:
  call void @llvm.amdgcn.s.setprio(i16 0)
  ret void
}
; CHECK-LABEL: @below_nop(
; CHECK: s_nop
; CHECK-NOT: br i1
; CHECK: s_nop
define amdgpu_kernel void @below_nop(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void asm sideeffect "s_nop 2", ""()
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %x1 = fmul float %x, 3.0
  %x2 = fmul float %x1, %x
  store float %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %y1 = fmul float %y, 5.0
  %y2 = fmul float %y1, %y
  store float %y2, ptr addrspace(3) %q
  br label %join
join:
  call void asm sideeffect "s_nop 0", ""()
  ret void
}
; CHECK-LABEL: @below_text(
; CHECK: s_round_mode
; CHECK: br i1
; CHECK: s_round_mode
define amdgpu_kernel void @below_text(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void asm sideeffect "s_round_mode 15", ""()
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %x1 = fmul float %x, 3.0
  %x2 = fmul float %x1, %x
  store float %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %q
  %y1 = fmul float %y, 5.0
  %y2 = fmul float %y1, %y
  store float %y2, ptr addrspace(3) %q
  br label %join
join:
  call void asm sideeffect "s_round_mode 0", ""()
  ret void
}

; What a callee does.
define internal void @rounds(i32 %n) noinline {
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  ret void
}
define internal void @calls(i32 %n) noinline {
  call void @rounds(i32 %n)
  ret void
}
define internal void @stores(i32 %n) noinline {
  store i32 %n, ptr addrspace(3) @to
  ret void
}

; CHECK-LABEL: @called(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: store
; CHECK: right:
; CHECK: store
define amdgpu_kernel void @called(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @calls(i32 1)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @calls(i32 1)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
; CHECK-LABEL: @called_own(
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @called_own(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  call void @stores(i32 1)
  %x2 = mul i32 %x1, %x
  store i32 %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  call void @stores(i32 1)
  %y2 = mul i32 %y1, %y
  store i32 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

!0 = !{!"m0"}
