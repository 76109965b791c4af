; Nests of loops that stay nested, each for one reason, and what looks like one and is none.
; RUN: %opt -passes='meld-flatten-loops,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4;flatten-lanes=16>,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefixes=CHECK,GATE

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.wave.barrier()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i64 @llvm.amdgcn.s.memtime()
declare i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32>, i32, i32)
declare float @llvm.amdgcn.raw.buffer.load.f32(<4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.s.setreg(i32, i32)
declare i32 @elsewhere(i32)
@shared = internal addrspace(3) global [256 x i32] undef

; CHECK: meld-flatten-loops left %barrier_behind: an operation of the wave in the nest
define amdgpu_kernel void @barrier_behind(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %barrier_behind
barrier_behind:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %barrier_behind ], [ %j, %inner ]
  %s = phi i32 [ 7, %barrier_behind ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  call void @llvm.amdgcn.s.barrier()
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %barrier_behind, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %wave_barrier_before: an operation of the wave in the nest
define amdgpu_kernel void @wave_barrier_before(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %wave_barrier_before
wave_barrier_before:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  call void @llvm.amdgcn.wave.barrier()
  br label %inner
inner:
  %i = phi i32 [ 0, %wave_barrier_before ], [ %j, %inner ]
  %s = phi i32 [ 7, %wave_barrier_before ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %wave_barrier_before, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %vote_in_body: an operation of the wave in the nest
define amdgpu_kernel void @vote_in_body(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %vote_in_body
vote_in_body:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %vote_in_body ], [ %j, %inner ]
  %s = phi i32 [ 7, %vote_in_body ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %odd = trunc i32 %t to i1
  %v = call i64 @llvm.amdgcn.ballot.i64(i1 %odd)
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %vote_in_body, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %first_lane: an operation of the wave in the nest
define amdgpu_kernel void @first_lane(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %first_lane
first_lane:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %first_lane ], [ %j, %inner ]
  %s = phi i32 [ 7, %first_lane ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %f = call i32 @llvm.amdgcn.readfirstlane(i32 %t)
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %first_lane, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %shuffle: an operation of the wave in the nest
define amdgpu_kernel void @shuffle(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %shuffle
shuffle:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %shuffle ], [ %j, %inner ]
  %s = phi i32 [ 7, %shuffle ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %f = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %t)
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %shuffle, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %clock: an operation of the wave in the nest
define amdgpu_kernel void @clock(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %clock
clock:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %f = call i64 @llvm.amdgcn.s.memtime()
  br label %inner
inner:
  %i = phi i32 [ 0, %clock ], [ %j, %inner ]
  %s = phi i32 [ 7, %clock ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %clock, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %scalar_descriptor: an operation that wants its operands in scalar registers
define amdgpu_kernel void @scalar_descriptor(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, <4 x i32> %d) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %scalar_descriptor
scalar_descriptor:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %f = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %d, i32 %n, i32 0)
  br label %inner
inner:
  %i = phi i32 [ 0, %scalar_descriptor ], [ %j, %inner ]
  %s = phi i32 [ 7, %scalar_descriptor ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %scalar_descriptor, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %vector_descriptor: an operation on memory that is not known well enough
define amdgpu_kernel void @vector_descriptor(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, <4 x i32> %d) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %vector_descriptor
vector_descriptor:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %f = call float @llvm.amdgcn.raw.buffer.load.f32(<4 x i32> %d, i32 %r, i32 0, i32 0)
  br label %inner
inner:
  %i = phi i32 [ 0, %vector_descriptor ], [ %j, %inner ]
  %s = phi i32 [ 7, %vector_descriptor ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %vector_descriptor, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %called: a call in the nest
define amdgpu_kernel void @called(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %called
called:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %called ], [ %j, %inner ]
  %s = phi i32 [ 7, %called ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %f = call i32 @elsewhere(i32 %i) #1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %called, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %assembly: assembly in the nest
define amdgpu_kernel void @assembly(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %assembly
assembly:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %assembly ], [ %j, %inner ]
  %s = phi i32 [ 7, %assembly ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  call void asm sideeffect "s_nop 0", ""()
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %assembly, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %stack: an alloca in the nest
define amdgpu_kernel void @stack(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %stack
stack:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %f = alloca i32, addrspace(5)
  br label %inner
inner:
  %i = phi i32 [ 0, %stack ], [ %j, %inner ]
  %s = phi i32 [ 7, %stack ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %stack, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %volatile_load: a volatile access in the nest
define amdgpu_kernel void @volatile_load(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %volatile_load
volatile_load:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %volatile_load ], [ %j, %inner ]
  %s = phi i32 [ 7, %volatile_load ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %f = load volatile i32, ptr addrspace(1) %p
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %volatile_load, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %volatile_store: a volatile access in the nest
define amdgpu_kernel void @volatile_store(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %volatile_store
volatile_store:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %volatile_store ], [ %j, %inner ]
  %s = phi i32 [ 7, %volatile_store ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  store volatile i32 %t, ptr addrspace(1) %p
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %volatile_store, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %hands_over: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @hands_over(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %hands_over
hands_over:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  store i32 %e, ptr addrspace(3) %a
  %b = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %e
  %f = load i32, ptr addrspace(3) %b
  br label %inner
inner:
  %i = phi i32 [ 0, %hands_over ], [ %j, %inner ]
  %s = phi i32 [ 7, %hands_over ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %hands_over, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %hands_over_by_update: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @hands_over_by_update(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %hands_over_by_update
hands_over_by_update:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %hands_over_by_update ], [ %j, %inner ]
  %s = phi i32 [ 7, %hands_over_by_update ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  %f = atomicrmw add ptr addrspace(3) %a, i32 %t monotonic
  store i32 %f, ptr addrspace(1) %p
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %hands_over_by_update, label %exit
exit:
  ret void
}

; A flat pointer may be one to LDS.
; CHECK: meld-flatten-loops left %hands_over_flat: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @hands_over_flat(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, ptr %q) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %hands_over_flat
hands_over_flat:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  store i32 %e, ptr addrspace(3) %a
  %f = load i32, ptr %q
  store i32 %f, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %hands_over_flat ], [ %j, %inner ]
  %s = phi i32 [ 7, %hands_over_flat ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %hands_over_flat, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %hands_over_copied: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @hands_over_copied(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %hands_over_copied
hands_over_copied:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  store i32 %e, ptr addrspace(3) %a
  br label %inner
inner:
  %i = phi i32 [ 0, %hands_over_copied ], [ %j, %inner ]
  %s = phi i32 [ 7, %hands_over_copied ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  call void @llvm.memcpy.p1.p3.i32(ptr addrspace(1) %o, ptr addrspace(3) @shared, i32 16, i1 false)
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %hands_over_copied, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %copied_over: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @copied_over(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %copied_over
copied_over:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  %f = load i32, ptr addrspace(3) %a
  store i32 %f, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %copied_over ], [ %j, %inner ]
  %s = phi i32 [ 7, %copied_over ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  call void @llvm.memcpy.p3.p1.i32(ptr addrspace(3) @shared, ptr addrspace(1) %o, i32 16, i1 false)
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %copied_over, label %exit
exit:
  ret void
}

; What is only written, or added to unread, hands nothing over.
; CHECK: meld-flatten-loops melded %writes_lds 
define amdgpu_kernel void @writes_lds(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %writes_lds
writes_lds:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %writes_lds ], [ %j, %inner ]
  %s = phi i32 [ 7, %writes_lds ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  %f = atomicrmw add ptr addrspace(3) %a, i32 %t monotonic
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %writes_lds, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops melded %reads_lds 
define amdgpu_kernel void @reads_lds(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %reads_lds
reads_lds:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %reads_lds ], [ %j, %inner ]
  %s = phi i32 [ 7, %reads_lds ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %a = getelementptr [256 x i32], ptr addrspace(3) @shared, i32 0, i32 %r
  %f = load i32, ptr addrspace(3) %a
  store i32 %f, ptr addrspace(1) %p
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %reads_lds, label %exit
exit:
  ret void
}

; The inner loop goes round until another thread has changed the word.
; CHECK: meld-flatten-loops left %spins: a loop of the nest may wait for another thread
define amdgpu_kernel void @spins(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %spins
spins:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %spins ], [ %j, %inner ]
  %s = phi i32 [ 7, %spins ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %f = load atomic i32, ptr addrspace(1) %out syncscope("agent") monotonic, align 4
  %u = icmp eq i32 %f, 0
  %z = select i1 %u, i32 2147483647, i32 %e
  %more = icmp slt i32 %j, %z
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %spins, label %exit
exit:
  ret void
}

; What decides over the outer loop is another thread's, too.
; CHECK: meld-flatten-loops left %work_queue: a loop of the nest may wait for another thread
define amdgpu_kernel void @work_queue(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %work_queue
work_queue:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %work_queue ], [ %j, %inner ]
  %s = phi i32 [ 7, %work_queue ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = atomicrmw add ptr addrspace(1) %in, i32 1 monotonic
  %again = icmp slt i32 %next, %n
  br i1 %again, label %work_queue, label %exit
exit:
  ret void
}

; An update that decides over no exit waits for nobody.
; CHECK: meld-flatten-loops melded %adds_up 
define amdgpu_kernel void @adds_up(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %adds_up
adds_up:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %adds_up ], [ %j, %inner ]
  %s = phi i32 [ 7, %adds_up ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %f = atomicrmw add ptr addrspace(1) %in, i32 %t monotonic
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %adds_up, label %exit
exit:
  ret void
}

; All lanes leave the inner loop together: nothing is said of it.
; CHECK-NOT: %all_leave_together
define amdgpu_kernel void @all_leave_together(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %all_leave_together
all_leave_together:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %all_leave_together ], [ %j, %inner ]
  %s = phi i32 [ 7, %all_leave_together ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %all_leave_together, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %rounding: the kernel changes how it rounds
define amdgpu_kernel void @rounding(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %rounding
rounding:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %rounding ], [ %j, %inner ]
  %s = phi i32 [ 7, %rounding ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %rounding, label %exit
exit:
  call void @llvm.amdgcn.s.setreg(i32 2049, i32 3)
  ret void
}

; Our own ballots, which only a gate has, would be taken for this one.
; GATE: meld-flatten-loops left %asks_elsewhere: the kernel itself asks which lanes run
define amdgpu_kernel void @asks_elsewhere(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %asks_elsewhere
asks_elsewhere:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %asks_elsewhere ], [ %j, %inner ]
  %s = phi i32 [ 7, %asks_elsewhere ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %asks_elsewhere, label %exit
exit:
  %v = call i64 @llvm.amdgcn.ballot.i64(i1 %again)
  store i64 %v, ptr addrspace(1) %out
  ret void
}

; A cycle with two ways in, elsewhere in the kernel.
; CHECK: meld-flatten-loops left %two_ways_in: a cycle with two ways in
define amdgpu_kernel void @two_ways_in(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %way = icmp eq i32 %n, 3
  br i1 %way, label %left, label %right
left:
  %odd = icmp eq i32 %x, 5
  br i1 %odd, label %right, label %start
right:
  br label %left
start:
  br label %two_ways_in
two_ways_in:
  %r = phi i32 [ %x, %start ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %two_ways_in ], [ %j, %inner ]
  %s = phi i32 [ 7, %two_ways_in ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %two_ways_in, label %exit
exit:
  ret void
}

; What is no kernel may be called where not all lanes run.
; CHECK-NOT: %no_kernel
define void @no_kernel(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %no_kernel
no_kernel:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %no_kernel ], [ %j, %inner ]
  %s = phi i32 [ 7, %no_kernel ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %no_kernel, label %exit
exit:
  ret void
}

declare void @llvm.memcpy.p1.p3.i32(ptr addrspace(1), ptr addrspace(3), i32, i1)
declare void @llvm.memcpy.p3.p1.i32(ptr addrspace(3), ptr addrspace(1), i32, i1)
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { nounwind readnone willreturn }
