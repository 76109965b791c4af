; Nests in which lanes of a wave could hand each other values through memory without a barrier, since they run in
; lockstep: a lane that is in another round by then would find another value. No variable of the module is in LDS.
; RUN: %opt -passes='meld-flatten-loops,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4;flatten-lanes=16>,verify' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The fence orders what the lanes write and read.
; CHECK: meld-flatten-loops left %by_fence: lanes may hand each other values through memory in the nest
define amdgpu_kernel void @by_fence(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_fence
by_fence:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %by_fence ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_fence ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %own
  fence syncscope("workgroup") seq_cst
  %v = load i32, ptr addrspace(1) %other
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_fence, label %exit
exit:
  ret void
}

; One for the wave alone does so, too.
; CHECK: meld-flatten-loops left %by_wave_fence: lanes may hand each other values through memory in the nest
define amdgpu_kernel void @by_wave_fence(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_wave_fence
by_wave_fence:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %by_wave_fence ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_wave_fence ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %own
  fence syncscope("wavefront") acq_rel
  %v = load i32, ptr addrspace(1) %other
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_wave_fence, label %exit
exit:
  ret void
}

; CHECK: meld-flatten-loops left %by_atomic_load: lanes may hand each other values through memory in the nest
define amdgpu_kernel void @by_atomic_load(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_atomic_load
by_atomic_load:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %by_atomic_load ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_atomic_load ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store atomic i32 %t, ptr addrspace(1) %own syncscope("agent") monotonic, align 4
  %v = load atomic i32, ptr addrspace(1) %other syncscope("agent") monotonic, align 4
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_atomic_load, label %exit
exit:
  ret void
}

; Read in front of the inner loop, written behind it.
; CHECK: meld-flatten-loops left %by_acquire: lanes may hand each other values through memory in the nest
define amdgpu_kernel void @by_acquire(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_acquire
by_acquire:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %u = atomicrmw add ptr addrspace(1) %other, i32 0 syncscope("agent") acquire
  br label %inner
inner:
  %i = phi i32 [ 0, %by_acquire ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_acquire ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store atomic i32 %t, ptr addrspace(1) %own syncscope("agent") monotonic, align 4
  %v = add i32 %t, %u
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_acquire, label %exit
exit:
  ret void
}

; A mailbox: two updates of one object at different places, and what one of them found is used.
; CHECK: meld-flatten-loops left %by_exchange: lanes may hand each other values through memory in the nest
define amdgpu_kernel void @by_exchange(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_exchange
by_exchange:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %by_exchange ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_exchange ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  %w = atomicrmw xchg ptr addrspace(1) %own, i32 %t syncscope("agent") monotonic
  %v = atomicrmw xchg ptr addrspace(1) %other, i32 0 syncscope("agent") monotonic
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_exchange, label %exit
exit:
  ret void
}

; LDS that belongs to no variable of the module.
; CHECK: meld-flatten-loops left %by_lds_address: lanes may hand each other values through LDS in the nest
define amdgpu_kernel void @by_lds_address(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %by_lds_address
by_lds_address:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %by_lds_address ], [ %j, %inner ]
  %s = phi i32 [ 7, %by_lds_address ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  %a = shl i32 %x, 2
  %b = shl i32 %y, 2
  %pa = inttoptr i32 %a to ptr addrspace(3)
  %pb = inttoptr i32 %b to ptr addrspace(3)
  store i32 %t, ptr addrspace(3) %pa
  %v = load i32, ptr addrspace(3) %pb
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %by_lds_address, label %exit
exit:
  ret void
}

; Handing over to those that come later is no matter of lockstep.
; CHECK: meld-flatten-loops melded %releases (flattened loop
define amdgpu_kernel void @releases(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %releases
releases:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %releases ], [ %j, %inner ]
  %s = phi i32 [ 7, %releases ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  fence syncscope("agent") release
  %w = atomicrmw add ptr addrspace(1) %slots, i32 1 syncscope("agent") release
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %releases, label %exit
exit:
  ret void
}

; A place in a queue is any place.
; CHECK: meld-flatten-loops melded %takes_a_place (flattened loop
define amdgpu_kernel void @takes_a_place(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %takes_a_place
takes_a_place:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %takes_a_place ], [ %j, %inner ]
  %s = phi i32 [ 7, %takes_a_place ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  %v = atomicrmw add ptr addrspace(1) %slots, i32 1 syncscope("agent") monotonic
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %v
  store i32 %t, ptr addrspace(1) %q
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %takes_a_place, label %exit
exit:
  ret void
}

; A fence for this thread alone is for nobody else.
; CHECK: meld-flatten-loops melded %own_thread (flattened loop
define amdgpu_kernel void @own_thread(ptr addrspace(1) %slots, ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = xor i32 %x, 1
  %own = getelementptr i32, ptr addrspace(1) %slots, i32 %x
  %other = getelementptr i32, ptr addrspace(1) %slots, i32 %y
  br label %own_thread
own_thread:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ 0, %own_thread ], [ %j, %inner ]
  %s = phi i32 [ 7, %own_thread ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  fence syncscope("singlethread") seq_cst
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %own_thread, label %exit
exit:
  ret void
}
