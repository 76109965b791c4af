; What meld-multiply-add-address leaves, and why.
; RUN: %opt -passes=meld-multiply-add-address -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-multiply-add-address -pass-remarks-missed=meld -disable-output %s 2>&1 | FileCheck %s --implicit-check-not=" left "

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; One address saves 8 cycles.
; CHECK: address left %one{{.*}}: the kernel would save less than another schedule may lose
define amdgpu_kernel void @one(ptr addrspace(1) %a, i32 %u) #0 {
one:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Four arrays: shift and sums 60 cycles, multiply-adds 64.
; CHECK: address left %many{{.*}}: the multiply-adds would cost more than shift and sums
define amdgpu_kernel void @many(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr addrspace(1) %d, i32 %u) #0 {
many:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  %r = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %w
  %s = getelementptr inbounds i32, ptr addrspace(1) %d, i64 %w
  store i32 1, ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %q
  store i32 1, ptr addrspace(1) %r
  store i32 1, ptr addrspace(1) %s
  ret void
}

; Something else needs the extended index: it stays, and sums alone are cheaper.
; CHECK: address left %shared{{.*}}: the multiply-adds would cost more than shift and sums
define amdgpu_kernel void @also_used(ptr addrspace(1) %a, i32 %u, i64 %x) #0 {
shared:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %w
  store i64 %w, ptr addrspace(1) %p
  ret void
}

; The offset fits into 32 bits: code generation finds the scalar base by itself.
define amdgpu_kernel void @fits(ptr addrspace(1) %a) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %w = zext i32 %t to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; LLVM multiplies by what is no power of two.
define amdgpu_kernel void @twenty(ptr addrspace(1) %a, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds [5 x i32], ptr addrspace(1) %a, i64 %w, i64 0
  store i32 1, ptr addrspace(1) %p
  ret void
}

; LDS addresses have 32 bits.
define amdgpu_kernel void @lds(ptr addrspace(3) %a, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %p = getelementptr inbounds i32, ptr addrspace(3) %a, i32 %i
  store i32 1, ptr addrspace(3) %p
  ret void
}

; A flat pointer: code generation may find out that it is one to LDS.
define amdgpu_kernel void @flat(ptr %a, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %w
  store i32 1, ptr %p
  ret void
}

; The same in all lanes: the scalar unit has it.
define amdgpu_kernel void @uniform(ptr addrspace(1) %a, i32 %u) #0 {
  %w = sext i32 %u to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; 64 bits of index: nothing multiplies them in one instruction.
define amdgpu_kernel void @wide(ptr addrspace(1) %a, ptr addrspace(1) %b) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
  %x = zext i32 %t to i64
  %o = getelementptr inbounds i64, ptr addrspace(1) %b, i64 %x
  %w = load i64, ptr addrspace(1) %o
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; It advances with the loop: LLVM adds the step to the address.
define amdgpu_kernel void @advances(ptr addrspace(1) %a, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %0 ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  %next = add nsw i32 %i, 64
  %c = icmp slt i32 %next, %u
  br i1 %c, label %loop, label %done
done:
  ret void
}

; What a loop begins with is shifted for the loop anyway.
; CHECK: address left %start{{.*}}: the multiply-adds would cost more than shift and sums
define amdgpu_kernel void @starts(ptr addrspace(1) %a, i32 %u) #0 {
start:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = mul i32 %t, %u
  %w0 = sext i32 %x to i64
  %p0 = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w0
  store i32 2, ptr addrspace(1) %p0
  br label %loop
loop:
  %i = phi i32 [ %x, %start ], [ %next, %loop ]
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  %next = add nsw i32 %i, 64
  %c = icmp slt i32 %next, %u
  br i1 %c, label %loop, label %done
done:
  ret void
}

; Other machines: waves may have 32 lanes, or a shifted index is added in one instruction.
define amdgpu_kernel void @gfx1030(ptr addrspace(1) %a, i32 %u) #1 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @gfx940(ptr addrspace(1) %a, i32 %u) #2 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @gfx942_and_gfx950(ptr addrspace(1) %a, i32 %u) #3 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

!0 = !{i32 0, i32 1024}
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { "target-cpu"="gfx1030" }
attributes #2 = { "target-cpu"="gfx940" }
attributes #3 = { "target-cpu"="gfx9-4-generic" }
