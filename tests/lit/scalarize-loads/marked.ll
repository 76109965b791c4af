; What meld-scalarize-loads makes a scalar load, and that llc then does one.
; RUN: %opt -passes=meld-scalarize-loads -S %s | FileCheck %s
; RUN: %opt -passes=meld-scalarize-loads %s | %llc -mcpu=gfx900 | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-scalarize-loads %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=PLAIN
; RUN: %opt -passes=meld-scalarize-loads -pass-remarks=meld -disable-output %s 2>&1 | FileCheck %s --check-prefix=REMARK

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare void @llvm.amdgcn.s.barrier()

; A callee that gets both and writes the other: LLVM does not look into the call.
; CHECK-LABEL: @through_call
; CHECK: %v = load i32, ptr addrspace(1) %p, align 4, !invariant.load {{.*}}!amdgpu.noclobber
; ISA-LABEL: through_call:
; ISA: s_load_dword s{{[0-9]+}}, s[{{[0-9:]+}}], 0x0
; PLAIN-LABEL: through_call:
; PLAIN: s_swappc_b64
; PLAIN: global_load_dword
; REMARK: meld-scalarize-loads melded {{.*}}(scalar load of what the dispatch never writes)
define amdgpu_kernel void @through_call(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  call void @copy(ptr addrspace(1) %in, ptr addrspace(1) %out)
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %g
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %v
  store i32 %v, ptr addrspace(1) %q
  ret void
}
define internal void @copy(ptr addrspace(1) %from, ptr addrspace(1) %to) noinline {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %from, i32 %t
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %to, i32 %t
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; Uniform by how ids are dealt (x fills waves, so y is one per wave): index from the first lane.
; CHECK-LABEL: @row
; CHECK: %[[LANE:.*]] = call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %y)
; CHECK: %[[P:.*]] = getelementptr i32, ptr addrspace(1) %in, i32 %[[LANE]]
; CHECK: load i32, ptr addrspace(1) %[[P]], align 4, !invariant.load {{.*}}!amdgpu.noclobber
; ISA-LABEL: row:
; ISA: v_readfirstlane_b32
; ISA: s_load_dword s{{[0-9]+}}, s[{{[0-9:]+}}], 0x0
; PLAIN-LABEL: row:
; PLAIN: global_load_dword
define amdgpu_kernel void @row(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; x / 64 is one per wave; the store comes after the load on every path: marked without invariant.
; CHECK-LABEL: @before_store
; CHECK: readfirstlane
; CHECK: load i32, {{.*}}!amdgpu.noclobber
; CHECK-NOT: !invariant.load
; CHECK: ret void
; ISA-LABEL: before_store:
; ISA: s_load_dword s{{[0-9]+}}, s[{{[0-9:]+}}], 0x0
define amdgpu_kernel void @before_store(ptr addrspace(1) %a) !reqd_work_group_size !2 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %wide = zext i32 %w to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %a, i32 %x
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; Found by LLVM alone: left as it is.
; CHECK-LABEL: @known
; CHECK: %v = load i32, ptr addrspace(1) %in, align 4{{$}}
define amdgpu_kernel void @known(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
  %v = load i32, ptr addrspace(1) %in, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; A pointer that a select chooses leads into both; neither is written.
; CHECK-LABEL: @either
; CHECK: load i32, ptr addrspace(1) %p, align 4, !invariant.load {{.*}}!amdgpu.noclobber
define amdgpu_kernel void @either(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %out, i1 %c) {
  call void @copy(ptr addrspace(1) %a, ptr addrspace(1) %out)
  %p = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}
!1 = !{i32 64, i32 4, i32 1}
!2 = !{i32 256, i32 1, i32 1}
