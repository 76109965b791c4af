"""A kernel with one divergent loop of N instructions."""
import sys

n = int(sys.argv[1]) - 4  # phi, counter, comparison, branch
print('target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"')
print('target triple = "amdgcn-amd-amdhsa"')
print("declare i32 @llvm.amdgcn.workitem.id.x()")
print("define amdgpu_kernel void @long(ptr addrspace(1) %out) {")
print("entry:\n  %x = call i32 @llvm.amdgcn.workitem.id.x()\n  br label %loop")
print("loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %next = add i32 %i, 1")
for k in range(n):
    print(f"  %v{k} = xor i32 %{f'v{k - 1}' if k else 'i'}, {k}")
print("  %c = icmp ult i32 %next, %x\n  br i1 %c, label %loop, label %exit")
print(f"exit:\n  store i32 %v{n - 1}, ptr addrspace(1) %out\n  ret void\n}}")
