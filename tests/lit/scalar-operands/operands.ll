; What assembly statements take in scalar registers, and has become a vector value, is read from the first lane. Else it does not compile.
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The lanes of the right side have no %x.
; CHECK-LABEL: @some_lanes(
; CHECK: use:
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %x)
; CHECK-NEXT: [[R:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 [[H]])
; CHECK-NEXT: call void asm sideeffect "s_mov_b32 s4, $0", "s,~{s4}"(i32 [[R]])
; ISA-LABEL: {{^}}some_lanes:
; ISA: v_readfirstlane_b32 [[S:s[0-9]+]], v
; ISA: s_mov_b32 s4, [[S]]
define amdgpu_kernel void @some_lanes(ptr addrspace(1) %p, ptr addrspace(4) %s) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %v = load volatile i32, ptr addrspace(4) %s
  br label %join
right:
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ %v, %left ], [ poison, %right ]
  store volatile i32 2, ptr addrspace(1) %p
  br i1 %c, label %use, label %end
use:
  call void asm sideeffect "s_mov_b32 s4, $0", "s,~{s4}"(i32 %x)
  br label %end
end:
  ret void
}

; By words, whatever the type; a register by its name, and that of a result.
; CHECK-LABEL: @wide(
; CHECK: use:
; CHECK-COUNT-2: call i32 @llvm.amdgcn.readfirstlane
; CHECK: [[P:%.*]] = inttoptr i64 {{%.*}} to ptr addrspace(1)
; CHECK: call void asm sideeffect "s_mov_b64 s[4:5], $0", "s,~{s4},~{s5}"(ptr addrspace(1) [[P]])
; CHECK-COUNT-2: call i32 @llvm.amdgcn.readfirstlane
; CHECK: [[F:%.*]] = bitcast i64 {{%.*}} to <2 x float>
; CHECK: call void asm sideeffect "", "s"(<2 x float> [[F]])
; CHECK-COUNT-2: call i32 @llvm.amdgcn.readfirstlane
; CHECK: call void asm sideeffect "", "{vcc}"(i64 %
; CHECK: [[H:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: call i32 asm sideeffect "s_add_u32 $0, $0, 1", "=s,0,~{scc}"(i32 [[H]])
; ISA-LABEL: {{^}}wide:
; ISA: s_mov_b64 s[4:5], s[
; ISA: s_add_u32
define amdgpu_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(4) %s) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %v = load volatile ptr addrspace(1), ptr addrspace(4) %s
  %w = load volatile <2 x float>, ptr addrspace(4) %s
  %m = load volatile i64, ptr addrspace(4) %s
  %h = load volatile i32, ptr addrspace(4) %s
  br label %join
right:
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  %x = phi ptr addrspace(1) [ %v, %left ], [ poison, %right ]
  %y = phi <2 x float> [ %w, %left ], [ poison, %right ]
  %b = phi i64 [ %m, %left ], [ poison, %right ]
  %z = phi i32 [ %h, %left ], [ poison, %right ]
  store volatile i32 2, ptr addrspace(1) %p
  br i1 %c, label %use, label %end
use:
  call void asm sideeffect "s_mov_b64 s[4:5], $0", "s,~{s4},~{s5}"(ptr addrspace(1) %x)
  call void asm sideeffect "", "s"(<2 x float> %y)
  call void asm sideeffect "", "{vcc}"(i64 %b)
  %n = call i32 asm sideeffect "s_add_u32 $0, $0, 1", "=s,0,~{scc}"(i32 %z)
  store volatile i32 %n, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

; Vector registers, memory and what is scalar stay.
; CHECK-LABEL: @others(
; CHECK-NOT: readfirstlane
; CHECK: ret void
; ISA-LABEL: {{^}}others:
; ISA-NOT: v_readfirstlane
; ISA: s_endpgm
define amdgpu_kernel void @others(ptr addrspace(1) %p, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = add i32 %n, 5
  call void asm sideeffect "; $0 $1 $2 $3 $4", "v,{v3},s,s,s"(i32 %t, i32 %t, i32 %u, i32 %n, i32 7)
  %r = call i32 asm sideeffect "; $0 $1 $2", "=v,0,{a[0:1]},~{v7}"(i32 %t, i64 undef)
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; Arguments of graphics functions that come in scalar registers.
; CHECK-LABEL: @graphics(
; CHECK: use:
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %x)
; CHECK-NEXT: [[R:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 [[H]])
; CHECK-NEXT: call amdgpu_gfx void @callee(i32 inreg [[R]], i32 %t)
; ISA-LABEL: {{^}}graphics:
; ISA: v_readfirstlane_b32
; ISA: s_swappc_b64
declare amdgpu_gfx void @callee(i32 inreg, i32)
define amdgpu_kernel void @graphics(ptr addrspace(1) %p, ptr addrspace(4) %s) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %v = load volatile i32, ptr addrspace(4) %s
  br label %join
right:
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ %v, %left ], [ poison, %right ]
  store volatile i32 2, ptr addrspace(1) %p
  br i1 %c, label %use, label %end
use:
  call amdgpu_gfx void @callee(i32 inreg %x, i32 %t)
  br label %end
end:
  ret void
}

; What is computed from such a value; an immediate or a register; a register of the hardware; the argument of another function.
; CHECK-LABEL: @computed(
; CHECK: use:
; CHECK: call i32 @llvm.amdgcn.readfirstlane
; CHECK: call void asm sideeffect "s_mov_b32 s4, $0", "is,~{s4}"(i32
; CHECK: call i32 @llvm.amdgcn.readfirstlane
; CHECK: call void @llvm.amdgcn.s.setreg(i32 2177, i32
; CHECK: call i32 @llvm.amdgcn.readfirstlane
; CHECK: call void @other(i32 inreg
; ISA-LABEL: {{^}}computed:
; ISA: s_mov_b32 s4, s
; ISA: s_setreg_b32 hwreg({{.*}}), s
; ISA: s_swappc_b64
declare void @llvm.amdgcn.s.setreg(i32, i32)
declare void @other(i32 inreg)
define amdgpu_kernel void @computed(ptr addrspace(1) %p, ptr addrspace(4) %s, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %v = load volatile i32, ptr addrspace(4) %s
  br label %join
right:
  store volatile i32 1, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ %v, %left ], [ undef, %right ]
  %y = mul i32 %x, %n
  store volatile i32 2, ptr addrspace(1) %p
  br i1 %c, label %use, label %end
use:
  call void asm sideeffect "s_mov_b32 s4, $0", "is,~{s4}"(i32 %y)
  call void @llvm.amdgcn.s.setreg(i32 2177, i32 %x)
  call void @other(i32 inreg %x)
  br label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,64" }
