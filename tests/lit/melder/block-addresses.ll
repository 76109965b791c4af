; Addresses of blocks: a melded function is a copy that took the original's place, and what names the
; original's blocks from outside would name nothing.
; RUN: %opt -passes='meld<min-profit=-1000000>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK: @table = global [3 x ptr] [ptr blockaddress(@other, %two), ptr blockaddress(@named, %c2), ptr blockaddress(@named_padding, %left)]
@table = global [3 x ptr] [ptr blockaddress(@other, %two), ptr blockaddress(@named, %c2), ptr blockaddress(@named_padding, %left)]

declare i32 @llvm.amdgcn.workitem.id.x()

define void @other(ptr %w) {
  br label %two
two:
  ret void
}
; Another function's block is a constant like any.
; CHECK-LABEL: @names_another(
; CHECK: meld.case:
; CHECK: store volatile ptr blockaddress(@other, %two)
; CHECK-NOT: blockaddress
; CHECK: ret void
define amdgpu_kernel void @names_another(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %k = load i32, ptr addrspace(1) %o
  switch i32 %k, label %done [ i32 0, label %c0 
    i32 1, label %c1
    i32 2, label %c2 ]
c0:
  %a0 = mul i32 %n, %t
  %a1 = udiv i32 %a0, 7
  store volatile ptr blockaddress(@other, %two), ptr addrspace(1) %p
  br label %done
c1:
  %b0 = mul i32 %n, %t
  %b1 = udiv i32 %b0, 9
  store volatile ptr blockaddress(@other, %two), ptr addrspace(1) %p
  br label %done
c2:
  %d0 = mul i32 %n, %t
  %d1 = udiv i32 %d0, 11
  store volatile ptr blockaddress(@other, %two), ptr addrspace(1) %p
  br label %done
done:
  %r = phi i32 [ 0, %entry ], [ %a1, %c0 ], [ %b1, %c1 ], [ %d1, %c2 ]
  store i32 %r, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: @named(
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @named(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %k = load i32, ptr addrspace(1) %o
  switch i32 %k, label %done [ i32 0, label %c0 
    i32 1, label %c1
    i32 2, label %c2 ]
c0:
  %a0 = mul i32 %n, %t
  %a1 = udiv i32 %a0, 7
  br label %done
c1:
  %b0 = mul i32 %n, %t
  %b1 = udiv i32 %b0, 9
  br label %done
c2:
  %d0 = mul i32 %n, %t
  %d1 = udiv i32 %d0, 11
  br label %done
done:
  %r = phi i32 [ 0, %entry ], [ %a1, %c0 ], [ %b1, %c1 ], [ %d1, %c2 ]
  store i32 %r, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: @named_padding(
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @named_padding(ptr addrspace(3) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = mul i32 %x, %tid
  %a2 = udiv i32 %a, 7
  store i32 %a2, ptr addrspace(3) %p
  br label %join
right:
  %d = icmp eq i32 %x, %tid
  br i1 %d, label %then, label %end
then:
  %b = mul i32 %x, %tid
  %b2 = udiv i32 %b, 7
  store i32 %b2, ptr addrspace(3) %p
  br label %end
end:
  br label %join
join:
  ret void
}
