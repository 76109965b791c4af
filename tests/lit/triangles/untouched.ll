; What meld-triangles must leave exactly as it is.
; RUN: %opt -passes=meld-triangles -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-triangles -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s

; CHECK: meld-triangles left %entry: a convergent operation between two ifs
; CHECK: meld-triangles left %entry: a convergent operation in the first of two ifs
; CHECK: meld-triangles left %entry: a convergent operation in the second of two ifs
; CHECK: meld-triangles left %entry: the code between two ifs costs more than a branch
; CHECK: meld-triangles left %entry: the code between two ifs costs more than a branch
; CHECK: meld-triangles left %entry: a call between two ifs that must not be copied
; CHECK-COUNT-29: meld-triangles left %entry: what two ifs in a row read and write for other threads keeps its order

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent nounwind readnone
declare i32 @once(i32) noduplicate nounwind willreturn

; All lanes take part in a cross-lane operation between.
define amdgpu_kernel void @convergent_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %sh = call i32 @llvm.amdgcn.ds.bpermute(i32 %n, i32 %tid)
  store volatile i32 %sh, ptr addrspace(3) %q
  br i1 %c, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

define amdgpu_kernel void @convergent_first(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %sh = call i32 @llvm.amdgcn.ds.bpermute(i32 %n, i32 %tid)
  store volatile i32 %sh, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

define amdgpu_kernel void @convergent_second(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  %sh = call i32 @llvm.amdgcn.ds.bpermute(i32 %n, i32 %tid)
  store volatile i32 %sh, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A store between: not moved, and too dear to copy.
define amdgpu_kernel void @store_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  store i32 %n, ptr addrspace(3) %q
  store i32 %tid, ptr addrspace(3) %p
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A division between whose divisor may be zero for some thread of neither side: stays behind the first side.
define amdgpu_kernel void @division_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %d = load i32, ptr addrspace(3) %q
  %z = udiv i32 %tid, %d
  store i32 %z, ptr addrspace(3) %p
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

define amdgpu_kernel void @noduplicate_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %z = call i32 @once(i32 %n)
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The first lanes read what the others then write: in every run the old value.
define amdgpu_kernel void @read_then_stored(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load volatile i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; What the second if writes is what stays.
define amdgpu_kernel void @stored_then_stored(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store atomic i32 5, ptr addrspace(3) %p monotonic, align 4
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; As above, by an update.
define amdgpu_kernel void @read_then_updated(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load volatile i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %join
join:
  ret void
}

; The last lanes read what the first have counted.
define amdgpu_kernel void @updated_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load volatile i32, ptr addrspace(3) %p
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; All write between, and those of the second if behind them.
define amdgpu_kernel void @stored_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 %n, ptr addrspace(3) %q
  br label %m
m:
  store volatile i32 %n, ptr addrspace(3) %p
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; The same of calls that are no operations of the wave: they do what their functions do.
declare void @once_more(ptr addrspace(3)) nounwind willreturn
declare float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1), float)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)
declare void @llvm.memcpy.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1)

define internal void @put(ptr addrspace(3) %p, i32 %v) noinline nounwind willreturn {
  store atomic i32 %v, ptr addrspace(3) %p monotonic, align 4
  ret void
}

define internal i32 @get(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  ret i32 %v
}

define internal void @put_deep(ptr addrspace(3) %p, i32 %n) noinline nounwind willreturn {
  call void @put(ptr addrspace(3) %p, i32 %n)
  ret void
}

define weak void @replaced(ptr addrspace(3) %p) noinline nounwind willreturn {
  ret void
}

; The functions of both ifs are only called.
define amdgpu_kernel void @called_then_called(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @put(ptr addrspace(3) %p, i32 5)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = call i32 @get(ptr addrspace(3) %p)
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Of one of them.
define amdgpu_kernel void @called_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @put(ptr addrspace(3) %p, i32 5)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Two calls down.
define amdgpu_kernel void @read_then_called(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %x, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  call void @put_deep(ptr addrspace(3) %p, i32 %n)
  br label %join
join:
  ret void
}

; Nothing is known of it.
define amdgpu_kernel void @unknown_then_stored(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @once_more(ptr addrspace(3) %p)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; The linker may take another one.
define amdgpu_kernel void @replaced_then_stored(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @replaced(ptr addrspace(3) %p)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; Any function.
define amdgpu_kernel void @pointer_then_stored(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n, ptr %f) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void %f(ptr addrspace(3) %p) #0
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; An atomic of the target is a call, and a function's, too.
define amdgpu_kernel void @added_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = call float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1) %g, float 1.0)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load atomic i32, ptr addrspace(1) %g monotonic, align 4
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A volatile copy.
define amdgpu_kernel void @copied_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 64, i1 true)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A store that is not for this lane's eyes alone: the cache policy says glc.
define amdgpu_kernel void @coherent_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n, <4 x i32> %r) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %n, <4 x i32> %r, i32 0, i32 0, i32 1)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

attributes #0 = { nounwind willreturn }

; Plain accesses beside a fence, as programs have it that know of waves.
define amdgpu_kernel void @fence_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %p
  br label %m
m:
  fence syncscope("workgroup") release
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %p
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; What a function is given may be noalias and only read for the time of the call; it is still what
; the other lanes have written.
define internal i32 @look(ptr addrspace(3) noalias readonly %p) noinline nounwind willreturn {
  %v = load i32, ptr addrspace(3) %p
  ret i32 %v
}

