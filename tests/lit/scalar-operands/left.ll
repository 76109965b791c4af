; Which operands of assembly statements are in scalar registers. Not all of these statements have machine code.
; RUN: %opt -passes=meld-scalar-operands,verify %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; Several vector registers, one of both kinds, memory whose address is in one, a pointer that is no number, and arguments that come in vector registers.
; CHECK-LABEL: @left(
; CHECK-NOT: readfirstlane
; CHECK: call void asm sideeffect "", "r"
; CHECK: ret void
declare amdgpu_gfx void @vectors(i32)
define void @left(ptr addrspace(7) %r, i32 %t, i1 %c) #0 {
  %v = add i32 %t, 3
  %q = getelementptr i8, ptr addrspace(7) %r, i32 %v
  %p = alloca i32, addrspace(5)
  %e = getelementptr i32, ptr addrspace(5) %p, i32 %v
  %w = zext i32 %v to i64
  call void asm sideeffect "", "{v[2:3]},{a[0:1]}"(i64 %w, i64 %w)
  call void asm sideeffect "", "sv"(i32 %v)
  call void asm sideeffect "", "*s"(ptr addrspace(5) elementtype(i32) %e)
  call void asm sideeffect "", "=*v,v,~{s4}"(ptr addrspace(5) elementtype(i32) %e, i32 %v)
  call void asm sideeffect "", "s"(ptr addrspace(7) %q)
  call amdgpu_gfx void @vectors(i32 %v)
  call void asm sideeffect "", "r"(i32 5)
  ret void
}

; "r" is a scalar register, too. What comes behind a result in memory is counted from it.
; CHECK-LABEL: @any(
; CHECK: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %t)
; CHECK-NEXT: [[R:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 [[H]])
; CHECK-NEXT: call void asm sideeffect "", "=*v,r"(ptr addrspace(5) elementtype(i32) %e, i32 [[R]])
define void @any(i32 %n) #0 {
  %t = add i32 %n, 3
  %p = alloca i32, addrspace(5)
  %e = getelementptr i32, ptr addrspace(5) %p, i32 %t
  call void asm sideeffect "", "=*v,r"(ptr addrspace(5) elementtype(i32) %e, i32 %t)
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" }
