; What meld-unpredicate must leave exactly as it is.
; RUN: %opt -passes=meld-unpredicate -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-unpredicate -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s

; CHECK: meld-unpredicate left %entry: run behind selects is cheaper than a branch
; CHECK: meld-unpredicate left %entry: run behind selects: gain too small

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent nounwind readnone willreturn
declare double @effect(double) nounwind willreturn writeonly

; One addition.
define amdgpu_kernel void @cheap(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %x = fadd double %d, 3.0
  %v = select i1 %c, double %x, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; Dearer than the branch, but not eight times: waves that diverge pay it for nothing.
define amdgpu_kernel void @not_worth_it(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %v = select i1 %c, double %q0, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; The condition is the same for the wave.
define amdgpu_kernel void @uniform(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp eq i32 %n, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %v = select i1 %c, double %q3, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; Both operands need it.
define amdgpu_kernel void @both_need_it(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %w = fadd double %q3, 1.0
  %v = select i1 %c, double %q3, double %w
  store double %v, ptr addrspace(1) %g
  ret void
}

; Something else needs it.
define amdgpu_kernel void @other_use(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
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
  store volatile double %q3, ptr addrspace(1) %g
  store double %v, ptr addrspace(1) %g
  ret void
}

; All lanes take part in a cross-lane operation.
define amdgpu_kernel void @convergent(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %b0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %n, i32 %tid)
  %b1 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b0, i32 %tid)
  %b2 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b1, i32 %tid)
  %b3 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b2, i32 %tid)
  %b4 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b3, i32 %tid)
  %b5 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b4, i32 %tid)
  %b6 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b5, i32 %tid)
  %b7 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b6, i32 %tid)
  %b8 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b7, i32 %tid)
  %b9 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b8, i32 %tid)
  %b10 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b9, i32 %tid)
  %b11 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b10, i32 %tid)
  %b12 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b11, i32 %tid)
  %b13 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b12, i32 %tid)
  %b14 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b13, i32 %tid)
  %b15 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b14, i32 %tid)
  %b16 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b15, i32 %tid)
  %b17 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b16, i32 %tid)
  %b18 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b17, i32 %tid)
  %b19 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b18, i32 %tid)
  %b20 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b19, i32 %tid)
  %b21 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b20, i32 %tid)
  %b22 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b21, i32 %tid)
  %b23 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b22, i32 %tid)
  %b24 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b23, i32 %tid)
  %b25 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b24, i32 %tid)
  %b26 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b25, i32 %tid)
  %b27 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b26, i32 %tid)
  %b28 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b27, i32 %tid)
  %b29 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b28, i32 %tid)
  %b30 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b29, i32 %tid)
  %b31 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b30, i32 %tid)
  %b32 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b31, i32 %tid)
  %b33 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b32, i32 %tid)
  %b34 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b33, i32 %tid)
  %b35 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b34, i32 %tid)
  %b36 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b35, i32 %tid)
  %b37 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b36, i32 %tid)
  %b38 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b37, i32 %tid)
  %b39 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b38, i32 %tid)
  %b40 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b39, i32 %tid)
  %b41 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b40, i32 %tid)
  %b42 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b41, i32 %tid)
  %b43 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b42, i32 %tid)
  %b44 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b43, i32 %tid)
  %b45 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b44, i32 %tid)
  %b46 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b45, i32 %tid)
  %b47 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b46, i32 %tid)
  %b48 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b47, i32 %tid)
  %b49 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b48, i32 %tid)
  %b50 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b49, i32 %tid)
  %b51 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b50, i32 %tid)
  %b52 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b51, i32 %tid)
  %b53 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b52, i32 %tid)
  %b54 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b53, i32 %tid)
  %b55 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b54, i32 %tid)
  %b56 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b55, i32 %tid)
  %b57 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b56, i32 %tid)
  %b58 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b57, i32 %tid)
  %b59 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b58, i32 %tid)
  %b60 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b59, i32 %tid)
  %b61 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b60, i32 %tid)
  %b62 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b61, i32 %tid)
  %b63 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b62, i32 %tid)
  %b64 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b63, i32 %tid)
  %b65 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b64, i32 %tid)
  %b66 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b65, i32 %tid)
  %b67 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b66, i32 %tid)
  %b68 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b67, i32 %tid)
  %b69 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b68, i32 %tid)
  %b70 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b69, i32 %tid)
  %b71 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b70, i32 %tid)
  %b72 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b71, i32 %tid)
  %b73 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b72, i32 %tid)
  %b74 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b73, i32 %tid)
  %b75 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b74, i32 %tid)
  %b76 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b75, i32 %tid)
  %b77 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b76, i32 %tid)
  %b78 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b77, i32 %tid)
  %b79 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b78, i32 %tid)
  %b80 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b79, i32 %tid)
  %b81 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b80, i32 %tid)
  %b82 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b81, i32 %tid)
  %b83 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b82, i32 %tid)
  %b84 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b83, i32 %tid)
  %b85 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b84, i32 %tid)
  %b86 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b85, i32 %tid)
  %b87 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b86, i32 %tid)
  %b88 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b87, i32 %tid)
  %b89 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b88, i32 %tid)
  %b90 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b89, i32 %tid)
  %b91 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b90, i32 %tid)
  %b92 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b91, i32 %tid)
  %b93 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b92, i32 %tid)
  %b94 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b93, i32 %tid)
  %b95 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b94, i32 %tid)
  %b96 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b95, i32 %tid)
  %b97 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b96, i32 %tid)
  %b98 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b97, i32 %tid)
  %b99 = call i32 @llvm.amdgcn.ds.bpermute(i32 %b98, i32 %tid)
  %v = select i1 %c, i32 %b99, i32 %tid
  store i32 %v, ptr addrspace(1) %g
  ret void
}

; The call has effects.
define amdgpu_kernel void @effects(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %e = call double @effect(double %d)
  %e2 = call double @effect(double %e)
  %v = select i1 %c, double %e2, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; A write between the loads and the select.
define amdgpu_kernel void @write_between(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
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
  store i32 %tid, ptr addrspace(3) %lds
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

; Volatile loads.
define amdgpu_kernel void @volatile(ptr addrspace(1) %p, ptr addrspace(3) dereferenceable(4096) align 8 %lds, i32 noundef %n, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a0 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 0
  %l0 = load volatile <4 x i32>, ptr addrspace(3) %a0
  %a1 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 1
  %l1 = load volatile <4 x i32>, ptr addrspace(3) %a1
  %a2 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 2
  %l2 = load volatile <4 x i32>, ptr addrspace(3) %a2
  %a3 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 3
  %l3 = load volatile <4 x i32>, ptr addrspace(3) %a3
  %a4 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 4
  %l4 = load volatile <4 x i32>, ptr addrspace(3) %a4
  %a5 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 5
  %l5 = load volatile <4 x i32>, ptr addrspace(3) %a5
  %a6 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 6
  %l6 = load volatile <4 x i32>, ptr addrspace(3) %a6
  %a7 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 7
  %l7 = load volatile <4 x i32>, ptr addrspace(3) %a7
  %a8 = getelementptr <4 x i32>, ptr addrspace(3) %lds, i32 8
  %l8 = load volatile <4 x i32>, ptr addrspace(3) %a8
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
