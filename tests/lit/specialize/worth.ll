; Which facts are used. What decides nothing is left as it is, so that a version does not depend on it.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; %n bounds a loop; %alpha is a factor, %offset a summand: they stay.
; CHECK-LABEL: @loop(
; CHECK: icmp ult i32 %next, 4
; CHECK: fmul float %v, %alpha
; CHECK: add i32 %x, %offset
; WHY: for argument 12 4 0x4
define amdgpu_kernel void @loop(ptr addrspace(1) %p, float %alpha, i32 %n, i32 %offset) "meld-facts"="argument 8 4 0x40000000; argument 12 4 0x4; argument 16 4 0x10" {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %out
out:
  %v = sitofp i32 %i to float
  %w = fmul float %v, %alpha
  %at = add i32 %x, %offset
  %q = getelementptr float, ptr addrspace(1) %p, i32 %at
  store float %w, ptr addrspace(1) %q
  ret void
}

; A lane's number times a pitch saves a multiplication; the work-group's number times one saves nothing worth a version.
; CHECK-LABEL: @pitch(
; CHECK: mul i32 %x, 24
; WHY: for argument 8 4 0x18
define amdgpu_kernel void @pitch(ptr addrspace(1) %p, i32 %pitch) "meld-facts"="argument 8 4 0x18" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %x, %pitch
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %at
  store i32 %x, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
; CHECK-LABEL: @scalar_pitch(
; CHECK: mul i32 %g, %pitch
; WHY: nothing is decided
define amdgpu_kernel void @scalar_pitch(ptr addrspace(1) %p, i32 %pitch) "meld-facts"="argument 8 4 0x18" {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %row = mul i32 %g, %pitch
  %at = add i32 %row, %x
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %at
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; Half of a condition: `%x == 0 && %n`, as a select and as an and.
; CHECK-LABEL: @half(
; CHECK: trunc i32 1 to i1
; CHECK: trunc i32 0 to i1
; WHY: for argument 8 4 0x1; argument 12 4 0x0
define amdgpu_kernel void @half(ptr addrspace(1) %p, i32 %n, i32 %m) "meld-facts"="argument 8 4 0x1; argument 12 4 0x0" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  %has.n = trunc i32 %n to i1
  %has.m = trunc i32 %m to i1
  %a = select i1 %first, i1 %has.n, i1 false
  %b = and i1 %first, %has.m
  %c = or i1 %a, %b
  br i1 %c, label %then, label %out
then:
  store i32 %x, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; One of the values that a choice is made of, where what is chosen is compared with a constant: an index that is kept inside
; its range by `%size - 1`, and looked at whether it is in there. What is chosen as data is left.
; CHECK-LABEL: @chosen(
; CHECK: %last = sub i32 8, 1
; CHECK: select i1 %over, i32 %data, i32 %x
; WHY: for argument 8 4 0x8
define amdgpu_kernel void @chosen(ptr addrspace(1) %p, i32 %size, i32 %data) "meld-facts"="argument 8 4 0x8; argument 12 4 0x2" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %last = sub i32 %size, 1
  %over = icmp ugt i32 %x, 5
  %clamped = select i1 %over, i32 %last, i32 0
  %both = or i32 %clamped, %x
  %inside = icmp sgt i32 %both, -1
  br i1 %inside, label %then, label %out
then:
  %value = select i1 %over, i32 %data, i32 %x
  store i32 %value, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
