; More than one loop around, or what is computed twice; what is not taken.
; RUN: %opt -passes=meld-own-exits,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-exits,gvn %s -S | FileCheck %s --check-prefix=GVN
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i1 @f(i32)
declare i32 @personality(...)

; Read in the middle loop and behind it. If GVN took these for one the outer loop would be left by what is made in the middle one.
; CHECK-LABEL: @levels(
; CHECK: [[N:%.*]] = call i32 asm "", "=v,0"
; CHECK: x:
; CHECK-NEXT: icmp ugt i32 [[N]], 1
; CHECK: z:
; CHECK-NEXT: icmp ugt i32 [[N]], 0
; GVN-LABEL: @levels(
; GVN: x:
; GVN-NEXT: icmp ugt i32 {{.*}}, 1
; GVN: z:
; GVN-NEXT: icmp ugt i32 {{.*}}, 0
define amdgpu_kernel void @levels(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %most = and i32 %t, 7
  br label %a
a:
  %i = phi i32 [ 0, %entry ], [ %in, %z ]
  %in = add i32 %i, 1
  br label %o
o:
  %k = phi i32 [ 0, %a ], [ %kn, %x ]
  %kn = add i32 %k, 1
  %sum = add i32 %t, %k
  %few = and i32 %sum, 3
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %at = add i32 %i, %j
  %p = getelementptr i32, ptr addrspace(4) %c, i32 %at
  %l = load i32, ptr addrspace(4) %p
  %e = icmp eq i32 %l, 7
  %z0 = zext i1 %e to i32
  store volatile i32 %z0, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %few
  br i1 %d, label %B, label %x
x:
  %d1 = icmp ult i32 %k, %most
  %not = xor i1 %e, true
  %d2 = and i1 %d1, %not
  br i1 %d2, label %o, label %z
z:
  br i1 %e, label %done, label %a
done:
  store i32 %i, ptr addrspace(1) %b
  ret void
}

; Lanes of %el have any bound: code generation may keep it in a vector register.
; CHECK-LABEL: @any_bound(
; CHECK: call i32 asm "", "=v,0"
define amdgpu_kernel void @any_bound(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) !reqd_work_group_size !0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %low = and i32 %t, 1
  %odd = icmp eq i32 %low, 1
  br i1 %odd, label %th, label %el
th:
  %w = lshr i32 %t, 6
  %w5 = add i32 %w, 5
  br label %join
el:
  store volatile i32 %t, ptr addrspace(1) %b
  br label %join
join:
  %u = phi i32 [ undef, %el ], [ %w5, %th ]
  %any = freeze i32 %u
  %most = and i32 %any, 15
  br label %o
o:
  %i = phi i32 [ 0, %join ], [ %in, %x ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %ij = add i32 %i, %j
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %ij
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  %z = zext i1 %e to i32
  store volatile i32 %z, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %most
  br i1 %d, label %B, label %x
x:
  br i1 %e, label %done, label %o
done:
  ret void
}

; The same comparison behind the inner loop is the one in it, to GVN and here.
; CHECK-LABEL: @computed_twice(
; CHECK: %e = icmp eq
; CHECK: [[N:%.*]] = call i32 asm "", "=v,0"
; CHECK: x:
; CHECK-NEXT: [[OWN:%.*]] = icmp ugt i32 [[N]], 0
; CHECK-NEXT: br i1 [[OWN]], label %done, label %o
define amdgpu_kernel void @computed_twice(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %x ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %ij = add i32 %i, %j
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %ij
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  %z = zext i1 %e to i32
  store volatile i32 %z, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  %again = icmp eq i32 %l, 7
  br i1 %again, label %done, label %o
done:
  ret void
}

; Exits that are no branches stay: a number cannot be made in front of an invoke of what it is made of.
; CHECK-LABEL: @unwinds(
; CHECK-NOT: asm
; CHECK: ret void
define void @unwinds() personality ptr @personality {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %D ]
  %jn = add i32 %j, 1
  %r = invoke i1 @f(i32 %j) to label %C unwind label %L
C:
  br i1 %r, label %D, label %x
D:
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  %g = phi i1 [ true, %C ], [ false, %D ]
  br i1 %g, label %o, label %done
L:
  %pad = landingpad { ptr, i32 } cleanup
  br label %done
done:
  ret void
}

; CHECK-LABEL: @goes_anywhere(
; CHECK: indirectbr
; CHECK-SAME: [label %D, label %x, label %done]
define amdgpu_kernel void @goes_anywhere() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %D ]
  %jn = add i32 %j, 1
  %z = icmp eq i32 %jn, %t
  %to = select i1 %z, ptr blockaddress(@goes_anywhere, %D), ptr blockaddress(@goes_anywhere, %x)
  indirectbr ptr %to, [label %D, label %x, label %done]
D:
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  %g = phi i1 [ true, %B ], [ false, %D ]
  br i1 %g, label %o, label %done
done:
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
