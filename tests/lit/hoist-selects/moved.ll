; What both sides compute from values that a loop does not change is computed in front of it.
; RUN: %opt -passes=meld-hoist-selects -S %s | FileCheck %s
; RUN: %opt -passes=meld-hoist-selects -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes=meld-hoist-selects %s -o - | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=CODE

; REMARK: meld-hoist-selects melded address (computed in front of the loop for both sides: 1)

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @address(
; CHECK: entry:
; CHECK: %[[A:.*]] = getelementptr inbounds i32, ptr addrspace(3) %a, i32 %tid
; CHECK: %[[B:.*]] = getelementptr inbounds i32, ptr addrspace(3) %b, i32 %tid
; CHECK: loop:
; CHECK: %q = select i1 %c, ptr addrspace(3) %[[A]], ptr addrspace(3) %[[B]]
; CHECK-NOT: getelementptr
; CHECK: ret void
; CODE-LABEL: address:
; CODE: [[LOOP:.LBB[0-9_]+]]:
; CODE-NOT: v_mov_b32
; CODE: v_cndmask_b32
; CODE: ds_read_b32
; CODE: s_cbranch_scc{{.}} [[LOOP]]
define amdgpu_kernel void @address(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, ptr addrspace(3) %a, ptr addrspace(3) %b
  %q = getelementptr inbounds i32, ptr addrspace(3) %p, i32 %tid
  %v = load i32, ptr addrspace(3) %q
  %w = add i32 %v, %i
  store i32 %w, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; A chain moves as a whole, in front of both loops, and what stands there already is taken.
; CHECK-LABEL: @chain(
; CHECK: entry:
; CHECK: %known = mul i32 %a, %n
; CHECK: %[[OTHER:.*]] = mul i32 %b, %n
; CHECK: %[[L:.*]] = add nsw i32 %known, %tid
; CHECK: %[[R:.*]] = add nsw i32 %[[OTHER]], %tid
; CHECK: outer:
; CHECK: inner:
; CHECK-NOT: mul
; CHECK: %s = select i1 %c, i32 %[[L]], i32 %[[R]]
; CHECK: %u = add i32 %s, %j
define amdgpu_kernel void @chain(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %known = mul i32 %a, %n
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j1, %inner ]
  %x = xor i32 %j, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, i32 %a, i32 %b
  %m = mul i32 %p, %n
  %s = add nsw i32 %m, %tid
  %u = add i32 %s, %j
  %where = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store volatile i32 %u, ptr addrspace(1) %where
  %j1 = add i32 %j, 1
  %jend = icmp eq i32 %j1, %n
  br i1 %jend, label %latch, label %inner
latch:
  store volatile i32 %known, ptr addrspace(1) %out
  %i1 = add i32 %i, 1
  %iend = icmp eq i32 %i1, %n
  br i1 %iend, label %exit, label %outer
exit:
  ret void
}

; Two blocks of the loop compute the same address behind one select: it is one select then, where the
; first stood, for both.
; CHECK-LABEL: @two_users(
; CHECK: loop:
; CHECK: %[[Q:.*]] = select i1 %c, ptr addrspace(3) %{{.*}}, ptr addrspace(3) %
; CHECK-NOT: {{select|getelementptr}}
; CHECK: store i32 %i, ptr addrspace(3) %[[Q]]
; CHECK: load i32, ptr addrspace(3) %[[Q]]
define amdgpu_kernel void @two_users(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, ptr addrspace(3) %a, ptr addrspace(3) %b
  %d = icmp ult i32 %x, 7
  br i1 %d, label %then, label %join
then:
  %q = getelementptr inbounds i32, ptr addrspace(3) %p, i32 %tid
  store i32 %i, ptr addrspace(3) %q
  br label %join
join:
  %q2 = getelementptr inbounds i32, ptr addrspace(3) %p, i32 %tid
  %v = load i32, ptr addrspace(3) %q2
  %next = add i32 %i, 1
  %end = icmp eq i32 %v, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}
