; Selects between the sides' positions and extremes, after loops in opposite directions were melded.
; RUN: %opt -passes=meld-simplify-selects,verify -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
@lds = external addrspace(3) global [0 x i32], align 4

; The or is a sum where the condition holds: there the position starts at 0 and goes by 8. The
; distance stands in front of the loop, and the address is its base and that.
; CHECK-LABEL: @positions(
; CHECK: entry:
; CHECK: %[[D:.*]] = select i1 %up, i32 1, i32 -1
; CHECK: %[[B:.*]] = mul i32 %[[D]], 4
; CHECK: %[[E:.*]] = select i1 %up, i32 2, i32 -2
; CHECK: %[[C:.*]] = mul i32 %[[E]], 4
; CHECK: loop:
; CHECK-NOT: or i32
; CHECK: %[[N:.*]] = getelementptr i32, ptr addrspace(3) @lds, i32 %k
; CHECK: getelementptr i8, ptr addrspace(3) %[[N]], i32 %[[B]]
; CHECK: %[[O:.*]] = getelementptr i32, ptr addrspace(3) @lds, i32 %k
; CHECK: getelementptr i8, ptr addrspace(3) %[[O]], i32 %[[C]]
define amdgpu_kernel void @positions() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %up = icmp eq i32 %m, 0
  %first = select i1 %up, i32 0, i32 127
  %step = select i1 %up, i32 8, i32 -8
  %end = select i1 %up, i32 128, i32 -1
  br label %loop
loop:
  %k = phi i32 [ %first, %entry ], [ %next, %loop ]
  %a = or i32 %k, 1
  %b = add i32 %k, -1
  %c = select i1 %up, i32 %a, i32 %b
  %p = getelementptr inbounds i32, ptr addrspace(3) @lds, i32 %c
  store i32 %t, ptr addrspace(3) %p
  %d = or i32 %k, 2
  %e = add i32 %k, -2
  %f = select i1 %up, i32 %d, i32 %e
  %q = getelementptr inbounds i32, ptr addrspace(3) @lds, i32 %f
  store i32 %t, ptr addrspace(3) %q
  %next = add i32 %k, %step
  %done = icmp eq i32 %next, %end
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Constants without a loop: one sum less.
; CHECK-LABEL: @straight(
; CHECK: %[[D:.*]] = select i1 %c, i32 3, i32 -5
; CHECK: add i32 %x, %[[D]]
define i32 @straight(i1 %c, i32 %x) {
  %a = add nsw i32 %x, 3
  %b = add nuw i32 %x, -5
  %s = select i1 %c, i32 %a, i32 %b
  ret i32 %s
}

; c ? a > b : b > a tells both; undefined values are the same one for both.
; CHECK-LABEL: @extremes(
; CHECK: %[[A:.*]] = freeze i32 %a
; CHECK: %[[B:.*]] = freeze i32 %b
; CHECK: %l = select i1 %c, i32 %[[A]], i32 %[[B]]
; CHECK: %p = icmp sgt i32 %l, %r
; CHECK-NOT: smin
; CHECK-NOT: smax
; CHECK: select i1 %p, i32 %[[B]], i32 %[[A]]
define i32 @extremes(i1 %c, ptr addrspace(3) %q) {
  %a = load i32, ptr addrspace(3) %q
  %n = getelementptr i32, ptr addrspace(3) %q, i32 1
  %b = load i32, ptr addrspace(3) %n
  %l = select i1 %c, i32 %a, i32 %b
  %r = select i1 %c, i32 %b, i32 %a
  %p = icmp sgt i32 %l, %r
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %most = call i32 @llvm.smax.i32(i32 %b, i32 %a)
  %s = select i1 %c, i32 %least, i32 %most
  %o = select i1 %p, i32 %s, i32 0
  ret i32 %o
}

; The maximum first, less than, unsigned: where it holds, r is the greater one.
; CHECK-LABEL: @turned(
; CHECK: select i1 %p, i32 %b, i32 %a
define i32 @turned(i1 %c, i32 noundef %a, i32 noundef %b) {
  %l = select i1 %c, i32 %a, i32 %b
  %r = select i1 %c, i32 %b, i32 %a
  %p = icmp ult i32 %l, %r
  %least = call i32 @llvm.umin.i32(i32 %a, i32 %b)
  %most = call i32 @llvm.umax.i32(i32 %a, i32 %b)
  %s = select i1 %c, i32 %most, i32 %least
  %o = select i1 %p, i32 %s, i32 0
  ret i32 %s
}
