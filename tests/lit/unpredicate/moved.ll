; Runs of instructions that only one operand of a select needs go back behind a branch.
; RUN: %opt -passes=meld-unpredicate -S %s | FileCheck %s
; RUN: %opt -passes=meld -S %s | FileCheck %s
; RUN: %opt -passes='default<O3>' %s | %llc -mcpu=gfx90a -o /dev/null
; RUN: %opt -passes=meld-unpredicate -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: remark: {{.*}}meld-unpredicate melded %entry (run behind selects): instructions 4, selects 1, cycles
; REMARK: remark: {{.*}}meld-unpredicate melded %entry (run behind selects): instructions 3, selects 3, cycles

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @one_side(
; CHECK: br i1 %c, label %[[THEN:.*]], label %[[JOIN:.*]]
; CHECK: [[THEN]]:
; CHECK-COUNT-4: fdiv
; CHECK: br label %[[JOIN]]
; CHECK: [[JOIN]]:
; CHECK-NEXT: phi double [ %q3, %[[THEN]] ], [ %d, %entry ]
; CHECK-NOT: select
; CHECK: ret void
define amdgpu_kernel void @one_side(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %v = select i1 %c, double %q3, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; Both sides: an if with an else.
; CHECK-LABEL: @both_sides(
; CHECK: br i1 %c, label %[[THEN:.*]], label %[[ELSE:.*]]
; CHECK: [[THEN]]:
; CHECK-COUNT-3: fdiv double
; CHECK: [[ELSE]]:
; CHECK-COUNT-3: fdiv double
; CHECK: phi double [ %q2, %[[THEN]] ], [ %r2, %[[ELSE]] ]
; CHECK: ret void
define amdgpu_kernel void @both_sides(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %r0 = fdiv double %d, 5.0
  %r1 = fdiv double %d, %r0
  %r2 = fdiv double %d, %r1
  %v = select i1 %c, double %q2, double %r2
  store double %v, ptr addrspace(1) %g
  ret void
}

; Three selects whose runs are too short one by one share a branch.
; CHECK-LABEL: @together(
; CHECK: br i1 %c
; CHECK: fdiv
; CHECK: fdiv
; CHECK: fdiv
; CHECK-COUNT-3: phi double
; CHECK-NOT: select
; CHECK: ret void
define amdgpu_kernel void @together(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x0 = fdiv double %d, 2.0
  %y0 = select i1 %c, double %x0, double 1.0
  %x1 = fdiv double %d, 3.0
  %y1 = select i1 %c, double %x1, double 1.0
  %x2 = fdiv double %d, 4.0
  %y2 = select i1 %c, double %x2, double 1.0
  %s1 = fadd double %y0, %y1
  %s2 = fadd double %s1, %y2
  store double %s2, ptr addrspace(1) %g
  ret void
}

; A select of the run that another one uses.
; CHECK-LABEL: @select_of_select(
; CHECK: br i1 %c
; CHECK: phi double [ %q3, %{{.*}} ], [ %d, %entry ]
; CHECK: phi double [ %q3, %{{.*}} ], [ 7.000000e+00, %entry ]
; CHECK: ret void
define amdgpu_kernel void @select_of_select(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %v = select i1 %c, double %q3, double %d
  %w = select i1 %c, double %v, double 7.0
  store volatile double %v, ptr addrspace(1) %g
  store volatile double %w, ptr addrspace(1) %g
  ret void
}

; Loads from LDS that any thread may do: eight of them are worth a branch. The write above stays above.
; CHECK-LABEL: @loads(
; CHECK: store i32 %tid, ptr addrspace(3) %lds
; CHECK: br i1 %c
; CHECK-COUNT-8: load <4 x i32>
; CHECK: phi
; CHECK: ret void
define amdgpu_kernel void @loads(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  store i32 %tid, ptr addrspace(3) %lds
  %a0 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 0
  %l0 = load <4 x i32>, ptr addrspace(3) %a0
  %a1 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 1
  %l1 = load <4 x i32>, ptr addrspace(3) %a1
  %a2 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 2
  %l2 = load <4 x i32>, ptr addrspace(3) %a2
  %a3 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 3
  %l3 = load <4 x i32>, ptr addrspace(3) %a3
  %a4 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 4
  %l4 = load <4 x i32>, ptr addrspace(3) %a4
  %a5 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 5
  %l5 = load <4 x i32>, ptr addrspace(3) %a5
  %a6 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 6
  %l6 = load <4 x i32>, ptr addrspace(3) %a6
  %a7 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 7
  %l7 = load <4 x i32>, ptr addrspace(3) %a7
  %t0 = add <4 x i32> %l0, %l1
  %t1 = add <4 x i32> %t0, %l2
  %t2 = add <4 x i32> %t1, %l3
  %t3 = add <4 x i32> %t2, %l4
  %t4 = add <4 x i32> %t3, %l5
  %t5 = add <4 x i32> %t4, %l6
  %t6 = add <4 x i32> %t5, %l7
  %v = select i1 %c, <4 x i32> %t6, <4 x i32> zeroinitializer
  store <4 x i32> %v, ptr addrspace(1) %g
  ret void
}

; A branch must not be taken on poison; a select on it harms no one who does not look.
; CHECK-LABEL: @poison_condition(
; CHECK: %[[F:.*]] = freeze i1 %c
; CHECK: br i1 %[[F]]
; CHECK: ret void
define amdgpu_kernel void @poison_condition(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = shl nuw i32 %tid, 31
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %v = select i1 %c, double %q3, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}
