; Addresses that meld-affine-address splits into a scalar base and a 32-bit lane offset, and the
; vector address arithmetic that goes from the machine code with it.
; RUN: %opt -passes=meld-affine-address -S %s | FileCheck %s
; RUN: %opt -passes=meld-affine-address %s | %llc -mcpu=gfx900 | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-affine-address %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=PLAIN
; RUN: %opt -passes=meld-affine-address -pass-remarks=meld -disable-output %s 2>&1 | FileCheck %s --check-prefix=REMARK
; RUN: %opt -passes=meld-affine-address,verify -disable-output %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

; a[wg * 256 + tid], signed: LLVM extends, shifts and adds 64 bits in vector registers.
; REMARK: meld-affine-address melded %entry (scalar base and 32-bit lane offset): lane offset 0 to 1020 bytes
; CHECK-LABEL: @flags
; CHECK: %[[LANE:.*]] = shl i32 %t, 2
; CHECK: %[[BASE:.*]] = getelementptr i8, ptr addrspace(1) %a, i64
; CHECK: %[[WIDE:.*]] = zext i32 %[[LANE]] to i64
; CHECK: %[[P:.*]] = getelementptr i8, ptr addrspace(1) %[[BASE]], i64 %[[WIDE]]
; CHECK: load i32, ptr addrspace(1) %[[P]]
; ISA-LABEL: flags:
; ISA-NOT: v_lshlrev_b64
; ISA-NOT: v_add{{c?}}_co
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA-NOT: v_add{{c?}}_co
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: s_endpgm
; PLAIN-LABEL: flags:
; PLAIN: v_addc_co_u32
; PLAIN: global_load_dword v{{[0-9]+}}, v[{{[0-9:]+}}], off
define amdgpu_kernel void @flags(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul nsw i32 %g, %n
  %i = add nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; Known bits instead of flags: wg * 256 has no bit in common with the id.
; CHECK-LABEL: @bits
; CHECK: getelementptr i8, ptr addrspace(1) %{{.*}}, i64
; CHECK: load i32
; ISA-LABEL: bits:
; ISA-NOT: v_add{{c?}}_co
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: s_endpgm
define amdgpu_kernel void @bits(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = shl i32 %g, 8
  %i = or i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %b
  ret void
}

; a[u + tid - 1]: the constant becomes an immediate, the lane's part stays at or above 0.
; CHECK-LABEL: @below
; CHECK: %[[L:.*]] = zext i32 %{{.*}} to i64
; CHECK: %[[P:.*]] = getelementptr i8, ptr addrspace(1) %{{.*}}, i64 %[[L]]
; CHECK: %[[Q:.*]] = getelementptr i8, ptr addrspace(1) %[[P]], i64 -4
; CHECK: load i32, ptr addrspace(1) %[[Q]]
; ISA-LABEL: below:
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[{{[0-9:]+}}] offset:-4
define amdgpu_kernel void @below(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %s = add nsw i32 %u, %t
  %i = add nsw i32 %s, -1
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %b
  ret void
}

; a[u - tid]: the lane's part is negative; it is moved to 0 and above, the base as far down.
; CHECK-LABEL: @negative
; CHECK: mul i32 %t, -4
; CHECK: %[[L:.*]] = add i32 %{{.*}}, 1020
; CHECK: zext i32 %[[L]] to i64
; CHECK: getelementptr i8, ptr addrspace(1) %{{.*}}, i64 -1020
define amdgpu_kernel void @negative(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = sub nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %b
  ret void
}

; In a second block the extension is that of a narrower truncation, or LLVM would share the first
; and see a 64-bit vector value.
; CHECK-LABEL: @blocks
; CHECK: zext i32 %{{.*}} to i64
; CHECK: then:
; CHECK: %[[T:.*]] = trunc i32 %{{.*}} to i31
; CHECK: zext i31 %[[T]] to i64
; ISA-LABEL: blocks:
; ISA-NOT: v_add{{c?}}_co
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA-NOT: v_add{{c?}}_co
; ISA-NOT: v_and_b32
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
define amdgpu_kernel void @blocks(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %i = add nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  %c = icmp sgt i32 %v, 0
  br i1 %c, label %then, label %done
then:
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  store i32 %v, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; The branch above the access shows that the index is not negative, so both extensions are one.
; CHECK-LABEL: @shown
; CHECK: zext i32 %{{.*}} to i64
; CHECK: load i32, ptr addrspace(1) %lane
define amdgpu_kernel void @shown(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nsw i32 %u, %t
  %c = icmp sgt i32 %i, -1
  br i1 %c, label %then, label %done
then:
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %b
  br label %done
done:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "target-cpu"="gfx90a" }
!0 = !{i32 0, i32 256}
