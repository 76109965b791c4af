; RUN: %opt -passes=meld-uniform-branch -S %s | FileCheck %s
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=LLVM
; RUN: %opt -passes=meld-uniform-branch %s -o - | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=OURS
; RUN: %opt -passes=meld-uniform-branch -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; Three of the branches below, and no more.
; REMARK-COUNT-3: meld-uniform-branch melded block 0 (wave-uniform branch made scalar)
; REMARK-NOT: melded

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()

; The first wave does something else: LLVM masks lanes, ours jumps.
; CHECK-LABEL: @first_wave(
; CHECK: [[F:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %x)
; CHECK: [[U:%.*]] = icmp ult i32 [[F]], 64
; CHECK: br i1 [[U]]
; LLVM-LABEL: first_wave:
; LLVM: s_and_saveexec_b64
; OURS-LABEL: first_wave:
; OURS-NOT: saveexec
; OURS: v_readfirstlane_b32
; OURS: s_cbranch_scc
; OURS-NOT: saveexec
; OURS: s_endpgm
define amdgpu_kernel void @first_wave(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %c = icmp ult i32 %x, 64
  br i1 %c, label %a, label %b
a:
  %v = load volatile i32, ptr addrspace(1) %q
  br label %join
b:
  store volatile i32 2, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; Not a 32-bit comparison: the bit itself is read from the first lane.
; CHECK-LABEL: @other_type(
; CHECK: [[Z:%.*]] = zext i1 %c to i32
; CHECK: [[F:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 [[Z]])
; CHECK: icmp ne i32 [[F]], 0
define amdgpu_kernel void @other_type(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %x to i64
  %c = icmp ult i64 %wide, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; LLVM sees this one itself.
; CHECK-LABEL: @argument(
; CHECK-NOT: readfirstlane
define amdgpu_kernel void @argument(ptr addrspace(1) %p, i32 %n) !reqd_work_group_size !0 {
  %c = icmp ult i32 %n, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Half a wave.
; CHECK-LABEL: @half(
; CHECK-NOT: readfirstlane
define amdgpu_kernel void @half(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 32
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; The same is a whole wave of 32.
; CHECK-LABEL: @half_on_wave32(
; CHECK: readfirstlane
define amdgpu_kernel void @half_on_wave32(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 32
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Rows that are no multiple of the wave.
; CHECK-LABEL: @ragged(
; CHECK-NOT: readfirstlane
define amdgpu_kernel void @ragged(ptr addrspace(1) %p) !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Nothing is known of the shape.
; CHECK-LABEL: @unknown(
; CHECK-NOT: readfirstlane
define amdgpu_kernel void @unknown(ptr addrspace(1) %p) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Uniform, but in a block that not all lanes run: EXEC may be empty there.
; CHECK-LABEL: @divergent_block(
; CHECK-NOT: readfirstlane
define amdgpu_kernel void @divergent_block(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %x, 1
  %d = icmp eq i32 %odd, 0
  br i1 %d, label %inner, label %join
inner:
  %c = icmp ult i32 %x, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Nor after some lanes have returned.
; CHECK-LABEL: @after_exit(
; CHECK-NOT: readfirstlane
; CHECK-LABEL: declare
define amdgpu_kernel void @after_exit(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %x, 1
  %d = icmp eq i32 %odd, 0
  br i1 %d, label %gone, label %inner
gone:
  ret void
inner:
  %c = icmp ult i32 %x, 64
  br i1 %c, label %a, label %join
a:
  store volatile i32 2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" "target-features"="+wavefrontsize32" }
!0 = !{i32 128, i32 2, i32 1}
!1 = !{i32 96, i32 2, i32 1}
