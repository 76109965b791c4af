; The regions above the votes are melded, and both sides ask with one operand from then on. No pass of LLVM may put
; the two votes into one: all lanes would be asked.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s --check-prefixes=CHECK,MARKED
; RUN: %opt -passes='meld-cfm,early-cse,simplifycfg<hoist-common-insts;sink-common-insts>' -S %s | FileCheck %s
; RUN: %opt -passes='default<O3>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1) convergent
declare i32 @llvm.amdgcn.readfirstlane(i32) convergent
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent

; CHECK-LABEL: @votes(
; CHECK: mul
; CHECK: br i1
; CHECK: call i64 @llvm.amdgcn.ballot.i64
; CHECK: br
; CHECK: call i64 @llvm.amdgcn.ballot.i64
; MARKED: attributes #{{[0-9]+}} = { nomerge "meld-apart"="0" }
; MARKED: attributes #{{[0-9]+}} = { nomerge "meld-apart"="1" }
define amdgpu_kernel void @votes(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(1) %s) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i64, ptr addrspace(1) %out, i32 %t
  %e = getelementptr i32, ptr addrspace(1) %s, i32 %t
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  %two = and i32 %v, 2
  %d = icmp eq i32 %two, 0
  br i1 %c, label %left, label %right
left:
  br i1 %d, label %left.then, label %left.else
left.then:
  %l1 = mul i32 %v, 3
  %l2 = mul i32 %l1, %v
  store i32 %l2, ptr addrspace(1) %e
  br label %left.join
left.else:
  %l3 = mul i32 %v, 7
  %l4 = xor i32 %l3, %v
  %l5 = mul i32 %l4, %l4
  store i32 %l5, ptr addrspace(1) %e
  br label %left.join
left.join:
  %l = phi i32 [ %l2, %left.then ], [ %l5, %left.else ]
  br label %left.vote
left.vote:
  %lp = icmp ugt i32 %l, 9
  %lm = call i64 @llvm.amdgcn.ballot.i64(i1 %lp)
  %lx = mul i64 %lm, 3
  br label %join
right:
  br i1 %d, label %right.then, label %right.else
right.then:
  %r1 = mul i32 %v, 5
  %r2 = mul i32 %r1, %v
  store i32 %r2, ptr addrspace(1) %e
  br label %right.join
right.else:
  %r3 = mul i32 %v, 9
  %r4 = xor i32 %r3, %v
  %r5 = mul i32 %r4, %r4
  store i32 %r5, ptr addrspace(1) %e
  br label %right.join
right.join:
  %r = phi i32 [ %r2, %right.then ], [ %r5, %right.else ]
  br label %right.vote
right.vote:
  %rp = icmp ugt i32 %r, 9
  %rm = call i64 @llvm.amdgcn.ballot.i64(i1 %rp)
  %rx = add i64 %rm, 5
  br label %join
join:
  %m = phi i64 [ %lx, %left.vote ], [ %rx, %right.vote ]
  store i64 %m, ptr addrspace(1) %o
  ret void
}