define amdgpu_kernel void @fence_then_called(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %p
  br label %m
m:
  fence syncscope("workgroup") release
  br i1 %c, label %join, label %b
b:
  %y = call i32 @look(ptr addrspace(3) %p)
  br label %join
join:
  %x = phi i32 [ 0, %m ], [ %y, %b ]
  %mine = getelementptr i32, ptr addrspace(3) %q, i32 %tid
  store i32 %x, ptr addrspace(3) %mine
  ret void
}

; The fence in the ifs themselves.
define amdgpu_kernel void @fences_inside(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  fence syncscope("workgroup") release
  %y = load i32, ptr addrspace(3) %p
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The first lanes have the first numbers.
define amdgpu_kernel void @results(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  store i32 %x, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A sum and a maximum are not the same the other way round, nor are sums of floats.
define amdgpu_kernel void @other_operations(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw umax ptr addrspace(3) %p, i32 7 monotonic
  br label %join
join:
  ret void
}

define amdgpu_kernel void @sums_of_floats(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = atomicrmw fadd ptr addrspace(3) %p, float 1.0 monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw fadd ptr addrspace(3) %p, float 0x3E80000000000000 monotonic
  br label %join
join:
  ret void
}

define amdgpu_kernel void @sums_of_the_target(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = call float @llvm.amdgcn.global.atomic.fadd.f32.p1.f32(ptr addrspace(1) %g, float 1.0)
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
  br label %join
join:
  ret void
}

define amdgpu_kernel void @exchanges(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 monotonic monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = cmpxchg ptr addrspace(3) %p, i32 0, i32 2 monotonic monotonic
  br label %join
join:
  ret void
}

; What orders plain accesses may be an atomic.
define amdgpu_kernel void @released(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  %x = atomicrmw add ptr addrspace(3) %p, i32 1 release
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %z = load i32, ptr addrspace(3) %q
  store i32 %z, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

define amdgpu_kernel void @acquired(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = load atomic i32, ptr addrspace(3) %p acquire, align 4
  %z = load i32, ptr addrspace(3) %q
  store i32 %z, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

define amdgpu_kernel void @stored_release(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  store atomic i32 1, ptr addrspace(3) %p release, align 4
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %z = load i32, ptr addrspace(3) %q
  store i32 %z, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

define amdgpu_kernel void @exchanged_release(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  %x = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 release monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %z = load i32, ptr addrspace(3) %q
  store i32 %z, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

; A fence for the compiler alone.
define amdgpu_kernel void @kept_by_the_compiler(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %g, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  br label %m
m:
  call void asm sideeffect "", "~{memory}"()
  br i1 %c, label %join, label %b
b:
  %z = load i32, ptr addrspace(3) %q
  store i32 %z, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

; What is between would be run by one half of the lanes after the other.
define amdgpu_kernel void @message_between(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 5, ptr addrspace(3) %q
  br label %m
m:
  %mine = getelementptr i32, ptr addrspace(3) %p, i32 %tid
  store volatile i32 %n, ptr addrspace(3) %mine
  %other = load volatile i32, ptr addrspace(3) %p
  br i1 %c, label %b, label %join
b:
  store i32 %other, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; An else, too, comes before the second if.
define amdgpu_kernel void @else_then_read(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %e
a:
  store i32 5, ptr addrspace(3) %q
  br label %m
e:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  %y = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A branch on a kernel argument.
define amdgpu_kernel void @uniform(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %u = icmp eq i32 %n, 0
  br i1 %u, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %u, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Conditions that have nothing to do with each other, or only exclude each other.
define amdgpu_kernel void @unrelated(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %u = icmp ult i32 %tid, 7
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %u, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

define amdgpu_kernel void @exclusive(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %one = icmp eq i32 %tid, 1
  %two = icmp eq i32 %tid, 2
  br i1 %one, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %two, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Who takes the first takes the second, but not only they: threads 4 to 7 run the second alone.
define amdgpu_kernel void @implied_one_way(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %one = icmp ult i32 %tid, 4
  %two = icmp ult i32 %tid, 8
  br i1 %one, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %two, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Ordered less and ordered greater or equal are both false for a NaN.
define amdgpu_kernel void @not_complementary_float(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %tf = bitcast i32 %tid to float
  %cf = fcmp olt float %tf, %f
  br i1 %cf, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %c2 = fcmp oge float %tf, %f
  br i1 %c2, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The middle is reached from elsewhere too.
define amdgpu_kernel void @other_way_in(ptr addrspace(3) %p, i32 %n) {
start:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %u = icmp eq i32 %n, 0
  br i1 %u, label %m, label %entry
entry:
  br i1 %c, label %a, label %m
a:
  store i32 1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  store i32 2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The second if is the end of a loop.
define amdgpu_kernel void @latch(ptr addrspace(3) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %head
head:
  %i = phi i32 [ %tid, %entry ], [ %next, %m ]
  %next = add i32 %i, 3
  %c = icmp ult i32 %next, %n
  br i1 %c, label %a, label %m
a:
  store i32 1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %head, label %join
join:
  ret void
}

; The first side reaches the middle by two ways.
define amdgpu_kernel void @two_ways_in(ptr addrspace(3) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %u = icmp eq i32 %tid, %n
  store i32 1, ptr addrspace(3) %p
  br i1 %u, label %a1, label %m
a1:
  store i32 3, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  store i32 2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}
