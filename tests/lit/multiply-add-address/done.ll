; Addresses whose lane part may not fit into 32 bits: one multiply-add of the base, which stays in
; scalar registers. (Each of these kernels alone would save too little: min-profit.)
; RUN: %opt -passes='meld-multiply-add-address<min-profit=-1>,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-multiply-add-address<min-profit=-1>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes='meld-multiply-add-address<min-profit=-1>' %s -o %t.once
; RUN: %opt -passes='meld-multiply-add-address<min-profit=-1>' -S %s -o %t.a
; RUN: %opt -passes='meld-multiply-add-address<min-profit=-1>' -S %s -o %t.b
; RUN: diff %t.a %t.b

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

; int i = wg * 100 + tid: may pass 2^31.
; CHECK-LABEL: @signed_index(
; CHECK: [[W:%[0-9]+]] = call i32 @llvm.amdgcn.wavefrontsize()
; CHECK: [[K:%[0-9]+]] = and i32 [[W]], 127
; CHECK: [[S:%[0-9]+]] = lshr i32 [[K]], 4
; CHECK: %scale = zext i32 [[S]] to i64
; CHECK: [[I:%[0-9]+]] = sext i32 %i to i64
; CHECK: [[M:%[0-9]+]] = mul i64 [[I]], %scale
; CHECK: %p = getelementptr i8, ptr addrspace(1) %a, i64 [[M]]
; CHECK-NEXT: call void asm "", "s"(ptr addrspace(1) %a)
; CHECK-NEXT: store i32 1, ptr addrspace(1) %p
; ISA-LABEL: signed_index:
; ISA-NOT: v_addc
; ISA: v_mad_i64_i32 {{.*}}, 4, s[
; ISA-NOT: v_addc
; ISA: global_store_dword
define amdgpu_kernel void @signed_index(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, 100
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Unsigned, of eight bytes, a constant behind it, and a second array: two of 16 cycles against 36.
; CHECK-LABEL: @unsigned_index(
; CHECK: [[S:%[0-9]+]] = lshr i32 %{{[0-9]+}}, 3
; CHECK-COUNT-2: mul i64
; CHECK-NOT: mul i64
; ISA-LABEL: unsigned_index:
; ISA-COUNT-2: v_mad_u64_u32 {{.*}}, 8, s[
; ISA: global_store_dwordx2 {{.*}} offset:24
define amdgpu_kernel void @unsigned_index(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %w
  %q = getelementptr inbounds i64, ptr addrspace(1) %b, i64 %w
  %v = load i64, ptr addrspace(1) %q
  %far = getelementptr inbounds i64, ptr addrspace(1) %p, i64 3
  store i64 %v, ptr addrspace(1) %far
  ret void
}

; A field of a structure as large as the wave; the constant stays an immediate.
; CHECK-LABEL: @field(
; CHECK: call i32 @llvm.amdgcn.wavefrontsize()
; CHECK: %p = getelementptr i8, ptr addrspace(1) %{{.*}}, i64 12
; ISA-LABEL: field:
; ISA: v_mad_i64_i32 {{.*}}, 64, s[
; ISA: global_load_dword {{.*}} offset:12
%struct = type { [3 x i32], i32, [12 x i32] }
define amdgpu_kernel void @field(ptr addrspace(1) %a, ptr addrspace(1) %o, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = mul i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds %struct, ptr addrspace(1) %a, i64 %w, i32 1
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; Two lane parts that were added as 64 bits: two multiply-adds in a row.
; CHECK-LABEL: @two_parts(
; CHECK-COUNT-2: mul i64
; ISA-LABEL: two_parts:
; ISA-COUNT-2: v_mad_i64_i32
; ISA-NOT: v_addc
; ISA: s_endpgm
define amdgpu_kernel void @two_parts(ptr addrspace(1) %a, i32 %u, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %j = mul i32 %n, %t
  %x = sext i32 %i to i64
  %y = sext i32 %j to i64
  %w = add i64 %x, %y
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; One index in two blocks, one behind the other: two products that nothing makes one.
; CHECK-LABEL: @two_blocks(
; CHECK: [[K:%[0-9]+]] = and i32 %{{[0-9]+}}, 127
; CHECK-DAG: lshr i32 [[K]], 4
; CHECK-DAG: shl i32 [[K]], 1
; CHECK-DAG: lshr i32 %{{[0-9]+}}, 5
; ISA-LABEL: two_blocks:
; ISA: v_mad_i64_i32 {{.*}}, 4, s[
; ISA: s_cbranch
; ISA: v_mad_i64_i32 {{.*}}, 4, s[
define amdgpu_kernel void @two_blocks(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  %c = icmp eq i32 %v, 0
  br i1 %c, label %then, label %done
then:
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  store i32 1, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; The base differs between lanes: the product is added to it as it is, and nothing needs an "s".
; CHECK-LABEL: @lane_base(
; CHECK: getelementptr i8, ptr addrspace(1) %base
; CHECK-NOT: asm
; CHECK: ret void
; ISA-LABEL: lane_base:
; ISA: v_mad_i64_i32 {{.*}}, 4, v[
define amdgpu_kernel void @lane_base(ptr addrspace(1) %table, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %where = getelementptr inbounds ptr addrspace(1), ptr addrspace(1) %table, i32 %t
  %base = load ptr addrspace(1), ptr addrspace(1) %where
  %i = mul i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %base, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; One such address is the base of the next, which then has none in scalar registers.
; CHECK-LABEL: @chain(
; CHECK: call void asm "", "s"(ptr addrspace(1) %a)
; CHECK-NOT: asm
; CHECK: ret void
; ISA-LABEL: chain:
; ISA-COUNT-2: v_mad_i64_i32
define amdgpu_kernel void @chain(ptr addrspace(1) %a, i32 %u, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %j = mul i32 %n, %t
  %x = sext i32 %i to i64
  %y = sext i32 %j to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %x
  store i32 1, ptr addrspace(1) %p
  %q = getelementptr inbounds i64, ptr addrspace(1) %p, i64 %y
  store i32 2, ptr addrspace(1) %q
  ret void
}

attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
