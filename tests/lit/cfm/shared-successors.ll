; Two sides that end in the same two successors, in either order, get one branch; the phis there get selects.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @same_order(
; CHECK: %[[A:.*]] = select i1 %c, i32 %x, i32 %y
; CHECK: %[[B:.*]] = select i1 %c, i32 %y, i32 %x
; CHECK: %[[CMP:.*]] = icmp sgt i32 %[[A]], %[[B]]
; CHECK-NOT: icmp
; CHECK: br i1 %[[CMP]], label %swap, label %done
define amdgpu_kernel void @same_order(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = icmp sgt i32 %x, %y
  br i1 %gt, label %swap, label %done
down:
  %lt = icmp slt i32 %x, %y
  br i1 %lt, label %swap, label %done
swap:
  store i32 %y, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The right side names them the other way round: its compare is inverted (slt for sge).
; CHECK-LABEL: @mirrored(
; CHECK-DAG: select i1 %c, i32 %x, i32 %y
; CHECK-DAG: select i1 %c, i32 %y, i32 %x
; CHECK: %[[CMP:.*]] = icmp sgt i32
; CHECK-NOT: icmp
; CHECK: br i1 %[[CMP]], label %swap, label %done
define amdgpu_kernel void @mirrored(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = icmp sgt i32 %x, %y
  br i1 %gt, label %swap, label %done
down:
  %ge = icmp sge i32 %x, %y
  br i1 %ge, label %done, label %swap
swap:
  store i32 %y, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; fcmp: x > y against x < y is one ogt with exchanged operands; ordered stays ordered. nnan only where both have it.
; CHECK-LABEL: @floats(
; CHECK: fcmp ninf ogt float
; CHECK-NOT: fcmp
define amdgpu_kernel void @floats(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load float, ptr addrspace(3) %p
  %y = load float, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = fcmp nnan ninf ogt float %x, %y
  br i1 %gt, label %swap, label %done
down:
  %lt = fcmp ninf olt float %x, %y
  br i1 %lt, label %swap, label %done
swap:
  store float %y, ptr addrspace(3) %p
  store float %x, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Ordered against unordered is not a swap: both compares stay.
; CHECK-LABEL: @ordered_unordered(
; CHECK-DAG: fcmp ogt
; CHECK-DAG: fcmp ult
define amdgpu_kernel void @ordered_unordered(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load float, ptr addrspace(3) %p
  %y = load float, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = fcmp ogt float %x, %y
  br i1 %gt, label %swap, label %done
down:
  %lt = fcmp ult float %x, %y
  br i1 %lt, label %swap, label %done
swap:
  store float %y, ptr addrspace(3) %p
  store float %x, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Phis in both successors.
; CHECK-LABEL: @phis(
; CHECK: %[[V:.*]] = select i1 %c, i32 7, i32 9
; CHECK: br i1 %{{.*}}, label %one, label %two
; CHECK: one:
; CHECK-NEXT: phi i32 [ %[[V]], %[[M:.*]] ]
; CHECK: two:
; CHECK-NEXT: phi i32 [ 1, %[[M]] ]
define amdgpu_kernel void @phis(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = icmp sgt i32 %x, %y
  br i1 %gt, label %one, label %two
down:
  %lt = icmp slt i32 %x, %y
  br i1 %lt, label %one, label %two
one:
  %v = phi i32 [ 7, %up ], [ 9, %down ]
  store volatile i32 %v, ptr addrspace(3) %p
  br label %done
two:
  %w = phi i32 [ 1, %up ], [ 1, %down ]
  store i32 %w, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Phis in both successors, and the right side names them the other way round. Its compare inverted is the left one:
; no select but those of the phis.
; CHECK-LABEL: @phis_mirrored(
; CHECK-DAG: %[[V:.*]] = select i1 %c, i32 7, i32 9
; CHECK-DAG: %[[W:.*]] = select i1 %c, i32 %x, i32 %y
; CHECK-NOT: select
; CHECK: %[[CMP:.*]] = icmp sgt i32 %x, %y
; CHECK-NOT: icmp
; CHECK: br i1 %[[CMP]], label %one, label %two
; CHECK: one:
; CHECK-NEXT: phi i32 [ %[[V]], %[[M:.*]] ]
; CHECK: two:
; CHECK-NEXT: phi i32 [ %[[W]], %[[M]] ]
define amdgpu_kernel void @phis_mirrored(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  br i1 %c, label %up, label %down
up:
  %gt = icmp sgt i32 %x, %y
  br i1 %gt, label %one, label %two
down:
  %le = icmp sle i32 %x, %y
  br i1 %le, label %two, label %one
one:
  %v = phi i32 [ 7, %up ], [ 9, %down ]
  store volatile i32 %v, ptr addrspace(3) %p
  br label %done
two:
  %w = phi i32 [ %x, %up ], [ %y, %down ]
  store i32 %w, ptr addrspace(3) %q
  br label %done
done:
  ret void
}
