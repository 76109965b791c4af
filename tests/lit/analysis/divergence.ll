; What the lattice page asks for beyond tests/lit/divergence: cancelling ids, thresholds of any arithmetic, call
; summaries, early exits, whole workgroups. Expected widths are worked out by hand.
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.amdgcn.s.barrier()

; (t + n) - (t + 4) is n - 4; twice the id does not cancel; a comparison of sums cancels where it cannot wrap.
; CHECK-LABEL: function: cancels, wave 64
; CHECK: thread: {{ *}}%a =
; CHECK: all: {{ *}}%gone =
; CHECK: thread: {{ *}}%stays =
; CHECK: all: {{ *}}%distance =
; CHECK: all: {{ *}}%equal =
; CHECK: all: {{ *}}%less =
; CHECK: thread: {{ *}}%wraps =
define amdgpu_kernel void @cancels(i32 %n, i32 %m, ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = add nsw i32 %t, %n
  %b = add nsw i32 %t, 4
  %gone = sub i32 %a, %b
  %double = shl i32 %t, 1
  %stays = sub i32 %double, %b
  %wide = sext i32 %a to i64
  %q = getelementptr float, ptr addrspace(1) %p, i64 %wide
  %wide.b = sext i32 %b to i64
  %r = getelementptr float, ptr addrspace(1) %p, i64 %wide.b
  %qi = ptrtoint ptr addrspace(1) %q to i64
  %ri = ptrtoint ptr addrspace(1) %r to i64
  %distance = sub i64 %qi, %ri
  %equal = icmp eq i32 %a, %b
  %less = icmp slt i32 %a, %b
  %wraps = icmp ult i32 %a, %b
  ret void
}

; Rows of 64: everything of y is one per wave; any arithmetic on x that has steps of 64.
; CHECK-LABEL: function: tables
; CHECK: wave: {{ *}}%wave =
; CHECK: wave: {{ *}}%rounded =
; CHECK: wave: {{ *}}%flat.wave =
; CHECK: wave: {{ *}}%chosen =
; CHECK: thread: {{ *}}%lane =
; CHECK: all: {{ *}}%inside =
; CHECK: all: {{ *}}%capped =
; CHECK: thread: {{ *}}%half =
define amdgpu_kernel void @tables() !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %wave = udiv i32 %x, 64
  %low = and i32 %x, 63
  %rounded = sub i32 %x, %low
  %row = mul i32 %y, 128
  %flat = add i32 %row, %x
  %flat.wave = lshr i32 %flat, 6
  %late = icmp ugt i32 %x, 63
  %chosen = select i1 %late, i32 7, i32 %y
  %lane = urem i32 %x, 64
  %inside = icmp ult i32 %flat, 256
  %capped = call i32 @llvm.umin.i32(i32 %x, i32 0)
  %half = icmp ult i32 %x, 96
  ret void
}

; 8 x 8 x 4: a wave is one value of z, and x + 8 y its lane.
; CHECK-LABEL: function: cube
; CHECK: thread: {{ *}}%y =
; CHECK: wave: {{ *}}%z =
; CHECK: wave: {{ *}}%same =
; CHECK: wave: {{ *}}%quarter =
define amdgpu_kernel void @cube() !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %z = call i32 @llvm.amdgcn.workitem.id.z()
  %same = add i32 %z, 0
  %y8 = shl i32 %y, 3
  %z64 = shl i32 %z, 6
  %xy = add i32 %x, %y8
  %flat = add i32 %xy, %z64
  %quarter = lshr i32 %flat, 6
  ret void
}

; The same rows on a machine with waves of 32: halves of rows are waves.
; CHECK-LABEL: function: narrow, wave 32
; CHECK: wave: {{ *}}%half =
; CHECK: thread: {{ *}}%quarter =
define amdgpu_kernel void @narrow() #0 !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %half = icmp ult i32 %x, 96
  %quarter = icmp ult i32 %x, 16
  ret void
}

; Workgroups that may be cut short are not dealt by their declared shape.
; CHECK-LABEL: function: cut_short
; CHECK: thread: {{ *}}%wave =
define amdgpu_kernel void @cut_short() #1 !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wave = udiv i32 %x, 64
  ret void
}

; Callees: as wide as the arguments that matter, per call.
; CHECK-LABEL: function: callers
; CHECK: all: {{ *}}%plain =
; CHECK: thread: {{ *}}%varies =
; CHECK: all: {{ *}}%ignored =
; CHECK: all: {{ *}}%steered =
; CHECK: thread: {{ *}}%divided =
; CHECK: thread: {{ *}}%id =
; CHECK: wave: {{ *}}%loaded =
; CHECK: thread: {{ *}}%cycle =
; CHECK: thread: {{ *}}%replaceable =
; CHECK: thread: {{ *}}%unknown =
define amdgpu_kernel void @callers(i32 %n, ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %plain = call i32 @scale(i32 %n, i32 %n)
  %varies = call i32 @scale(i32 %t, i32 %n)
  %ignored = call i32 @scale(i32 %n, i32 %t)
  %steered = call i32 @choose(i32 %n)
  %divided = call i32 @choose(i32 %t)
  %id = call i32 @own(i32 %n)
  %loaded = call i32 @fetch(ptr addrspace(1) %p)
  %cycle = call i32 @even(i32 %n)
  %replaceable = call i32 @weak(i32 %n)
  %unknown = call i32 @outside(i32 %n)
  ret void
}
define internal i32 @scale(i32 %v, i32 %unused) {
  %r = mul i32 %v, 3
  ret i32 %r
}
define internal i32 @choose(i32 %v) { ; constants, but which return is the argument's choice
  %c = icmp eq i32 %v, 0
  br i1 %c, label %one, label %two
one:
  ret i32 1
two:
  ret i32 2
}
define internal i32 @own(i32 %v) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = add i32 %x, %v
  ret i32 %r
}
define internal i32 @fetch(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p
  %r = call i32 @scale(i32 %v, i32 0)
  ret i32 %r
}
define internal i32 @even(i32 %v) {
  %w = sub i32 %v, 1
  %r = call i32 @odd(i32 %w)
  ret i32 %r
}
define internal i32 @odd(i32 %v) {
  %c = icmp eq i32 %v, 0
  br i1 %c, label %done, label %more
more:
  %r = call i32 @even(i32 %v)
  ret i32 %r
done:
  ret i32 0
}
define weak i32 @weak(i32 %v) {
  ret i32 %v
}
declare i32 @outside(i32)

; if (t > 3) return; S: convergent among those that stay, and only among them.
; CHECK-LABEL: function: early_exit
; CHECK: block %0 convergent all
; CHECK: block %gone convergent thread
; CHECK: block %stays convergent thread, exits aside all
define amdgpu_kernel void @early_exit(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ugt i32 %t, 3
  br i1 %c, label %gone, label %stays
gone:
  ret void
stays:
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Both sides work on: neither is convergent. A barrier in one of them proves nothing.
; CHECK-LABEL: function: both_work
; CHECK: block %left convergent thread{{$}}
; CHECK: block %right convergent thread{{$}}
; CHECK: block %join convergent all
define amdgpu_kernel void @both_work(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ugt i32 %t, 3
  br i1 %c, label %left, label %right
left:
  call void @llvm.amdgcn.s.barrier()
  store i32 1, ptr addrspace(1) %p
  br label %join
right:
  store i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

attributes #0 = { "target-features"="+wavefrontsize32" }
attributes #1 = { "uniform-work-group-size"="false" }
!0 = !{i32 128, i32 2, i32 1}
!1 = !{i32 8, i32 8, i32 4}
