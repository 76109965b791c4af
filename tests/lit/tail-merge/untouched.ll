; What meld-tail-merge must leave exactly as it is.
; RUN: %opt -passes=meld-tail-merge -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-tail-merge -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: remark: {{.*}}meld-tail-merge left %right: common tail of 1: gain too small

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent nounwind readnone
declare void @together(i32) convergent nounwind
declare <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32>, i32, i32, i32 immarg) nounwind readonly

; A branch on a kernel argument.
define amdgpu_kernel void @uniform(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %n, 0
  br i1 %c, label %left, label %right
left:
  %a = udiv i32 %n, 3
  store i32 %a, ptr addrspace(1) %g
  br label %join
right:
  %b = udiv i32 %n, 5
  store i32 %b, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; A convergent call at the end: the threads of the other side would join it.
define amdgpu_kernel void @convergent(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(1) %g
  call void @together(i32 %n)
  br label %join
right:
  fence release
  call void @together(i32 %m)
  br label %join
join:
  ret void
}

; Different operations at the end hide what stands above: nothing is reordered.
define amdgpu_kernel void @order(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = udiv i32 %n, 3
  store i32 %a, ptr addrspace(1) %g
  fence release
  br label %join
right:
  %b = udiv i32 %n, 5
  store i32 %b, ptr addrspace(1) %h
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Atomics of different order.
define amdgpu_kernel void @orders(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = atomicrmw add ptr addrspace(1) %g, i32 1 monotonic
  br label %join
right:
  %b = atomicrmw add ptr addrspace(1) %h, i32 1 seq_cst
  br label %join
join:
  ret void
}

; The offset of a buffer load has to be constant.
define amdgpu_kernel void @immediate(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = call <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32> zeroinitializer, i32 %tid, i32 0, i32 0)
  br label %join
right:
  %b = call <4 x float> @llvm.amdgcn.raw.buffer.load.v4f32(<4 x i32> zeroinitializer, i32 %tid, i32 0, i32 1)
  br label %join
join:
  %v = phi <4 x float> [ %a, %left ], [ %b, %right ]
  store <4 x float> %v, ptr addrspace(1) %p
  ret void
}

; Two loads that the scalar unit can do; a phi of the addresses would make one vector load.
define amdgpu_kernel void @scalar_loads(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = load i32, ptr addrspace(1) %p
  br label %join
right:
  %b = load i32, ptr addrspace(1) %q
  br label %join
join:
  %v = phi i32 [ %a, %left ], [ %b, %right ]
  store volatile i32 %v, ptr addrspace(1) %g
  ret void
}

; The sides hand different ones of their two values on: they are no pairs.
define amdgpu_kernel void @crossed(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = udiv i32 %n, 3
  %b = udiv i32 %m, 5
  br label %join
right:
  %x = udiv i32 %n, 7
  %y = udiv i32 %m, 9
  br label %join
join:
  %v = phi i32 [ %b, %left ], [ %x, %right ]
  %w = phi i32 [ %a, %left ], [ %y, %right ]
  store volatile i32 %v, ptr addrspace(1) %g
  store volatile i32 %w, ptr addrspace(1) %g
  ret void
}

; Two additions save less than the moves into phis cost.
define amdgpu_kernel void @cheap(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = add i32 %n, %m
  br label %join
right:
  %b = add i32 %tid, 7
  br label %join
join:
  %v = phi i32 [ %a, %left ], [ %b, %right ]
  store volatile i32 %v, ptr addrspace(1) %g
  ret void
}
