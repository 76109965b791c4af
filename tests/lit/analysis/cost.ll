; Peaks counted by hand: 32-bit registers of values that differ between threads.
; RUN: %opt -passes='print<meld-cost>' -disable-output %s | FileCheck %s
; RUN: %opt -passes='print<meld-regions>' -disable-output %s | FileCheck %s --check-prefix=REGIONS

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The id (1) and a 64-bit address (2) behind it; then address and three loaded words: 2 + 3 before the first sum.
; CHECK-LABEL: function: peak, peak 5 vector registers, 10 waves
; CHECK: block %0 cycles {{[0-9]+}}, peak 5
define amdgpu_kernel void @peak(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %a = load volatile i32, ptr addrspace(1) %q
  %b = load volatile i32, ptr addrspace(1) %q
  %c = load volatile i32, ptr addrspace(1) %q
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr addrspace(1) %q
  ret void
}

; What is the same in all threads takes no vector register.
; CHECK-LABEL: function: scalar, peak 0 vector registers
define amdgpu_kernel void @scalar(i32 %n) {
  %a = add i32 %n, 1
  %b = mul i32 %a, %n
  ret void
}

; A divergent branch: both arms are priced, and both are listed as parts that could correspond.
; CHECK-LABEL: function: arms
; CHECK: block %left cycles
; CHECK: block %right cycles
; REGIONS-LABEL: arms
define amdgpu_kernel void @arms(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %a = load i32, ptr addrspace(1) %q
  %a1 = add i32 %a, 1
  store i32 %a1, ptr addrspace(1) %q
  br label %join
right:
  %b = load i32, ptr addrspace(1) %q
  %b1 = add i32 %b, 2
  store i32 %b1, ptr addrspace(1) %q
  br label %join
join:
  ret void
}
