; The scalar offset of a buffer, which LLVM reads from the lanes itself from 17 on.
; REQUIRES: llvm-before-17
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-mark-scalar-operands,meld-own-lanes,meld-scalar-operands %s -S | %llc -O3 -verify-machineinstrs -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.amdgcn.raw.buffer.load.f32(<4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.struct.buffer.store.f32(float, <4 x i32>, i32, i32, i32, i32)
declare float @llvm.amdgcn.raw.tbuffer.load.f32(<4 x i32>, i32, i32, i32, i32)
declare i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32, <4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.load.lds(<4 x i32>, ptr addrspace(3), i32, i32, i32, i32, i32)

; CHECK-LABEL: @offsets(
; CHECK: use:
; CHECK: [[A:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: raw.buffer.load.f32(<4 x i32> %r, i32 %t, i32 [[A]], i32 0)
; CHECK: [[B:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: struct.buffer.store.f32(float %f, <4 x i32> %r, i32 %t, i32 %x, i32 [[B]], i32 0)
; CHECK: [[C:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: raw.tbuffer.load.f32(<4 x i32> %r, i32 %t, i32 [[C]], i32 22, i32 0)
; CHECK: [[D:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: raw.buffer.atomic.add.i32(i32 %x, <4 x i32> %r, i32 %t, i32 [[D]], i32 0)
; CHECK: [[E:%.*]] = call i32 @llvm.amdgcn.readfirstlane
; CHECK: raw.buffer.load.lds(<4 x i32> %r, ptr addrspace(3) null, i32 4, i32 %t, i32 [[E]], i32 0, i32 0)
; CHECK-NOT: readfirstlane
; CHECK: ret void
; ISA-LABEL: {{^}}offsets:
; ISA: buffer_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[{{.*}}], s{{[0-9]+}} offen
; ISA: s_endpgm
define amdgpu_kernel void @offsets(ptr addrspace(1) %p, ptr addrspace(4) %s, <4 x i32> %r) #0 {
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
  store volatile i32 2, ptr addrspace(1) %p
  br i1 %c, label %use, label %end
use:
  %f = call float @llvm.amdgcn.raw.buffer.load.f32(<4 x i32> %r, i32 %t, i32 %x, i32 0)
  call void @llvm.amdgcn.struct.buffer.store.f32(float %f, <4 x i32> %r, i32 %t, i32 %x, i32 %x, i32 0)
  %g = call float @llvm.amdgcn.raw.tbuffer.load.f32(<4 x i32> %r, i32 %t, i32 %x, i32 22, i32 0)
  %o = call i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32 %x, <4 x i32> %r, i32 %t, i32 %x, i32 0)
  call void @llvm.amdgcn.raw.buffer.load.lds(<4 x i32> %r, ptr addrspace(3) null, i32 4, i32 %t, i32 %x, i32 0, i32 0)
  store volatile float %g, ptr addrspace(1) %p
  store volatile i32 %o, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,64" }
