; Which loads read what the dispatch does not write; the reasoning is in passes/analysis/constancy.h.
; RUN: %opt -passes='print<meld-constancy>' -disable-output %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare i32 @outside(i32)

; CHECK-LABEL: function: apart
; CHECK: constant: {{ *}}%v =
define amdgpu_kernel void @apart(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  store i32 1, ptr addrspace(1) %out
  %v = load i32, ptr addrspace(1) %in
  ret void
}

; Neighbours of one thread are apart; of two threads they are the same word.
; CHECK-LABEL: function: neighbours
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @neighbours(ptr addrspace(1) noalias %a) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 1, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  %v = load i32, ptr addrspace(1) %q
  ret void
}

; Before the store on every path; not when a loop leads back, nor on the side where the store is.
; CHECK-LABEL: function: paths
; CHECK: untouched: {{ *}}%first =
; CHECK: untouched: {{ *}}%other =
; CHECK: written: {{ *}}%joined =
define amdgpu_kernel void @paths(ptr addrspace(1) %a, i1 %c) {
  %first = load i32, ptr addrspace(1) %a
  br i1 %c, label %stores, label %reads
stores:
  store i32 1, ptr addrspace(1) %a
  br label %join
reads:
  %other = load i32, ptr addrspace(1) %a
  br label %join
join:
  %joined = load i32, ptr addrspace(1) %a
  ret void
}

; CHECK-LABEL: function: around
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @around(ptr addrspace(1) %a, i1 %c) {
  br label %loop
loop:
  %v = load i32, ptr addrspace(1) %a
  store i32 1, ptr addrspace(1) %a
  br i1 %c, label %loop, label %done
done:
  ret void
}

; Behind a barrier, a fence or an atomic the store of another thread may have come first, though it
; stands after the load.
; CHECK-LABEL: function: ordered
; CHECK: untouched: {{ *}}%before =
; CHECK: written: {{ *}}%behind.barrier =
define amdgpu_kernel void @ordered(ptr addrspace(1) %a) {
  %before = load i32, ptr addrspace(1) %a
  call void @llvm.amdgcn.s.barrier()
  %behind.barrier = load i32, ptr addrspace(1) %a
  store i32 1, ptr addrspace(1) %a
  ret void
}
; CHECK-LABEL: function: fenced
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @fenced(ptr addrspace(1) %a) {
  fence acquire
  %v = load i32, ptr addrspace(1) %a
  store i32 1, ptr addrspace(1) %a
  ret void
}
; CHECK-LABEL: function: behind_atomic
; CHECK: written: {{ *}}%v =
; CHECK: written: {{ *}}%w =
define amdgpu_kernel void @behind_atomic(ptr addrspace(1) noalias %lock, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) {
  %old = atomicrmw add ptr addrspace(1) %lock, i32 1 acquire
  %v = load i32, ptr addrspace(1) %a
  %w = load i32, ptr addrspace(1) %b
  store i32 1, ptr addrspace(1) %a
  ret void
}

