; The order in which loops are looked at decides how much is found, so it must not hang on where they lie in memory.
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s > %t1 2>&1
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s > %t2 2>&1
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s > %t3 2>&1
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s > %t4 2>&1
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s > %t5 2>&1
; RUN: diff %t1 %t2 && diff %t1 %t3 && diff %t1 %t4 && diff %t1 %t5
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @det(ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %m, ptr addrspace(4) noalias %c, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %A0
A0:
  %ia0 = phi i32 [ 0, %entry ], [ %ian0, %A0 ]
  %ian0 = add i32 %ia0, 1
  %ga0 = getelementptr i32, ptr addrspace(4) %c, i32 %ia0
  %va0 = load i32, ptr addrspace(4) %ga0
  %ca0 = icmp eq i32 %va0, 0
  %d = icmp eq i32 %ia0, %t
  br i1 %d, label %A1, label %A0
A1:
  %ia1 = phi i32 [ 0, %A0 ], [ %ian1, %A1 ]
  %ian1 = add i32 %ia1, 1
  %ga1 = getelementptr i32, ptr addrspace(4) %c, i32 %ia1
  %va1 = load i32, ptr addrspace(4) %ga1
  %ca1 = icmp eq i32 %va1, 1
  br i1 %ca0, label %A2, label %A1
A2:
  %ia2 = phi i32 [ 0, %A1 ], [ %ian2, %A2 ]
  %ian2 = add i32 %ia2, 1
  %ga2 = getelementptr i32, ptr addrspace(4) %c, i32 %ia2
  %va2 = load i32, ptr addrspace(4) %ga2
  %ca2 = icmp eq i32 %va2, 2
  br i1 %ca1, label %W0, label %A2
W0:
  %iw0 = phi i32 [ 0, %A2 ], [ %iwn0, %W0 ]
  %iwn0 = add i32 %iw0, 1
  %x0 = load i32, ptr addrspace(1) %m
  %dw0 = icmp ult i32 %x0, %iw0
  br i1 %dw0, label %W1, label %W0
W1:
  %iw1 = phi i32 [ 0, %W0 ], [ %iwn1, %W1 ]
  %iwn1 = add i32 %iw1, 1
  %x1 = add i32 %iw0, 3
  %dw1 = icmp ult i32 %x1, %iw1
  br i1 %dw1, label %W2, label %W1
W2:
  %iw2 = phi i32 [ 0, %W1 ], [ %iwn2, %W2 ]
  %iwn2 = add i32 %iw2, 1
  %x2 = add i32 %iw1, 3
  %dw2 = icmp ult i32 %x2, %iw2
  br i1 %dw2, label %end, label %W2
end:
  %o0_0 = add i32 %ia0, %iw0
  %l0_0 = add i32 %o0_0, %n
  %r0_0 = add i32 %o0_0, 4
  %z0_0 = sub i32 %l0_0, %r0_0
  %o0_1 = add i32 %ia0, %iw1
  %l0_1 = add i32 %o0_1, %n
  %r0_1 = add i32 %o0_1, 4
  %z0_1 = sub i32 %l0_1, %r0_1
  %o0_2 = add i32 %ia0, %iw2
  %l0_2 = add i32 %o0_2, %n
  %r0_2 = add i32 %o0_2, 4
  %z0_2 = sub i32 %l0_2, %r0_2
  %o1_0 = add i32 %ia1, %iw0
  %l1_0 = add i32 %o1_0, %n
  %r1_0 = add i32 %o1_0, 4
  %z1_0 = sub i32 %l1_0, %r1_0
  %o1_1 = add i32 %ia1, %iw1
  %l1_1 = add i32 %o1_1, %n
  %r1_1 = add i32 %o1_1, 4
  %z1_1 = sub i32 %l1_1, %r1_1
  %o1_2 = add i32 %ia1, %iw2
  %l1_2 = add i32 %o1_2, %n
  %r1_2 = add i32 %o1_2, 4
  %z1_2 = sub i32 %l1_2, %r1_2
  %o2_0 = add i32 %ia2, %iw0
  %l2_0 = add i32 %o2_0, %n
  %r2_0 = add i32 %o2_0, 4
  %z2_0 = sub i32 %l2_0, %r2_0
  %o2_1 = add i32 %ia2, %iw1
  %l2_1 = add i32 %o2_1, %n
  %r2_1 = add i32 %o2_1, 4
  %z2_1 = sub i32 %l2_1, %r2_1
  %o2_2 = add i32 %ia2, %iw2
  %l2_2 = add i32 %o2_2, %n
  %r2_2 = add i32 %o2_2, 4
  %z2_2 = sub i32 %l2_2, %r2_2
  ret void
}
