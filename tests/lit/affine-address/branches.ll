; The scalar part of addresses in several blocks is computed once, where what it is made of is known; but not in a loop
; that the access is outside of.
; RUN: %opt -passes=meld-affine-address,verify -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()

; CHECK-LABEL: @both(
; CHECK: %u = mul nuw nsw i32 %g, 256
; CHECK-NEXT: [[WIDE:%.*]] = zext i32 %u to i64
; CHECK-NEXT: [[PART:%.*]] = shl i64 [[WIDE]], 2
; CHECK: then:
; CHECK-NOT: shl i64
; CHECK: getelementptr i8, ptr addrspace(1) %a, i64 [[PART]]
; CHECK: else:
; CHECK-NOT: shl i64
; CHECK: getelementptr i8, ptr addrspace(1) %b, i64 [[PART]]
; CHECK: ret void
define amdgpu_kernel void @both(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul nuw nsw i32 %g, 256
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %else
then:
  %i = add nuw nsw i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  br label %end
else:
  %j = add nuw nsw i32 %t, %u
  %x = zext i32 %j to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %x
  store i32 2, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; CHECK-LABEL: @behind(
; CHECK: loop:
; CHECK-NOT: shl i64
; CHECK: end:
; CHECK: shl i64
; CHECK: %scalar.base
; CHECK: ret void
define amdgpu_kernel void @behind(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %k, 1
  %square = mul i32 %next, %next
  %base = and i32 %square, 65535
  %more = icmp slt i32 %base, %n
  br i1 %more, label %loop, label %end
end:
  %i = add nuw nsw i32 %base, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Once for each size of what is counted.
; CHECK-LABEL: @scales(
; CHECK-DAG: [[EIGHT:%.*]] = shl i64 {{.*}}, 3
; CHECK-DAG: [[FOUR:%.*]] = shl i64 {{.*}}, 2
; CHECK: then:
; CHECK-NOT: shl i64
; CHECK: getelementptr i8, ptr addrspace(1) %a, i64 [[FOUR]]
; CHECK: getelementptr i8, ptr addrspace(1) %b, i64 [[EIGHT]]
; CHECK: ret void
define amdgpu_kernel void @scales(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul nuw nsw i32 %g, 256
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %end
then:
  %i = add nuw nsw i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  %q = getelementptr inbounds i64, ptr addrspace(1) %b, i64 %w
  store i64 2, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; The same number with a sign and without.
; CHECK-LABEL: @signs(
; CHECK-DAG: zext i32 %n to i64
; CHECK-DAG: sext i32 %n to i64
; CHECK: %i = add
; CHECK: ret void
define amdgpu_kernel void @signs(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nuw i32 %n, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 %i, ptr addrspace(1) %p
  %j = add nsw i32 %n, %t
  %x = sext i32 %j to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %x
  store i32 %j, ptr addrspace(1) %q
  ret void
}

; Behind all phis of its block.
; CHECK-LABEL: @phis(
; CHECK: loop:
; CHECK-NEXT: %k = phi
; CHECK-NEXT: %s = phi
; CHECK: zext i32 %k to i64
; CHECK: ret void
define amdgpu_kernel void @phis(ptr addrspace(1) %a, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %sum = add i32 %s, %t
  %i = add nuw nsw i32 %k, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 %s, ptr addrspace(1) %p
  %next = add nuw nsw i32 %k, 256
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What the lane adds stands behind the last of what it is made of, in whichever order that is added.
; CHECK-LABEL: @two_leaves(
; CHECK: %x = call
; CHECK-NEXT: %y = call
; CHECK-NEXT: shl
; CHECK: %far = call
; CHECK: ret void
define amdgpu_kernel void @two_leaves(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %far = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul nuw nsw i32 %far, 256
  %xy = add nuw nsw i32 %x, %y
  %i = add nuw nsw i32 %xy, %u
  %wi = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %wi
  store i32 1, ptr addrspace(1) %p
  %yx = add nuw nsw i32 %y, %x
  %j = add nuw nsw i32 %yx, %u
  %wj = zext i32 %j to i64
  %q = getelementptr inbounds i64, ptr addrspace(1) %b, i64 %wj
  store i64 2, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
