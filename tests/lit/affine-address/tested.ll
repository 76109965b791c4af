; i = wg * size + tid comes in unsigned arithmetic, without flags, and is extended as signed: exact
; unless the grid passes 2^31. That is tested once; a copy of the kernel is there for the case.
; RUN: %opt -passes=meld-affine-address,verify -S %s | FileCheck %s
; RUN: %opt -passes=meld-affine-address %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

; 2^31 - 1 - 1023
; CHECK-LABEL: @launch
; CHECK: %u = mul i32 %g, %size
; CHECK: %fits = icmp ule i32 %u, 2147482624
; CHECK: br i1 %fits, label %rest, label %proven.done
; What the proven copy stores is not what the other loads.
; CHECK: then:
; CHECK: store float {{.*}}!alias.scope ![[APART:[0-9]+]]
; CHECK: proven.done:
; CHECK-NEXT: br i1 %fits, label %done{{[0-9]*}}, label %rest.unproven
; CHECK: rest.unproven:
; CHECK: sext i32
; CHECK: load float, {{.*}}!noalias ![[APART]]
; ISA-LABEL: launch:
; ISA: s_cmp_gt_u32 s{{[0-9]+}}, 0x7ffffc00
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: v_addc_co_u32
define amdgpu_kernel void @launch(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %size, i32 %n) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, %size
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %i = add i32 %u, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %then, label %done
then:
  %w = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %w
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr inbounds float, ptr addrspace(1) %b, i64 %w
  %y = load float, ptr addrspace(1) %q
  %z = fadd float %x, %y
  %r = getelementptr inbounds float, ptr addrspace(1) %c, i64 %w
  store float %z, ptr addrspace(1) %r
  br label %done
done:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx90a" }
!0 = !{i32 0, i32 1024}
