; Both forms of addresses: a test at the kernel's entry and a second copy of the kernel are for loops;
; besides, a multiply-add needs neither.
; RUN: env MELD_PLUGIN_OPTIONS='passes=scalarize,multiply-add-address;min-profit=-1' %opt -passes='meld-scalarize,verify' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

; Four accesses, which meld-affine-address alone would test.
; CHECK-LABEL: @straight(
; CHECK-NOT: %fits
; CHECK-COUNT-3: mul i64
; CHECK-NOT: %fits
; CHECK: ret void
define amdgpu_kernel void @straight(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, 100
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  %r = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %w
  %x = load i32, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %q
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(1) %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: @loop(
; CHECK: %fits = icmp ule i32
; CHECK: %lane = getelementptr i8, ptr addrspace(1) %scalar.base
; CHECK: .unproven:
define amdgpu_kernel void @loop(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %n) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, 100
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  br label %again
again:
  %k = phi i32 [ 0, %0 ], [ %next, %again ]
  %sum = phi i32 [ 0, %0 ], [ %more, %again ]
  %at = add nsw i32 %k, %i
  %w = sext i32 %at to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %x = load i32, ptr addrspace(1) %p
  %more = add i32 %sum, %x
  %next = add nuw nsw i32 %k, 1
  %c = icmp eq i32 %next, %n
  br i1 %c, label %done, label %again
done:
  store i32 %more, ptr addrspace(1) %o
  ret void
}

; The index advances, but may wrap: LLVM would extend and shift it each time.
; CHECK-LABEL: @wraps(
; CHECK: again:
; CHECK: sext i32 %i to i64
; CHECK: mul i64 {{.*}}, %scale
; CHECK: ret void
define amdgpu_kernel void @wraps(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %n, i32 %step) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %again
again:
  %i = phi i32 [ %t, %0 ], [ %next, %again ]
  %k = phi i32 [ 0, %0 ], [ %k1, %again ]
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 %k, ptr addrspace(1) %p
  %next = add i32 %i, %step
  %k1 = add nuw nsw i32 %k, 1
  %c = icmp eq i32 %k1, %n
  br i1 %c, label %done, label %again
done:
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
