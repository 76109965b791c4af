; A copy of guarded code for waves that all pass an equality guard, and every reason against it.
; RUN: %opt -passes='meld-dynamic-convergence,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-dynamic-convergence' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY
; RUN: %opt -passes='meld-dynamic-convergence' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; Only by its own name.
; RUN: %opt -passes='meld-scalarize' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='meld-scalarize<passes=all>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='meld-scalarize<passes=dynamic-convergence>' -S %s | FileCheck %s
; RUN: %opt -passes='meld-scalarize<passes=dynamic-convergence;no-dynamic-convergence>' -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: ballot

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; WHY: meld-dynamic-convergence melded %entry (a copy for waves that agree): 1 blocks copied
; CHECK-LABEL: @keyed(
; CHECK: %c = icmp eq i32 %k, %key
; CHECK: %[[AGREE:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
; CHECK: %[[EXEC:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 true)
; CHECK: %[[ALL:.*]] = icmp eq i64 %[[AGREE]], %[[EXEC]]
; With EXEC empty the scalar loads of the copy must not be done.
; CHECK: %[[SOME:.*]] = icmp ne i64 %[[AGREE]], 0
; CHECK: %together = and i1 %[[ALL]], %[[SOME]]
; CHECK: br i1 %together, label %then.together, label %entry.apart
; CHECK: entry.apart:
; CHECK: br i1 %c, label %then, label %end
; CHECK: end:
; CHECK: phi i32 [ 0, %entry.apart ], [ %s, %then ], [ %[[S:.*]], %then.together ]
; CHECK: then.together:
; CHECK: getelementptr i32, ptr addrspace(1) %p, i32 %key
; ISA-LABEL: keyed:
; ISA: s_load_dword
; ISA: s_endpgm
define amdgpu_kernel void @keyed(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, ptr addrspace(1) noalias %out, i32 %key) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %k, %key
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load i32, ptr addrspace(1) %q
  %m = mul i32 %v, %k
  %s = add i32 %m, %v
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ %s, %then ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; The equal side may be the second one; the guard's opposite is asked.
; CHECK-LABEL: @unequal(
; CHECK: %[[E:.*]] = icmp eq i32 %k, 7
; CHECK: ballot.i32(i1 %[[E]])
; CHECK: ballot.i32(i1 true)
; CHECK: then.together:
; CHECK: getelementptr i32, ptr addrspace(1) %p, i32 7
define amdgpu_kernel void @unequal(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, ptr addrspace(1) noalias %out, i32 %n) #1 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp ne i32 %k, 7
  br i1 %c, label %end, label %then
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load i32, ptr addrspace(1) %q
  %m = mul i32 %k, %n
  %s = add i32 %m, %v
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %s, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; WHY: left {{.*}}: the guard is no comparison for equality: agreement makes nothing scalar
; CHECK-LABEL: @below(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @below(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, %n
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x
  store i32 1, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; WHY: left {{.*}}: neither side of the comparison is scalar
; CHECK-LABEL: @both_differ(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @both_differ(ptr addrspace(1) %p) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %x, %k
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr addrspace(1) %kp
  br label %end
end:
  ret void
}

; WHY: left {{.*}}: too little becomes scalar where the wave agrees
; CHECK-LABEL: @little(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @little(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %p, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %k, %n
  br i1 %c, label %then, label %end
then:
  %s = add i32 %k, 1
  store i32 %s, ptr addrspace(1) %kp
  br label %end
end:
  ret void
}

; WHY: left {{.*}}: the guarded code has a call or a convergent operation
; CHECK-LABEL: @with_barrier(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @with_barrier(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %k, %n
  br i1 %c, label %then, label %end
then:
  call void @llvm.amdgcn.s.barrier()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load i32, ptr addrspace(1) %q
  %m = mul i32 %v, %k
  store i32 %m, ptr addrspace(1) %kp
  br label %end
end:
  ret void
}

; WHY: left {{.*}}: the guarded code is reached from elsewhere
; CHECK-LABEL: @two_ways(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @two_ways(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %first = icmp ult i32 %x, 3
  br i1 %first, label %then, label %other
other:
  %c = icmp eq i32 %k, %n
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load i32, ptr addrspace(1) %q
  %m = mul i32 %v, %k
  store i32 %m, ptr addrspace(1) %kp
  br label %end
end:
  ret void
}

; Volatile and atomic accesses in the copy are done once, as before; they make nothing scalar.
; WHY: left {{.*}}: too little becomes scalar where the wave agrees
; CHECK-LABEL: @own_answers(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @own_answers(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %k, %n
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load volatile i32, ptr addrspace(1) %q
  %a = atomicrmw add ptr addrspace(1) %q, i32 %v monotonic
  %m = mul i32 %v, %a
  %n1 = mul i32 %m, %m
  %n2 = mul i32 %n1, %m
  store i32 %n2, ptr addrspace(1) %kp
  br label %end
end:
  ret void
}
attributes #0 = { "target-cpu"="gfx90a" }
attributes #1 = { "target-cpu"="gfx1030" "target-features"="+wavefrontsize32" }