; What others write who are not of the dispatch: the kernel waits for the host, with an order, without one, or with a fence
; behind, and reads what it has sent; what it reads before may still change behind it.
; CHECK-LABEL: function: mailbox
; CHECK: untouched: {{ *}}%before =
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @mailbox(ptr addrspace(1) %flag, ptr addrspace(1) %mail) {
  %before = load i32, ptr addrspace(1) %mail
  br label %wait
wait:
  %set = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %c = icmp eq i32 %set, 0
  br i1 %c, label %wait, label %done
done:
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; CHECK-LABEL: function: relaxed_mailbox
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @relaxed_mailbox(ptr addrspace(1) %flag, ptr addrspace(1) %mail) {
  %set = load atomic i32, ptr addrspace(1) %flag syncscope("agent-one-as") monotonic, align 4
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; CHECK-LABEL: function: volatile_mailbox
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @volatile_mailbox(ptr addrspace(1) %flag, ptr addrspace(1) %mail) {
  %set = load volatile i32, ptr addrspace(1) %flag
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; CHECK-LABEL: function: updated_mailbox
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @updated_mailbox(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %mail, ptr addrspace(1) noalias %out) {
  %set = atomicrmw or ptr addrspace(1) %flag, i32 0 monotonic
  %v = load i32, ptr addrspace(1) %mail
  store i32 %set, ptr addrspace(1) %out
  ret void
}
; CHECK-LABEL: function: exchanged_mailbox
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @exchanged_mailbox(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %mail) {
  %set = cmpxchg ptr addrspace(1) %flag, i32 0, i32 0 monotonic monotonic
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; The thread that has waited may be another one of the workgroup.
; CHECK-LABEL: function: another_waited
; CHECK: untouched: {{ *}}%before =
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @another_waited(ptr addrspace(1) %flag, ptr addrspace(1) %mail, i1 %first) {
  br i1 %first, label %waits, label %others
waits:
  %set = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  call void @llvm.amdgcn.s.barrier()
  ret void
others:
  %before = load i32, ptr addrspace(1) %mail
  call void @llvm.amdgcn.s.barrier()
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; CHECK-LABEL: function: volatile_update
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @volatile_update(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %mail) {
  %set = atomicrmw volatile or ptr addrspace(1) %flag, i32 0 monotonic
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
; What it has read it gives back: the host writes next, and the reading must stay before that.
; CHECK-LABEL: function: taken
; CHECK: untouched: {{ *}}%v =
define amdgpu_kernel void @taken(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %mail) {
  %v = load i32, ptr addrspace(1) %mail
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
}
; CHECK-LABEL: function: taken_by_update
; CHECK: untouched: {{ *}}%v =
define amdgpu_kernel void @taken_by_update(ptr addrspace(1) noalias %count, ptr addrspace(1) noalias %mail) {
  %v = load i32, ptr addrspace(1) %mail
  fence syncscope("agent") release
  %old = atomicrmw add ptr addrspace(1) %count, i32 1 monotonic
  ret void
}
; In functions that it calls.
; CHECK-LABEL: function: mailbox_of_a_call
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @mailbox_of_a_call(ptr addrspace(1) %flag, ptr addrspace(1) %mail) {
  call void @wait(ptr addrspace(1) %flag)
  %v = load i32, ptr addrspace(1) %mail
  ret void
}
define internal void @wait(ptr addrspace(1) %flag) {
  %set = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  ret void
}
; Nobody outside hears of these: a histogram in global memory, barriers with the fences of __syncthreads, and all that is in
; the workgroup's own memory.
; CHECK-LABEL: function: histogram
; CHECK: constant: {{ *}}%v =
define amdgpu_kernel void @histogram(ptr addrspace(1) noalias %counts, ptr addrspace(1) noalias %in) {
  %old = atomicrmw add ptr addrspace(1) %counts, i32 1 syncscope("agent-one-as") monotonic
  %v = load i32, ptr addrspace(1) %in
  ret void
}
; CHECK-LABEL: function: tiles
; CHECK: constant: {{ *}}%v =
define amdgpu_kernel void @tiles(ptr addrspace(3) %tile, ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %old = atomicrmw add ptr addrspace(3) %tile, i32 1 acq_rel
  %new = load volatile i32, ptr addrspace(3) %tile
  store volatile i32 %old, ptr addrspace(3) %tile
  fence syncscope("workgroup") release
  fence syncscope("workgroup-one-as") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %v = load i32, ptr addrspace(1) %in
  store i32 %new, ptr addrspace(1) %out
  ret void
}
; Only read, but by others too; alone, but written.
; CHECK-LABEL: function: read_only
; CHECK: written: {{ *}}%v =
define amdgpu_kernel void @read_only(ptr addrspace(1) %flag, ptr addrspace(1) readonly %in) {
  %set = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %v = load i32, ptr addrspace(1) %in
  ret void
}
; The program's word, and what LLVM's alias analysis makes of it in plain code, too.
; CHECK-LABEL: function: read_only_restrict
; CHECK: constant: {{ *}}%v =
define amdgpu_kernel void @read_only_restrict(ptr addrspace(1) %flag, ptr addrspace(1) noalias readonly %in) {
  %set = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %v = load i32, ptr addrspace(1) %in
  ret void
}

; Through calls: the callee's stores count with the call's arguments.
; CHECK-LABEL: function: calls
; CHECK: constant: {{ *}}%apart =
; CHECK: written: {{ *}}%hit =
define amdgpu_kernel void @calls(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b) {
  call void @fill(ptr addrspace(1) %a)
  %apart = load i32, ptr addrspace(1) %b
  %hit = load i32, ptr addrspace(1) %a
  ret void
}
define internal void @fill(ptr addrspace(1) %p) {
  call void @fill.inner(ptr addrspace(1) %p)
  ret void
}
define internal void @fill.inner(ptr addrspace(1) %p) {
  %q = getelementptr i32, ptr addrspace(1) %p, i32 7
  store i32 1, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: function: unknown_call
; CHECK: written: {{ *}}%v =
; CHECK: constant: {{ *}}%k =
; CHECK: constant: {{ *}}%i =
define amdgpu_kernel void @unknown_call(ptr addrspace(1) noalias %a, ptr addrspace(4) %c) {
  %r = call i32 @outside(i32 1)
  %v = load i32, ptr addrspace(1) %a
  %k = load i32, ptr addrspace(4) %c
  %i = load i32, ptr addrspace(1) %a, !invariant.load !0
  ret void
}

; Never: volatile, atomic, a workgroup's own memory, a function whose caller is unknown.
; CHECK-LABEL: function: never
; CHECK: written: {{ *}}%v =
; CHECK: written: {{ *}}%w =
; CHECK: written: {{ *}}%l =
define amdgpu_kernel void @never(ptr addrspace(1) noalias %a, ptr addrspace(3) %lds) {
  %l0 = load volatile i32, ptr addrspace(1) %a
  %v = load volatile i32, ptr addrspace(1) %a
  %w = load atomic i32, ptr addrspace(1) %a monotonic, align 4
  %l = load i32, ptr addrspace(3) %lds
  ret void
}
; CHECK-LABEL: function: not_a_kernel
; CHECK: written: {{ *}}%v =
define void @not_a_kernel(ptr addrspace(1) %a) {
  %v = load i32, ptr addrspace(1) %a
  ret void
}
!0 = !{}
