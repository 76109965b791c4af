; Which operands have to be in scalar registers, and are in some. Not all of these statements have machine code.
; RUN: %opt -passes=meld-mark-scalar-operands,verify %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.setreg(i32, i32)
declare amdgpu_gfx void @graphics(i32 inreg, i32)
declare void @other(i32, i32 inreg)

; CHECK-LABEL: @scalars(
; CHECK: "s,~{s4}"(i32 %u), !meld.scalar.operands [[FIRST:![0-9]+]]
; CHECK: "r"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "{s4}"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "{vcc}"(i64 %w), !meld.scalar.operands [[FIRST]]
; CHECK: "is"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "sA"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "X"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "=s,0,~{scc}"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "s|i"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "=s|r,0|0"(i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: "=*v,s"(ptr addrspace(5) elementtype(i32) %p, i32 %u), !meld.scalar.operands [[SECOND:![0-9]+]]
; CHECK: "s,v,s"(i32 %u, i32 %t, i32 %v), !meld.scalar.operands [[OUTER:![0-9]+]]
; CHECK: setreg(i32 2049, i32 %u), !meld.scalar.operands [[SECOND]]
; CHECK: @graphics(i32 inreg %u, i32 %u), !meld.scalar.operands [[FIRST]]
; CHECK: @other(i32 %u, i32 inreg %u), !meld.scalar.operands [[SECOND]]
; CHECK: ret void
define amdgpu_kernel void @scalars(i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = add i32 %n, 5
  %v = add i32 %n, 7
  %w = zext i32 %u to i64
  %p = alloca i32, addrspace(5)
  call void asm sideeffect "", "s,~{s4}"(i32 %u)
  call void asm sideeffect "", "r"(i32 %u)
  call void asm sideeffect "", "{s4}"(i32 %u)
  call void asm sideeffect "", "{vcc}"(i64 %w)
  call void asm sideeffect "", "is"(i32 %u)
  call void asm sideeffect "", "sA"(i32 %u)
  call void asm sideeffect "", "X"(i32 %u)
  %r = call i32 asm sideeffect "", "=s,0,~{scc}"(i32 %u)
  call void asm sideeffect "", "s|i"(i32 %u)
  %q = call i32 asm sideeffect "", "=s|r,0|0"(i32 %u)
  call void asm sideeffect "", "=*v,s"(ptr addrspace(5) elementtype(i32) %p, i32 %u)
  call void asm sideeffect "", "s,v,s"(i32 %u, i32 %t, i32 %v)
  call void @llvm.amdgcn.s.setreg(i32 2049, i32 %u)
  call amdgpu_gfx void @graphics(i32 inreg %u, i32 %u)
  call void @other(i32 %u, i32 inreg %u)
  ret void
}

; Vector registers, or both kinds; memory whose address is in a register; constants, arguments; what is the lanes' own.
; CHECK-LABEL: @others(
; CHECK-NOT: !meld.scalar.operands
; CHECK: ret void
define amdgpu_kernel void @others(i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = add i32 %n, 5
  %w = zext i32 %u to i64
  %a = alloca [4 x i32], addrspace(5)
  %p = getelementptr [4 x i32], ptr addrspace(5) %a, i32 0, i32 %u
  call void asm sideeffect "", "v,a,^VA"(i32 %u, i32 %u, i32 %u)
  call void asm sideeffect "", "{v4},{V[2:3]},{a[0:1]}"(i32 %u, i64 %w, i64 %w)
  call void asm sideeffect "", "sv"(i32 %u)
  call void asm sideeffect "", "s|v"(i32 %u)
  %r = call i32 asm sideeffect "", "=s|v,0|0"(i32 %u)
  %q = call i32 asm sideeffect "", "=v,0"(i32 %u)
  call void asm sideeffect "", "*s"(ptr addrspace(5) elementtype(i32) %p)
  call void asm sideeffect "", "s,s"(i32 7, i32 %n)
  call void asm sideeffect "", "s,r"(i32 %t, i32 %t)
  call void @llvm.amdgcn.s.setreg(i32 2049, i32 %t)
  call amdgpu_gfx void @graphics(i32 inreg %t, i32 %u)
  call void @other(i32 %u, i32 7)
  ret void
}

; A scalar of a loop is one for what is in it, and behind it where all lanes leave in the same round.
; CHECK-LABEL: @rounds(
; CHECK: "s,s"(i32 %i, i32 %v), !meld.scalar.operands [[BOTH:![0-9]+]]
; CHECK: "s,s"(i32 %i, i32 %v){{$}}
; CHECK: "s"(i32 %k), !meld.scalar.operands [[FIRST]]
define amdgpu_kernel void @rounds(ptr addrspace(4) %s, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %own
own:
  %i = phi i32 [ 0, %entry ], [ %j, %own ]
  %j = add i32 %i, 1
  %v = load volatile i32, ptr addrspace(4) %s
  call void asm sideeffect "", "s,s"(i32 %i, i32 %v)
  %c = icmp ult i32 %j, %t
  br i1 %c, label %own, label %between
between:
  call void asm sideeffect "", "s,s"(i32 %i, i32 %v)
  br label %all
all:
  %k = phi i32 [ 0, %between ], [ %l, %all ]
  %l = add i32 %k, 1
  %d = icmp ult i32 %l, %n
  br i1 %d, label %all, label %end
end:
  call void asm sideeffect "", "s"(i32 %k)
  ret void
}

; CHECK: [[FIRST]] = !{i32 0}
; CHECK: [[SECOND]] = !{i32 1}
; CHECK: [[OUTER]] = !{i32 0, i32 2}
; CHECK: [[BOTH]] = !{i32 0, i32 1}
