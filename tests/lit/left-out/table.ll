; A function that is melded before its callers know that they call it: they find it in a table. What the optimiser later puts
; into them is changed code all the same, so any function may come to hold it; "other" does not, and is marked for nothing.
; RUN: env MELD_PLUGIN_OPTIONS='no-scalarize' %opt -passes='default<O3>' %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

@table = internal addrspace(4) constant [2 x ptr] [ptr @sides, ptr @simple]

; Which one it is, is known behind the inlining of this one.
define internal ptr @pick(i32 %which) #0 {
  %at = getelementptr [2 x ptr], ptr addrspace(4) @table, i64 0, i32 %which
  %f = load ptr, ptr addrspace(4) %at
  ret ptr %f
}

; CHECK-LABEL: @throughTable(
; CHECK: asm
; CHECK: ret void
define amdgpu_kernel void @throughTable(ptr addrspace(1) %p, i32 %a) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %q
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %e = icmp eq i32 %a, 0
  br i1 %e, label %then, label %end
then:
  %far = getelementptr i32, ptr addrspace(1) %q, i32 4096
  store i32 %x, ptr addrspace(1) %far
  br label %end
end:
  %f = call ptr @pick(i32 0)
  %y = call i32 %f(i32 %t, i32 %a)
  store i32 %y, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: @other(
; CHECK: ret void
define amdgpu_kernel void @other(ptr addrspace(1) %p, i32 %a) #0 {
  %f = call ptr @pick(i32 %a)
  %y = call i32 %f(i32 %a, i32 %a)
  store i32 %y, ptr addrspace(1) %p
  ret void
}

define internal i32 @simple(i32 %t, i32 %y) #0 {
  %z = mul i32 %t, %y
  ret i32 %z
}

define internal i32 @sides(i32 %t, i32 %y) #0 {
entry:
  %odd = and i32 %t, 1
  %e = icmp eq i32 %odd, 0
  br i1 %e, label %left, label %right
left:
  %l1 = mul i32 %y, 177
  %l2 = add i32 %l1, %t
  %l3 = mul i32 %l2, %l1
  %l4 = xor i32 %l3, %y
  %l5 = mul i32 %l4, %l2
  %l6 = add i32 %l5, 3
  br label %join
right:
  %r1 = mul i32 %t, 199
  %r2 = add i32 %r1, %y
  %r3 = mul i32 %r2, %r1
  %r4 = xor i32 %r3, %t
  %r5 = mul i32 %r4, %r2
  %r6 = add i32 %r5, 8
  br label %join
join:
  %j = phi i32 [ %l6, %left ], [ %r6, %right ]
  ret i32 %j
}

; CHECK-NOT: meld-changed
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,1024" }
