; What is read from a lane may be of any type, which is hidden by its bits (passes/llvm_fixes/keep_joins.h).
; REQUIRES: llvm-from-20
; RUN: %opt -passes=meld-keep-joins,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-keep-joins %s -S | %llc -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA

target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i16 @llvm.amdgcn.readfirstlane.i16(i16)
declare float @llvm.amdgcn.readfirstlane.f32(float)
declare <2 x half> @llvm.amdgcn.readfirstlane.v2f16(<2 x half>)
declare double @llvm.amdgcn.readlane.f64(double, i32)
declare ptr @llvm.amdgcn.readfirstlane.p0(ptr)
declare <2 x ptr> @llvm.amdgcn.readfirstlane.v2p0(<2 x ptr>)
declare <3 x float> @llvm.amdgcn.readfirstlane.v3f32(<3 x float>)

; CHECK-LABEL: @types(
; CHECK: [[W:%.*]] = zext i16 %n to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[W]])
; CHECK-NEXT: [[N:%.*]] = trunc i32 [[H]] to i16
; CHECK-NEXT: call i16 @llvm.amdgcn.readfirstlane.i16(i16 [[N]])
; CHECK: [[B:%.*]] = bitcast float %f to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[B]])
; CHECK-NEXT: [[F:%.*]] = bitcast i32 [[H]] to float
; CHECK-NEXT: call float @llvm.amdgcn.readfirstlane.f32(float [[F]])
; CHECK: [[B:%.*]] = bitcast <2 x half> %h to i32
; CHECK-NEXT: call i32 asm
; CHECK: [[B:%.*]] = bitcast double %d to i64
; CHECK-NEXT: [[H:%.*]] = call i64 asm "", "=v,0"(i64 [[B]])
; CHECK: [[H:%.*]] = call ptr asm "", "=v,0"(ptr %p)
; CHECK-NEXT: call ptr @llvm.amdgcn.readfirstlane.p0(ptr [[H]])
; CHECK: [[B:%.*]] = bitcast <3 x float> %v to <3 x i32>
; CHECK-COUNT-3: call i32 asm
; CHECK: [[V:%.*]] = bitcast <3 x i32> {{%.*}} to <3 x float>
; CHECK-NEXT: call <3 x float> @llvm.amdgcn.readfirstlane.v3f32(<3 x float> [[V]])
; CHECK-COUNT-2: call ptr asm
; CHECK: call <2 x ptr> @llvm.amdgcn.readfirstlane.v2p0(
; ISA-LABEL: types:
; ISA-COUNT-12: {{v_readfirstlane_b32|v_readlane_b32}}
; ISA: s_endpgm
define amdgpu_kernel void @types(ptr addrspace(1) %out) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %n = trunc i32 %t to i16
  %rn = call i16 @llvm.amdgcn.readfirstlane.i16(i16 %n)
  store volatile i16 %rn, ptr addrspace(1) %out
  %f = uitofp i32 %t to float
  %rf = call float @llvm.amdgcn.readfirstlane.f32(float %f)
  store volatile float %rf, ptr addrspace(1) %out
  %one = fptrunc float %f to half
  %first = insertelement <2 x half> poison, half %one, i32 0
  %h = insertelement <2 x half> %first, half %one, i32 1
  %rh = call <2 x half> @llvm.amdgcn.readfirstlane.v2f16(<2 x half> %h)
  store volatile <2 x half> %rh, ptr addrspace(1) %out
  %d = uitofp i32 %t to double
  %rd = call double @llvm.amdgcn.readlane.f64(double %d, i32 3)
  store volatile double %rd, ptr addrspace(1) %out
  %long = zext i32 %t to i64
  %p = inttoptr i64 %long to ptr
  %rp = call ptr @llvm.amdgcn.readfirstlane.p0(ptr %p)
  store volatile ptr %rp, ptr addrspace(1) %out
  %v0 = insertelement <3 x float> poison, float %f, i32 0
  %v1 = insertelement <3 x float> %v0, float %f, i32 1
  %v = insertelement <3 x float> %v1, float 1.0, i32 2
  %rv = call <3 x float> @llvm.amdgcn.readfirstlane.v3f32(<3 x float> %v)
  store volatile <3 x float> %rv, ptr addrspace(1) %out
  %p0 = insertelement <2 x ptr> poison, ptr %p, i32 0
  %ps = insertelement <2 x ptr> %p0, ptr null, i32 1
  %rps = call <2 x ptr> @llvm.amdgcn.readfirstlane.v2p0(<2 x ptr> %ps)
  store volatile <2 x ptr> %rps, ptr addrspace(1) %out
  ret void
}
