; What is not read from the first lane: operands of the lanes' own. Code generation gives them vector registers, "s" or not.
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands,verify %s -S | FileCheck %s --implicit-check-not=readfirstlane --implicit-check-not=!meld
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA --implicit-check-not=v_readfirstlane

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; ISA-LABEL: {{^}}own:
; ISA: v_mov_b32 v{{[0-9]+}}, v{{[0-9]+}}
; ISA: v_mov_b32 v{{[0-9]+}}, v{{[0-9]+}}
; ISA: s_endpgm
; CHECK-LABEL: @own(
define amdgpu_kernel void @own(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, %n
  %r = call i32 asm "v_mov_b32 $0, $1", "=v,s"(i32 %x)
  %s = call i32 asm "v_mov_b32 $0, $1", "=v,r"(i32 %r)
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %s, ptr addrspace(1) %a
  ret void
}

; Two values, of which each lane has one, though each is a scalar.
; ISA-LABEL: {{^}}one_of_two:
; ISA: v_mov_b32 v{{[0-9]+}}, v{{[0-9]+}}
; ISA: s_endpgm
; CHECK-LABEL: @one_of_two(
define amdgpu_kernel void @one_of_two(ptr addrspace(1) %p, ptr addrspace(4) %s) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %v = load volatile i32, ptr addrspace(4) %s
  br label %join
right:
  %q = getelementptr i32, ptr addrspace(4) %s, i32 4
  %w = load volatile i32, ptr addrspace(4) %q
  br label %join
join:
  %x = phi i32 [ %v, %left ], [ %w, %right ]
  %r = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,s"(i32 %x)
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %r, ptr addrspace(1) %a
  ret void
}

; What is a scalar stays one.
; ISA-LABEL: {{^}}scalar:
; ISA: s_mov_b32 s4, s
; ISA: s_endpgm
; CHECK-LABEL: @scalar(
define amdgpu_kernel void @scalar(ptr addrspace(1) %p, i32 %n) {
  %u = add i32 %n, 3
  call void asm sideeffect "s_mov_b32 s4, $0", "s,~{s4}"(i32 %u)
  ret void
}
