; Ifs in a row: on one condition they become one if, on opposite conditions a diamond, which is melded.
; RUN: %opt -passes=meld-triangles,simplifycfg -S %s | FileCheck %s --check-prefixes=CHECK,FORM
; RUN: %opt -passes=meld -S %s | FileCheck %s --check-prefixes=CHECK,MELD
; RUN: %opt -passes=meld-triangles -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK

; REMARK: meld-triangles melded %entry (ifs on one condition): moved up 0, moved down 0, cycles copied 0
; REMARK: meld-triangles melded %entry (ifs on opposite conditions)

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @same(
; CHECK: br i1
; FORM: store i32
; FORM-NEXT: %y = load
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @same(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @opposite(
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; MELD: mul i32
; MELD-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @opposite(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @negated(
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; MELD: mul i32
; MELD-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @negated(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %not = xor i1 %c, true
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %not, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A second compare, complementary by its predicate.
; CHECK-LABEL: @complementary_compare(
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; MELD: mul i32
; MELD-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @complementary_compare(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  %c2 = icmp ne i32 %bit, 0
  br i1 %c2, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Of floats: the complement of ordered less is unordered greater or equal, operands either way round.
; CHECK-LABEL: @complementary_float(
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; MELD: mul i32
; MELD-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @complementary_float(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %tf = uitofp i32 %tid to float
  %cf = fcmp olt float %tf, %f
  br i1 %cf, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %c2 = fcmp ule float %f, %tf
  br i1 %c2, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; By value: below 4 or above 3.
; CHECK-LABEL: @complementary_by_range(
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; MELD: mul i32
; MELD-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @complementary_by_range(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %cr = icmp ult i32 %tid, 4
  br i1 %cr, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %c2 = icmp ugt i32 %tid, 3
  br i1 %c2, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Code between that needs neither side goes up.
; CHECK-LABEL: @between_goes_up(
; FORM: %z = mul i32 %n, 77
; FORM: br i1
; FORM-NOT: br i1
; MELD-NOT: br i1
; MELD: load i32
; MELD-NOT: load
; CHECK: ret void
define amdgpu_kernel void @between_goes_up(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  %z = mul i32 %n, 77
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  store volatile i32 %z, ptr addrspace(3) %q
  ret void
}

; Code between that only comes after goes down.
; CHECK-LABEL: @between_goes_down(
; FORM: br i1
; FORM-NOT: br i1
; FORM: phi i32
; FORM: mul i32 %{{.*}}, 77
; CHECK: ret void
define amdgpu_kernel void @between_goes_down(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  %v = phi i32 [ %n, %entry ], [ %x1, %a ]
  %z = mul i32 %v, 77
  br i1 %c, label %join, label %b
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  store volatile i32 %z, ptr addrspace(3) %q
  ret void
}

; A value of the first side that the second uses, and one LDS load between, cheap enough to copy: its
; place among the accesses of each way is kept.
; CHECK-LABEL: @between_copied(
; FORM: br i1
; FORM: store i32 %x1, ptr addrspace(3) %p
; FORM-NEXT: load i32, ptr addrspace(3) %q
; FORM-NEXT: add i32 %{{.*}}, %x1
; FORM: ret void
define amdgpu_kernel void @between_copied(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, float %f, float %g) {
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
  %v = phi i32 [ %n, %entry ], [ %x1, %a ]
  %w = load i32, ptr addrspace(3) %q
  br i1 %c, label %b, label %join
b:
  %y = add i32 %w, %v
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  %u = phi i32 [ %w, %m ], [ %y, %b ]
  store volatile i32 %u, ptr addrspace(3) %q
  ret void
}

; Three in a row, and sides of several blocks.
; CHECK-LABEL: @three(
; CHECK: br i1 %c
; CHECK-NOT: br i1 %c
; CHECK: ret void
define amdgpu_kernel void @three(ptr addrspace(3) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %old = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %inner = icmp ult i32 %old, %n
  br i1 %inner, label %a1, label %a2
a1:
  store i32 1, ptr addrspace(3) %p
  br label %a2
a2:
  br label %m
m:
  br i1 %c, label %b, label %m2
b:
  fence syncscope("workgroup") release
  br label %m2
m2:
  br i1 %c, label %d, label %join
d:
  %new = atomicrmw sub ptr addrspace(3) %p, i32 1 monotonic
  br label %join
join:
  ret void
}

; A load between that the second if's store would overtake is copied to both ways, not moved down to where it is used.
; CHECK-LABEL: @load_between(
; FORM: a:
; FORM: load i32, ptr addrspace(3) %q
; FORM-NEXT: store i32 5, ptr addrspace(3) %q
; FORM: join:
; FORM-NOT: load
; FORM: ret void
define amdgpu_kernel void @load_between(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(3) %o) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store i32 3, ptr addrspace(3) %p
  br label %m
m:
  %v = load i32, ptr addrspace(3) %q
  br i1 %c, label %b, label %join
b:
  store i32 5, ptr addrspace(3) %q
  br label %join
join:
  store i32 %v, ptr addrspace(3) %o
  ret void
}

; Of reads nobody can tell which came first.
; CHECK-LABEL: @both_read(
; FORM: br i1
; FORM-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @both_read(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
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
  %y = load volatile i32, ptr addrspace(3) %p
  store i32 %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A function that is called has plain accesses alone, the assembly statement no code, and debug
; information, plain copies and plain stores to buffers are nothing that others look at.
; CHECK-LABEL: @called(
; FORM: br i1
; FORM-NOT: br i1
; CHECK: ret void
define internal i32 @plain(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load i32, ptr addrspace(3) %p
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(3) %p
  call void asm sideeffect "", "~{memory}"()
  call void @llvm.amdgcn.raw.buffer.store.i32(i32 %v, <4 x i32> zeroinitializer, i32 0, i32 0, i32 0)
  call void @llvm.memcpy.p3.p3.i32(ptr addrspace(3) %p, ptr addrspace(3) %p, i32 64, i1 false)
  ret i32 %v
}

define amdgpu_kernel void @called(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  store atomic i32 7, ptr addrspace(3) %q monotonic, align 4
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = call i32 @plain(ptr addrspace(3) %p)
  store i32 %y, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Of sums neither, where nobody asks what there was before.
; CHECK-LABEL: @both_update(
; FORM: br i1
; FORM-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @both_update(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = atomicrmw sub ptr addrspace(1) %p, i32 1 monotonic
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %y = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
  br label %join
join:
  ret void
}

declare void @llvm.memcpy.p3.p3.i32(ptr addrspace(3), ptr addrspace(3), i32, i1)
declare void @llvm.amdgcn.raw.buffer.store.i32(i32, <4 x i32>, i32, i32, i32)

; The lanes of both ifs are the same, and so is their order.
; CHECK-LABEL: @same_lanes(
; FORM: br i1
; FORM-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @same_lanes(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
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
  br i1 %c, label %b, label %join
b:
  store atomic i32 7, ptr addrspace(3) %p monotonic, align 4
  br label %join
join:
  ret void
}

; A lane's own memory has no order among lanes, whatever fences say.
; CHECK-LABEL: @own_memory(
; FORM: br i1
; FORM-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @own_memory(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %slot = alloca i32, addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  fence syncscope("workgroup") release
  store i32 %n, ptr addrspace(5) %slot
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  store i32 %n, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
