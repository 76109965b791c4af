; RUN: %opt -passes='print<meld-divergence>' -disable-output %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)

; CHECK-LABEL: function: sources, wave 64
; CHECK: all: i32 %n
; CHECK: thread:   %x =
; CHECK: thread:   %y =
; CHECK: workgroup:   %g =
; CHECK: wave:   %first =
; CHECK: wave:   %ballot =
; CHECK: thread:   %lane =
; CHECK: workgroup:   %sum =
; CHECK: wave:   %uniform.load =
; CHECK: all:   %constant.load =
; CHECK: thread:   %own.load =
; CHECK: thread:   %atomic =
; CHECK: thread:   %volatile =
; CHECK: thread:   %flat =
define amdgpu_kernel void @sources(ptr addrspace(1) %p, ptr addrspace(4) %k, ptr %f, i32 %n) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = call i32 @llvm.amdgcn.readfirstlane(i32 %x)
  %odd = icmp eq i32 %x, 1
  %ballot = call i64 @llvm.amdgcn.ballot.i64(i1 %odd)
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %sum = add i32 %g, %n
  %uniform.load = load i32, ptr addrspace(1) %p
  %constant.load = load i32, ptr addrspace(4) %k
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %own.load = load i32, ptr addrspace(1) %q
  %atomic = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %volatile = load volatile i32, ptr addrspace(1) %p
  %flat = load i32, ptr %f
  ret void
}

; Rows of 128 fill waves: y is one per wave, and so are x / 64, x & ~63 and x < 64; x < 32 is not.
; CHECK-LABEL: function: filled, wave 64
; CHECK: wave:   %y =
; CHECK: wave:   %shift =
; CHECK: wave:   %mask =
; CHECK: wave:   %low =
; CHECK: wave:   %high =
; CHECK: thread:   %inside =
; CHECK: thread:   %half =
define amdgpu_kernel void @filled() !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %shift = lshr i32 %x, 6
  %mask = and i32 %x, -64
  %low = icmp ult i32 %x, 64
  %high = icmp ugt i32 %x, 63
  %inside = icmp ult i32 %x, 32
  %half = lshr i32 %x, 5
  ret void
}

; Rows of 96 do not: a wave holds the end of one row and the start of the next.
; CHECK-LABEL: function: ragged, wave 64
; CHECK: thread:   %y =
; CHECK: thread:   %low =
define amdgpu_kernel void @ragged() !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %low = icmp ult i32 %x, 64
  ret void
}

; At most 128 threads: no second row fits behind one longer than 64, so x < 64 is proven without the shape.
; CHECK-LABEL: function: small, wave 64
; CHECK: wave:   %low =
define amdgpu_kernel void @small() #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %low = icmp ult i32 %x, 64
  ret void
}

; CHECK-LABEL: function: large, wave 64
; CHECK: thread:   %low =
define amdgpu_kernel void @large() #1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %low = icmp ult i32 %x, 64
  ret void
}

; Sync dependence: constants, but which one depends on the thread. Behind an inner branch that may leave, too.
; CHECK-LABEL: function: sync
; CHECK: branch thread
; CHECK: block %join
; CHECK: thread:   %v =
; CHECK: all:   %w =
define amdgpu_kernel void @sync(i32 %n) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %x, 3
  br i1 %c, label %a, label %b
a:
  %d = icmp eq i32 %n, 1
  br i1 %d, label %gone, label %join
b:
  br label %join
join:
  %v = phi i32 [ 1, %a ], [ 2, %b ]
  %w = add i32 %n, 1
  ret void
gone:
  ret void
}

; Temporal divergence: uniform inside the loop, but threads leave at different times.
; CHECK-LABEL: function: temporal
; CHECK: all:   %i =
; CHECK: branch thread
; CHECK: thread:   %after =
define amdgpu_kernel void @temporal(ptr addrspace(1) %p) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %x
  br i1 %again, label %loop, label %done
done:
  %after = phi i32 [ %i, %loop ]
  store i32 %after, ptr addrspace(1) %p
  ret void
}

; A uniform exit keeps it uniform.
; CHECK-LABEL: function: uniform_exit
; CHECK: branch all
; CHECK: all:   %after =
define amdgpu_kernel void @uniform_exit(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %n
  br i1 %again, label %loop, label %done
done:
  %after = phi i32 [ %i, %loop ]
  store i32 %after, ptr addrspace(1) %p
  ret void
}

; A uniform exit behind a divergent branch: threads still leave at different times.
; CHECK-LABEL: function: hidden_exit
; CHECK: thread:   %after =
define amdgpu_kernel void @hidden_exit(ptr addrspace(1) %p, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  %i1 = add i32 %i, 1
  %mine = icmp ult i32 %i1, %x
  br i1 %mine, label %maybe, label %latch
maybe:
  %leave = icmp eq i32 %i, %n
  br i1 %leave, label %done, label %latch
latch:
  br label %loop
done:
  %after = phi i32 [ %i, %maybe ]
  store i32 %after, ptr addrspace(1) %p
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,128" }
attributes #1 = { "amdgpu-flat-work-group-size"="1,256" }
!0 = !{i32 128, i32 2, i32 1}
!1 = !{i32 96, i32 2, i32 1}

; What an ordinary function is given `inreg` comes in a vector register (LLVM 15), each thread's own.
; CHECK-LABEL: for function: in_register
; CHECK: branch thread: br i1 %above
define void @in_register(i32 inreg %n, ptr addrspace(1) %q) {
entry:
  %above = icmp ugt i32 %n, 5
  br i1 %above, label %then, label %join
then:
  store volatile i32 3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}
; CHECK-LABEL: for function: in_scalar_register
; CHECK: branch wave: br i1 %above
define amdgpu_gfx void @in_scalar_register(i32 inreg %n, ptr addrspace(1) %q) {
entry:
  %above = icmp ugt i32 %n, 5
  br i1 %above, label %then, label %join
then:
  store volatile i32 3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}
