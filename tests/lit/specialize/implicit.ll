; From code object version 5 on the work-group's size and the grid's groups are read from the implicit arguments. LLVM renamed
; the flag that says the version with 18; a module without one, or of version 4, has other things in these places.
; RUN: sed -e 's/FLAG/amdgpu_code_object_version/' -e 's/VERSION/500/' %s | %opt -mcpu=gfx90a -passes='meld-specialize' -S | FileCheck %s
; RUN: sed -e 's/FLAG/amdhsa_code_object_version/' -e 's/VERSION/600/' %s | %opt -mcpu=gfx90a -passes='meld-specialize' -S | FileCheck %s
; RUN: sed -e 's/FLAG/amdgpu_code_object_version/' -e 's/VERSION/400/' %s | %opt -mcpu=gfx90a -passes='meld-specialize' -S | FileCheck %s --check-prefix=OLD
; RUN: sed -e 's/FLAG/another/' -e 's/VERSION/500/' %s | %opt -mcpu=gfx90a -passes='meld-specialize' -S | FileCheck %s --check-prefix=OLD

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @sizes(
; CHECK-NOT: implicitarg
; CHECK: zext i16 64 to i32
; CHECK: urem i32 %x, 16
; OLD-LABEL: @sizes(
; OLD: urem i32 %x, %wide
; OLD: urem i32 %x, %groups
define amdgpu_kernel void @sizes(ptr addrspace(1) %p) "meld-facts"="workgroup 64 1 1; grid 0 1024" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %groups = load i32, ptr addrspace(4) %implicit
  %at = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %size = load i16, ptr addrspace(4) %at
  %wide = zext i16 %size to i32
  %a = urem i32 %x, %wide
  store i32 %a, ptr addrspace(1) %p
  %b = urem i32 %x, %groups
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %b, ptr addrspace(1) %q
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"FLAG", i32 VERSION}
