; A switch that diverges becomes one melded body; else-if chains do too.
; RUN: %opt -passes=simplifycfg,meld-switch,simplifycfg -S %s | FileCheck %s
; RUN: %opt -passes=meld -S %s | FileCheck %s
; RUN: %opt -passes=simplifycfg,meld-switch -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; Nine cases become one by eight meldings, each told as well.
; REMARK: remark: {{.*}}meld-switch melded %entry (switch): cases 9, meldings 8{{$}}
; REMARK-COUNT-8: meld-cfm melded %meld.case
; REMARK: meld-switch melded
; RUN: %opt -passes='default<O3>' %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Nine cases, one of them the default.
; CHECK-LABEL: @nine(
; CHECK: load i32
; CHECK-NOT: {{^  (switch|br)}}
; CHECK: load i32
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @nine(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c8 [
    i32 0, label %c0
    i32 7, label %c1
    i32 14, label %c2
    i32 21, label %c3
    i32 28, label %c4
    i32 35, label %c5
    i32 42, label %c6
    i32 49, label %c7
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
c3:
  %a.c3 = add i32 %tid, 10
  %p.c3 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c3
  %l.c3 = load i32, ptr addrspace(1) %p.c3
  %m.c3 = mul i32 %l.c3, 8
  store i32 %m.c3, ptr addrspace(1) %p.c3
  br label %join
c4:
  %a.c4 = add i32 %tid, 13
  %p.c4 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c4
  %l.c4 = load i32, ptr addrspace(1) %p.c4
  %m.c4 = mul i32 %l.c4, 9
  store i32 %m.c4, ptr addrspace(1) %p.c4
  br label %join
c5:
  %a.c5 = add i32 %tid, 16
  %p.c5 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c5
  %l.c5 = load i32, ptr addrspace(1) %p.c5
  %m.c5 = mul i32 %l.c5, 10
  store i32 %m.c5, ptr addrspace(1) %p.c5
  br label %join
c6:
  %a.c6 = add i32 %tid, 19
  %p.c6 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c6
  %l.c6 = load i32, ptr addrspace(1) %p.c6
  %m.c6 = mul i32 %l.c6, 11
  store i32 %m.c6, ptr addrspace(1) %p.c6
  br label %join
c7:
  %a.c7 = add i32 %tid, 22
  %p.c7 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c7
  %l.c7 = load i32, ptr addrspace(1) %p.c7
  %m.c7 = mul i32 %l.c7, 12
  store i32 %m.c7, ptr addrspace(1) %p.c7
  br label %join
c8:
  %a.c8 = add i32 %tid, 25
  %p.c8 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c8
  %l.c8 = load i32, ptr addrspace(1) %p.c8
  %m.c8 = mul i32 %l.c8, 13
  store i32 %m.c8, ptr addrspace(1) %p.c8
  br label %join
join:
  ret void
}

; No other value can come: the last case needs no test.
; CHECK-LABEL: @unreachable_default(
; CHECK: load i32
; CHECK-COUNT-2: icmp eq
; CHECK-NOT: icmp
; CHECK-NOT: {{^  (switch|br)}}
; CHECK: load i32
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @unreachable_default(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %dead [
    i32 1, label %c0
    i32 5, label %c1
    i32 9, label %c2
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
dead:
  unreachable
join:
  ret void
}

; Three values lead to one case; ranges of values are tested by one subtraction. (c2 has the most
; runs of values and comes last, without a test.)
; CHECK-LABEL: @shared_targets(
; CHECK: load i32
; CHECK-DAG: %[[OFF:.*]] = sub i32 %s, 10
; CHECK-DAG: icmp ule i32 %[[OFF]], 3
; CHECK-DAG: icmp eq i32 %s, 1
; CHECK-NOT: icmp
; CHECK-NOT: {{^  (switch|br)}}
; CHECK: load i32
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @shared_targets(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %dead [
    i32 1, label %c0
    i32 12, label %c1
    i32 10, label %c1
    i32 13, label %c1
    i32 11, label %c1
    i32 20, label %c2
    i32 25, label %c2
    i32 31, label %c2
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
dead:
  unreachable
join:
  ret void
}

; Case 1 falls through into case 2: its own part stays behind a branch, or is run by all; the rest
; is one body.
; CHECK-LABEL: @fallthrough(
; CHECK: load i32
; CHECK: store i32 99, ptr addrspace(1) %g
; CHECK: load i32
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @fallthrough(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c2 [
    i32 1, label %c0
    i32 2, label %c1
  ]
c0:
  store i32 99, ptr addrspace(1) %g
  br label %c1
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
join:
  ret void
}

; A case like no other stays in the switch.
; CHECK-LABEL: @one_is_different(
; CHECK: load i32
; CHECK: switch i32
; CHECK: i32 3, label %z
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: fdiv
; CHECK: ret void
define amdgpu_kernel void @one_is_different(ptr addrspace(1) %p, float %f) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %join [
    i32 1, label %c0
    i32 2, label %c1
    i32 3, label %z
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
z:
  %d = fdiv float 1.0, %f
  store float %d, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

; Values that the cases hand to a phi behind.
; CHECK-LABEL: @values(
; CHECK: load i32
; CHECK: load i32
; CHECK-NOT: load
; CHECK: %[[OLD:.*]] = udiv i32
; CHECK-NOT: div
; CHECK: store volatile i32 %[[OLD]]
; CHECK: ret void
define amdgpu_kernel void @values(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c2 [
    i32 1, label %c0
    i32 2, label %c1
  ]
c0:
  %p.0 = getelementptr i32, ptr addrspace(1) %p, i32 1
  %l.0 = load i32, ptr addrspace(1) %p.0
  %x.0 = udiv i32 %l.0, 3
  br label %join
c1:
  %p.1 = getelementptr i32, ptr addrspace(1) %p, i32 10
  %l.1 = load i32, ptr addrspace(1) %p.1
  %x.1 = udiv i32 %l.1, 3
  br label %join
c2:
  %p.2 = getelementptr i32, ptr addrspace(1) %p, i32 19
  %l.2 = load i32, ptr addrspace(1) %p.2
  %x.2 = udiv i32 %l.2, 3
  br label %join
join:
  %v = phi i32 [ %x.0, %c0 ], [ %x.1, %c1 ], [ %x.2, %c2 ]
  store volatile i32 %v, ptr addrspace(1) %g
  ret void
}

; The same as nine ifs.
; CHECK-LABEL: @else_if(
; CHECK: load i32
; CHECK-NOT: {{^  (switch|br)}}
; CHECK: load i32
; CHECK: mul i32
; CHECK-NOT: mul
; CHECK: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @else_if(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  br label %t0
t0:
  %q0 = icmp eq i32 %s, 0
  br i1 %q0, label %c0, label %t1
t1:
  %q1 = icmp eq i32 %s, 7
  br i1 %q1, label %c1, label %t2
t2:
  %q2 = icmp eq i32 %s, 14
  br i1 %q2, label %c2, label %t3
t3:
  %q3 = icmp eq i32 %s, 21
  br i1 %q3, label %c3, label %t4
t4:
  %q4 = icmp eq i32 %s, 28
  br i1 %q4, label %c4, label %t5
t5:
  %q5 = icmp eq i32 %s, 35
  br i1 %q5, label %c5, label %t6
t6:
  %q6 = icmp eq i32 %s, 42
  br i1 %q6, label %c6, label %t7
t7:
  %q7 = icmp eq i32 %s, 49
  br i1 %q7, label %c7, label %c8
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
c3:
  %a.c3 = add i32 %tid, 10
  %p.c3 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c3
  %l.c3 = load i32, ptr addrspace(1) %p.c3
  %m.c3 = mul i32 %l.c3, 8
  store i32 %m.c3, ptr addrspace(1) %p.c3
  br label %join
c4:
  %a.c4 = add i32 %tid, 13
  %p.c4 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c4
  %l.c4 = load i32, ptr addrspace(1) %p.c4
  %m.c4 = mul i32 %l.c4, 9
  store i32 %m.c4, ptr addrspace(1) %p.c4
  br label %join
c5:
  %a.c5 = add i32 %tid, 16
  %p.c5 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c5
  %l.c5 = load i32, ptr addrspace(1) %p.c5
  %m.c5 = mul i32 %l.c5, 10
  store i32 %m.c5, ptr addrspace(1) %p.c5
  br label %join
c6:
  %a.c6 = add i32 %tid, 19
  %p.c6 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c6
  %l.c6 = load i32, ptr addrspace(1) %p.c6
  %m.c6 = mul i32 %l.c6, 11
  store i32 %m.c6, ptr addrspace(1) %p.c6
  br label %join
c7:
  %a.c7 = add i32 %tid, 22
  %p.c7 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c7
  %l.c7 = load i32, ptr addrspace(1) %p.c7
  %m.c7 = mul i32 %l.c7, 12
  store i32 %m.c7, ptr addrspace(1) %p.c7
  br label %join
c8:
  %a.c8 = add i32 %tid, 25
  %p.c8 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c8
  %l.c8 = load i32, ptr addrspace(1) %p.c8
  %m.c8 = mul i32 %l.c8, 13
  store i32 %m.c8, ptr addrspace(1) %p.c8
  br label %join
join:
  ret void
}
