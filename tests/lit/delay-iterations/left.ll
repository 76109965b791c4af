; Loops that stay as they are: with a reason where there is a side worth waiting for, and without a word where there is
; none. With `force` a cheap side will do.
; RUN: %opt -passes='meld-delay-iterations<flatten-lanes=16>,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --implicit-check-not=%uniform --implicit-check-not=%cheap --implicit-check-not=%two_alike --implicit-check-not=%leaves
; RUN: %opt -passes='meld-delay-iterations<flatten-lanes=16;force>,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=FORCED --implicit-check-not=%uniform --implicit-check-not=%leaves

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @elsewhere(i32)

; All lanes of a wave take the side, or none.
define amdgpu_kernel void @uniform(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %uniform
uniform:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %hit = icmp eq i32 %same, %k
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %uniform ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %uniform, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; The side costs less than a round.
; FORCED: melded %cheap
define amdgpu_kernel void @cheap(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %cheap
cheap:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %last = xor i32 %c, 77
  br label %next
next:
  %t = phi i32 [ %c, %cheap ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %cheap, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; Both sides are dear: melding's business.
; FORCED: melded %two_alike
define amdgpu_kernel void @two_alike(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %two_alike
two_alike:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %other
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
other:
  %v0 = mul i32 %s, %s
  %v1 = mul i32 %v0, %v0
  %v2 = mul i32 %v1, %v1
  %v3 = mul i32 %v2, %v2
  %v4 = mul i32 %v3, %v3
  %v5 = mul i32 %v4, %v4
  %v6 = mul i32 %v5, %v5
  %v7 = mul i32 %v6, %v6
  %v8 = mul i32 %v7, %v7
  %v9 = mul i32 %v8, %v8
  %v10 = mul i32 %v9, %v9
  %cheaper = mul i32 %v10, %v10
  br label %next
next:
  %t = phi i32 [ %cheaper, %other ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %two_alike, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; Who takes the side does not come back.
define amdgpu_kernel void @leaves(ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %leaves
leaves:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %c, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %exit
next:
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %leaves, label %exit
exit:
  %t = phi i32 [ %c, %next ], [ %last, %side ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; CHECK: left %barrier_behind: an operation of the wave in the nest
define amdgpu_kernel void @barrier_behind(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %barrier_behind
barrier_behind:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %barrier_behind ], [ %last, %side ]
  call void @llvm.amdgcn.s.barrier()
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %barrier_behind, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; CHECK: left %call_before: a call in the nest
define amdgpu_kernel void @call_before(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %call_before
call_before:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %away = call i32 @elsewhere(i32 %k)
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %call_before ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %call_before, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; CHECK: left %volatile_before: a volatile access in the nest
define amdgpu_kernel void @volatile_before(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i32 %same) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %volatile_before
volatile_before:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %seen = load volatile i32, ptr addrspace(1) %in
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %volatile_before ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %volatile_before, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; A lane that waits for a lock must not wait for lanes that wait for it.
; CHECK: left %lock: a loop of the nest may wait for another thread
define amdgpu_kernel void @lock(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %lock
lock:
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %old = cmpxchg ptr addrspace(1) %in, i32 0, i32 1 acquire monotonic
  %hit = extractvalue { i32, i1 } %old, 1
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  store atomic i32 0, ptr addrspace(1) %in release, align 4
  br label %next
next:
  %t = phi i32 [ %s, %lock ], [ %last, %side ]
  br i1 %hit, label %exit, label %lock
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; A ballot anywhere: LLVM would take ours for it.
; CHECK: left %ballot_behind:
define amdgpu_kernel void @ballot_behind(ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %ballot_behind
ballot_behind:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %last = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %ballot_behind ], [ %last, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %ballot_behind, label %exit
exit:
  %odd = trunc i32 %t to i1
  %lanes = call i64 @llvm.amdgcn.ballot.i64(i1 %odd)
  %p = getelementptr i64, ptr addrspace(1) %out, i32 %x
  store i64 %lanes, ptr addrspace(1) %p
  ret void
}
