; A kernel that asks itself which lanes run gets no reading of ours: LLVM 15's GVN takes a
; readfirstlane or a ballot for a function of its operand, and one that dominates another for it.
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values' -S %s | FileCheck %s
; RUN: %opt -mcpu=gfx90a -passes='meld-uniform-branch' -S %s | FileCheck %s --check-prefix=BRANCH
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-loads' -S %s | FileCheck %s --check-prefix=LOADS
; RUN: %opt -mcpu=gfx90a -passes='meld-dynamic-convergence<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=GUARD
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values,meld-scalarize-values' -S %s | FileCheck %s --check-prefix=TWICE
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values,meld-scalarize-loads,meld-dynamic-convergence' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare i64 @llvm.amdgcn.icmp.i64.i32(i32, i32, i32)

; The comparison would be done on the first lane's x at the entry, where that is another lane than
; in `low`.
; WHY: meld-scalarize-values left %entry: the kernel itself asks which lanes run
; CHECK-LABEL: @first_of_some(
; CHECK-COUNT-1: call i32 @llvm.amdgcn.readfirstlane
; CHECK-NOT: readfirstlane
; CHECK: ret void
; BRANCH-LABEL: @first_of_some(
; BRANCH-COUNT-1: call i32 @llvm.amdgcn.readfirstlane
; BRANCH-NOT: readfirstlane
; BRANCH: ret void
define amdgpu_kernel void @first_of_some(ptr addrspace(1) %out) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 64
  br i1 %c, label %wave, label %end
wave:
  %odd = and i32 %x, 1
  %d = icmp eq i32 %odd, 1
  br i1 %d, label %low, label %end
low:
  %first = call i32 @llvm.amdgcn.readfirstlane(i32 %x)
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %first, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; What all lanes have in common is the same for any of them: this reading does no harm. Nor do ours.
; CHECK-LABEL: @first_of_all(
; CHECK-COUNT-2: call i32 @llvm.amdgcn.readfirstlane
; CHECK: ret void
; TWICE-LABEL: @first_of_all(
; TWICE: icmp ult i32 %scalar, 64
; TWICE: ret void
define amdgpu_kernel void @first_of_all(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 64
  br i1 %c, label %wave, label %end
wave:
  %first = call i32 @llvm.amdgcn.readfirstlane(i32 %n)
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %first, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; A ballot, and the comparison that older headers make of it.
; WHY: meld-scalarize-loads left {{.*}}: the kernel itself asks which lanes run
; LOADS-LABEL: @row(
; LOADS-NOT: readfirstlane
; LOADS: ret void
define amdgpu_kernel void @row(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %m = call i64 @llvm.amdgcn.icmp.i64.i32(i32 %x, i32 77, i32 32)
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %w
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %v
  store i64 %m, ptr addrspace(1) %q
  ret void
}

; WHY: meld-dynamic-convergence left {{.*}}: the kernel itself asks which lanes run
; GUARD-LABEL: @guard(
; GUARD-COUNT-1: call i64 @llvm.amdgcn.ballot
; GUARD-NOT: call i64 @llvm.amdgcn.ballot
; GUARD: ret void
define amdgpu_kernel void @guard(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %key) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %x, %key
  br i1 %c, label %then, label %end
then:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %x
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %v
  store i32 %v, ptr addrspace(1) %q
  br label %end
end:
  %running = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  store i64 %running, ptr addrspace(1) %out
  ret void
}

!0 = !{i32 128, i32 1, i32 1}
