; Two decisions that are nested either way round change places where a branch is melded that has nothing on its sides to be done once:
; only where a branch goes by it, or the one that comes out is uniform. Else it would go on for ever (random kernels 13017070 and
; 13020264).
; RUN: %opt -passes=meld-cfm %s -S | FileCheck %s
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @swap(
; CHECK: br i1 %d, label %left, label %right
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @swap(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %b = getelementptr <4 x float>, ptr addrspace(1) %q, i32 %t
  %d = icmp ugt i32 %t, 13
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %d, label %left, label %right
left:
  br i1 %c, label %one, label %two
one:
  %o = or i32 %t, 867
  %x = and i32 %o, 156
  br label %left.end
two:
  store <4 x float> zeroinitializer, ptr addrspace(1) %b
  br label %left.end
left.end:
  %l = phi i32 [ %x, %one ], [ 1, %two ]
  br label %join
right:
  br i1 %c, label %three, label %four
three:
  %h = or i32 %n, 3
  store i32 %h, ptr addrspace(1) %a
  %z = and i32 %h, 31
  br label %right.end
four:
  %y = xor i32 %n, 3
  br label %right.end
right.end:
  %r = phi i32 [ %z, %three ], [ %y, %four ]
  br label %join
join:
  %v = phi i32 [ %l, %left.end ], [ %r, %right.end ]
  store volatile i32 %v, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @uniform(
; CHECK: br i1 %c,
; CHECK: br i1 %d,
; CHECK: br i1 %d,
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @uniform(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %b = getelementptr <4 x float>, ptr addrspace(1) %q, i32 %t
  %d = icmp ugt i32 %t, 13
  %c = icmp eq i32 %n, 0
  br i1 %d, label %left, label %right
left:
  br i1 %c, label %one, label %two
one:
  %o = or i32 %t, 867
  %x = and i32 %o, 156
  br label %left.end
two:
  store <4 x float> zeroinitializer, ptr addrspace(1) %b
  br label %left.end
left.end:
  %l = phi i32 [ %x, %one ], [ 1, %two ]
  br label %join
right:
  br i1 %c, label %three, label %four
three:
  %h = or i32 %n, 3
  store i32 %h, ptr addrspace(1) %a
  %z = and i32 %h, 31
  br label %right.end
four:
  %y = xor i32 %n, 3
  br label %right.end
right.end:
  %r = phi i32 [ %z, %three ], [ %y, %four ]
  br label %join
join:
  %v = phi i32 [ %l, %left.end ], [ %r, %right.end ]
  store volatile i32 %v, ptr addrspace(1) %p
  ret void
}
; Three branches before, two afterwards.
; CHECK-LABEL: @fewer(
; CHECK: br i1 %[[M:meld.*]],
; CHECK: br i1 %d,
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @fewer(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %b = getelementptr <4 x float>, ptr addrspace(1) %q, i32 %t
  %d = icmp ugt i32 %t, 13
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %d, label %left, label %right
left:
  br i1 %c, label %one, label %left.end
one:
  store i32 %t, ptr addrspace(1) %a
  br label %left.end
left.end:
  br label %join
right:
  br i1 %c, label %right.end, label %two
two:
  store <4 x float> zeroinitializer, ptr addrspace(1) %b
  br label %right.end
right.end:
  br label %join
join:
  ret void
}
