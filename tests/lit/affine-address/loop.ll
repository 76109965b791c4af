; In a loop the lane's part is kept inside, or LLVM lifts its extension out and the access is left
; with a sum on the vector unit each time.
; RUN: %opt -passes=meld-affine-address,verify -S %s | FileCheck %s
; RUN: %opt -passes=meld-affine-address %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; A tree of sums: a[tid] += a[tid + half].
; CHECK-LABEL: @tree(
; CHECK: loop:
; CHECK: sum:
; CHECK: [[L:%[0-9]+]] = call i32 @llvm.annotation.i32{{.*}}(i32 [[T:%[0-9]+]], ptr null, ptr null, i32 1) [[STAYS:#[0-9]+]]
; CHECK: %scalar.base = getelementptr i8, ptr addrspace(1) %a
; CHECK: zext i32 [[L]] to i64
; ISA-LABEL: tree:
; ISA: v_lshlrev_b32
; ISA-NOT: v_addc
; ISA: s_addc_u32
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: global_load_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
; ISA-NOT: v_addc
; ISA: s_endpgm
define amdgpu_kernel void @tree(ptr addrspace(1) %a) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %wide = zext i32 %t to i64
  %mine = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %wide
  br label %loop
loop:
  %size = phi i32 [ 256, %0 ], [ %half, %next ]
  %half = lshr i32 %size, 1
  %c = icmp ult i32 %t, %half
  br i1 %c, label %sum, label %next
sum:
  %h = zext i32 %half to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %mine, i64 %h
  %y = load i32, ptr addrspace(1) %q
  %x = load i32, ptr addrspace(1) %mine
  %s = add i32 %x, %y
  store i32 %s, ptr addrspace(1) %mine
  br label %next
next:
  call void @llvm.amdgcn.s.barrier()
  %more = icmp ugt i32 %half, 1
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Written already, but in another block, where the access cannot see it.
; CHECK-LABEL: @elsewhere(
; CHECK: then:
; CHECK: %lane = getelementptr i8
; CHECK: store i32 1, ptr addrspace(1) %lane
; ISA-LABEL: elsewhere:
; ISA-NOT: v_addc
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
define amdgpu_kernel void @elsewhere(ptr addrspace(1) %a, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %wide = zext i32 %t to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %wide
  %c = icmp ult i32 %t, %n
  br i1 %c, label %then, label %done
then:
  store i32 1, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; CHECK: attributes [[STAYS]] = { convergent {{.*}}
!0 = !{i32 0, i32 1024}
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
