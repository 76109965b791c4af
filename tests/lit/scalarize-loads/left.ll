; What meld-scalarize-loads leaves, and what it says about it. Each kernel reads row y of a
; workgroup of 64 x 4, or a word that LLVM sees as uniform.
; RUN: %opt -passes=meld-scalarize-loads -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-scalarize-loads -pass-remarks-missed=meld -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare void @llvm.amdgcn.s.barrier()
declare void @outside()

; The store of another thread to the same word.
; CHECK: left %alias{{.*}}: a store before it may write there
define amdgpu_kernel void @aliasing(ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !1 {
alias:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 1, ptr addrspace(1) %q
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; CHECK: left %volatile{{.*}}: the load is volatile
define amdgpu_kernel void @is_volatile(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) {
volatile:
  %v = load volatile i32, ptr addrspace(1) %in, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK: left %after.barrier{{.*}}: another thread's store may be ordered before it
define amdgpu_kernel void @behind_barrier(ptr addrspace(1) noalias %in) !reqd_work_group_size !1 {
after.barrier:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  call void @llvm.amdgcn.s.barrier()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  %q = getelementptr i32, ptr addrspace(1) %in, i32 %x
  store i32 %v, ptr addrspace(1) %q
  ret void
}

; The first workgroup writes and sets the flag, the others wait for it: no path of one thread has a
; store before the load.
; CHECK: left %read{{.*}}: another thread's store may be ordered before it
define amdgpu_kernel void @behind_flag(ptr addrspace(1) noalias %flag, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out, i1 %first) !reqd_work_group_size !1 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %y
  br i1 %first, label %write, label %wait
write:
  store i32 7, ptr addrspace(1) %p
  store atomic i32 1, ptr addrspace(1) %flag release, align 4
  ret void
wait:
  %f = load atomic i32, ptr addrspace(1) %flag acquire, align 4
  %set = icmp eq i32 %f, 1
  br i1 %set, label %read, label %wait
read:
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; The store on one of two paths; the store at the end of the loop.
; CHECK: left %joined{{.*}}: a store before it may write there
define amdgpu_kernel void @other_path(ptr addrspace(1) %a, i1 %c) !reqd_work_group_size !1 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  br i1 %c, label %stores, label %joined
stores:
  store i32 1, ptr addrspace(1) %a
  br label %joined
joined:
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %p
  ret void
}
; CHECK: left %again{{.*}}: a store before it may write there
define amdgpu_kernel void @loop(ptr addrspace(1) %a, i1 %c) !reqd_work_group_size !1 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %y
  br label %again
again:
  %v = load i32, ptr addrspace(1) %p, align 4
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %p
  br i1 %c, label %again, label %done
done:
  ret void
}

; A callee that writes there, and one that nobody knows.
; CHECK: left %written.by.callee{{.*}}: a store before it may write there
define amdgpu_kernel void @callee(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
written.by.callee:
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  call void @fill(ptr addrspace(1) %a)
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}
define internal void @fill(ptr addrspace(1) %p) noinline {
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK: left %unknown{{.*}}: something before it may write all memory
define amdgpu_kernel void @unknown_callee(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
unknown:
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  call void @outside()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; One of the chosen objects is written.
; CHECK: left %either{{.*}}: a store before it may write there
define amdgpu_kernel void @either(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, i1 %c) !reqd_work_group_size !1 {
either:
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  store i32 3, ptr addrspace(1) %b
  %s = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
  %p = getelementptr i32, ptr addrspace(1) %s, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %b
  ret void
}

; EXEC may be empty under a divergent branch, however uniform the address.
; CHECK: left %under{{.*}}: the wave may not be together here: EXEC may be empty
define amdgpu_kernel void @divergent(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %c = icmp eq i32 %x, 3
  br i1 %c, label %under, label %done
under:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  br label %done
done:
  ret void
}

; Too small, or not aligned.
; CHECK: left %small{{.*}}: the scalar unit loads nothing below four aligned bytes
define amdgpu_kernel void @bytes(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
small:
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i8, ptr addrspace(1) %in, i32 %y
  %v = load i8, ptr addrspace(1) %p, align 1
  store i8 %v, ptr addrspace(1) %out
  ret void
}

; y is not one per wave: rows of 48 threads; rows of 32 in waves of 64.
define amdgpu_kernel void @rows_of_48(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) !reqd_work_group_size !2 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}
define amdgpu_kernel void @wave64(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) #64 !reqd_work_group_size !3 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}
attributes #64 = { "target-cpu"="gfx1030" "target-features"="+wavefrontsize64" }
!1 = !{i32 64, i32 4, i32 1}
!2 = !{i32 48, i32 4, i32 1}
!3 = !{i32 32, i32 4, i32 1}
