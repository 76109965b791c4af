; Legality rule 1, memory order: atomics, volatiles and fences pair only when operation, ordering, scope,
; volatility and width are equal; each thread's own order stays as the source has it.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Equal atomic loads are one load.
; CHECK-LABEL: @load_same(
; CHECK: load atomic
; CHECK-NOT: load atomic
; CHECK: ret void
define amdgpu_kernel void @load_same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load atomic i32, ptr addrspace(3) %p syncscope("workgroup") acquire, align 4
  br label %join
right:
  %r = load atomic i32, ptr addrspace(3) %q syncscope("workgroup") acquire, align 4
  br label %join
join:
  %x = phi i32 [ %l, %left ], [ %r, %right ]
  store i32 %x, ptr addrspace(3) %p
  ret void
}

; Orderings differ: two.
; CHECK-LABEL: @load_ordering_differs(
; CHECK-COUNT-2: load atomic
; CHECK-NOT: load atomic
; CHECK: ret void
define amdgpu_kernel void @load_ordering_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load atomic i32, ptr addrspace(3) %p acquire, align 4
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load atomic i32, ptr addrspace(3) %q monotonic, align 4
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Scopes differ: two.
; CHECK-LABEL: @load_scope_differs(
; CHECK-COUNT-2: load atomic
; CHECK-NOT: load atomic
; CHECK: ret void
define amdgpu_kernel void @load_scope_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load atomic i32, ptr addrspace(3) %p syncscope("agent") acquire, align 4
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load atomic i32, ptr addrspace(3) %q syncscope("workgroup") acquire, align 4
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; An atomic load and a plain one: two.
; CHECK-LABEL: @load_atomic_plain(
; CHECK-DAG: load atomic i32
; CHECK-DAG: load i32
; CHECK: ret void
define amdgpu_kernel void @load_atomic_plain(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q, align 4
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Equal volatile loads are one volatile load.
; CHECK-LABEL: @load_volatile_same(
; CHECK: load volatile
; CHECK-NOT: load volatile
; CHECK: ret void
define amdgpu_kernel void @load_volatile_same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load volatile i32, ptr addrspace(3) %p
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load volatile i32, ptr addrspace(3) %q
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Volatile on one side: two.
; CHECK-LABEL: @load_volatile_differs(
; CHECK-DAG: load volatile i32
; CHECK-DAG: load i32
; CHECK: ret void
define amdgpu_kernel void @load_volatile_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load volatile i32, ptr addrspace(3) %p
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Equal atomic stores are one store.
; CHECK-LABEL: @store_same(
; CHECK: store atomic
; CHECK-NOT: store atomic
; CHECK: ret void
define amdgpu_kernel void @store_same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store atomic i32 1, ptr addrspace(3) %p release, align 4
  br label %join
right:
  store atomic i32 2, ptr addrspace(3) %q release, align 4
  br label %join
join:
  ret void
}

; Orderings differ: two.
; CHECK-LABEL: @store_ordering_differs(
; CHECK-COUNT-2: store atomic
; CHECK-NOT: store atomic
; CHECK: ret void
define amdgpu_kernel void @store_ordering_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store atomic i32 1, ptr addrspace(3) %p release, align 4
  br label %join
right:
  store atomic i32 2, ptr addrspace(3) %q monotonic, align 4
  br label %join
join:
  ret void
}

; Scopes differ: two.
; CHECK-LABEL: @store_scope_differs(
; CHECK-COUNT-2: store atomic
; CHECK-NOT: store atomic
; CHECK: ret void
define amdgpu_kernel void @store_scope_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store atomic i32 1, ptr addrspace(3) %p syncscope("agent") release, align 4
  br label %join
right:
  store atomic i32 2, ptr addrspace(3) %q syncscope("workgroup") release, align 4
  br label %join
join:
  ret void
}

; A volatile and an ordinary read-modify-write: two.
; CHECK-LABEL: @rmw_volatile_differs(
; CHECK-COUNT-2: atomicrmw
; CHECK-NOT: atomicrmw
; CHECK: ret void
define amdgpu_kernel void @rmw_volatile_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw volatile add ptr addrspace(3) %p, i32 1 monotonic
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i32 1 monotonic
  br label %join
join:
  ret void
}

; 32 and 64 bits: two.
; CHECK-LABEL: @rmw_width_differs(
; CHECK-COUNT-2: atomicrmw
; CHECK-NOT: atomicrmw
; CHECK: ret void
define amdgpu_kernel void @rmw_width_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i64 1 monotonic
  br label %join
join:
  ret void
}

; Equal compare-and-exchanges are one.
; CHECK-LABEL: @exchange_same(
; CHECK: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 acq_rel monotonic
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 acq_rel monotonic
  br label %join
join:
  ret void
}

; The ordering of success differs: two.
; CHECK-LABEL: @exchange_success_differs(
; CHECK-COUNT-2: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_success_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 acq_rel monotonic
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 monotonic monotonic
  br label %join
join:
  ret void
}

; The ordering of failure differs: two.
; CHECK-LABEL: @exchange_failure_differs(
; CHECK-COUNT-2: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_failure_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 acq_rel acquire
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 acq_rel monotonic
  br label %join
join:
  ret void
}

; A weak one may fail for no reason: two.
; CHECK-LABEL: @exchange_weak_differs(
; CHECK-COUNT-2: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_weak_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg weak ptr addrspace(3) %p, i32 0, i32 1 acq_rel monotonic
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 acq_rel monotonic
  br label %join
join:
  ret void
}

; Volatile on one side: two.
; CHECK-LABEL: @exchange_volatile_differs(
; CHECK-COUNT-2: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_volatile_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg volatile ptr addrspace(3) %p, i32 0, i32 1 acq_rel monotonic
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 acq_rel monotonic
  br label %join
join:
  ret void
}

; Scopes differ: two.
; CHECK-LABEL: @exchange_scope_differs(
; CHECK-COUNT-2: cmpxchg
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_scope_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 syncscope("agent") acq_rel monotonic
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 acq_rel monotonic
  br label %join
join:
  ret void
}

; Equal fences are one, and what stood before it in the source still does.
; CHECK-LABEL: @fence_same(
; CHECK: load i32
; CHECK: store i32
; CHECK: fence syncscope("workgroup") acq_rel
; CHECK-NOT: fence
; CHECK: load i32
; CHECK: store i32
; CHECK: ret void
define amdgpu_kernel void @fence_same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  %l2 = load i32, ptr addrspace(3) %p
  %l3 = mul i32 %l2, 5
  store i32 %l3, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(3) %q
  fence syncscope("workgroup") acq_rel
  %r2 = load i32, ptr addrspace(3) %q
  %r3 = mul i32 %r2, 5
  store i32 %r3, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Fences of different ordering: two.
; CHECK-LABEL: @fence_ordering_differs(
; CHECK-COUNT-2: fence
; CHECK: ret void
define amdgpu_kernel void @fence_ordering_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  %l2 = load i32, ptr addrspace(3) %p
  %l3 = mul i32 %l2, 5
  store i32 %l3, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(3) %q
  fence syncscope("workgroup") release
  %r2 = load i32, ptr addrspace(3) %q
  %r3 = mul i32 %r2, 5
  store i32 %r3, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Fences of different scope: two.
; CHECK-LABEL: @fence_scope_differs(
; CHECK-COUNT-2: fence
; CHECK: ret void
define amdgpu_kernel void @fence_scope_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  %l2 = load i32, ptr addrspace(3) %p
  %l3 = mul i32 %l2, 5
  store i32 %l3, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(3) %q
  fence syncscope("agent") acq_rel
  %r2 = load i32, ptr addrspace(3) %q
  %r3 = mul i32 %r2, 5
  store i32 %r3, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Release and acquire between aligned items: data, then the flag, on both sides; and the flag, then the data.
; CHECK-LABEL: @message(
; CHECK: store i32 %
; CHECK: store atomic i32 1, {{.*}} release
; CHECK: load atomic i32, {{.*}} acquire
; CHECK: load i32
; CHECK: ret void
define amdgpu_kernel void @message(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = mul i32 %tid, 3
  store i32 %l, ptr addrspace(3) %p
  store atomic i32 1, ptr addrspace(3) %q syncscope("workgroup") release, align 4
  %lf = load atomic i32, ptr addrspace(3) %q syncscope("workgroup") acquire, align 4
  %ld = load i32, ptr addrspace(3) %p
  store volatile i32 %ld, ptr addrspace(3) %q
  br label %join
right:
  %r = mul i32 %tid, 5
  store i32 %r, ptr addrspace(3) %p
  store atomic i32 1, ptr addrspace(3) %q syncscope("workgroup") release, align 4
  %rf = load atomic i32, ptr addrspace(3) %q syncscope("workgroup") acquire, align 4
  %rd = load i32, ptr addrspace(3) %p
  store volatile i32 %rd, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Data before the flag on one side, behind it on the other: one of the two pairs, never both.
; CHECK-LABEL: @crossed(
; CHECK-COUNT-3: store
; CHECK: ret void
define amdgpu_kernel void @crossed(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = mul i32 %tid, 3
  store i32 %l, ptr addrspace(3) %p
  store atomic i32 1, ptr addrspace(3) %q release, align 4
  br label %join
right:
  %r = mul i32 %tid, 5
  store atomic i32 1, ptr addrspace(3) %q release, align 4
  store i32 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A store of one side alone is not turned into load, select, store: other threads never write.
; CHECK-LABEL: @no_new_store(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %
; CHECK: [[ONLY]]:
; CHECK: store i32 9, ptr addrspace(3) %q
; CHECK-NOT: ptr addrspace(3) %q
; CHECK: ret void
define amdgpu_kernel void @no_new_store(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = mul i32 %l, 7
  %l2 = mul i32 %l1, %l
  store i32 9, ptr addrspace(3) %q
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %p
  %r1 = mul i32 %r, 9
  %r2 = mul i32 %r1, %r
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}
