; What meld-affine-address leaves, and why.
; RUN: %opt -passes=meld-affine-address -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-affine-address -pass-remarks-missed=meld -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The sum may pass 2^31 and one access does not pay for a test.
; CHECK: left %wraps{{.*}}: the offset may wrap, and testing it does not pay
define amdgpu_kernel void @may_wrap(ptr addrspace(1) %a, i32 %u) #0 {
wraps:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; The scalar is not known at the entry.
; CHECK: left %late{{.*}}: the range of the lane's part is unknown: the offset may wrap
define amdgpu_kernel void @not_early(ptr addrspace(1) %a, ptr addrspace(1) noalias %b, i1 %c) #0 {
  br i1 %c, label %late, label %done
late:
  %u = load i32, ptr addrspace(1) %b
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; 2^22 * 1023 * 4 bytes do not fit in 32 bits.
; CHECK: left %large{{.*}}: the lane's part is too large: the offset may wrap
define amdgpu_kernel void @too_large(ptr addrspace(1) %a, i64 %u) #0 {
large:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %wide = zext i32 %t to i64
  %far = shl i64 %wide, 22
  %i = add i64 %far, %u
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  store i32 1, ptr addrspace(1) %p
  ret void
}

; What a lane has loaded may be anything.
; CHECK: left %loaded{{.*}}: the range of the lane's part is unknown: the offset may wrap
define amdgpu_kernel void @gather(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %u) #0 {
loaded:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %near = zext i32 %t to i64
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %near
  %x = load i32, ptr addrspace(1) %q
  %i = add nsw i32 %u, %x
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Each lane its own array.
; CHECK: left %arrays{{.*}}: the base address differs between lanes
define amdgpu_kernel void @lanes_base(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %u) #0 {
arrays:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = trunc i32 %t to i1
  %s = select i1 %odd, ptr addrspace(1) %a, ptr addrspace(1) %b
  %p = getelementptr inbounds i32, ptr addrspace(1) %s, i64 %u
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Silent: LDS, scratch, volatile, what LLVM does by itself, processors without the form, callees.
; CHECK-NOT: left
define amdgpu_kernel void @lds(ptr addrspace(3) %l, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nsw i32 %u, %t
  %p = getelementptr inbounds i32, ptr addrspace(3) %l, i32 %i
  store i32 1, ptr addrspace(3) %p
  ret void
}
define amdgpu_kernel void @scratch(i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %l = alloca [512 x i32], addrspace(5)
  %i = add nsw i32 %u, %t
  %p = getelementptr inbounds [512 x i32], ptr addrspace(5) %l, i32 0, i32 %i
  store volatile i32 1, ptr addrspace(5) %p
  ret void
}
define amdgpu_kernel void @is_volatile(ptr addrspace(1) %a, i32 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store volatile i32 1, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @by_llvm(ptr addrspace(1) %a, i64 %u) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %w = zext i32 %t to i64
  %b = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %u
  %p = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @gfx803(ptr addrspace(1) %a, i32 %u) #2 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx90a" }
attributes #1 = { "target-cpu"="gfx90a" }
attributes #2 = { "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx803" }
