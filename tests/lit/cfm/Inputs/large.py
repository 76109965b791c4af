"""Writes kernels whose size is asked for.

large.py arms N: one diamond, N instructions a side that pair one by one; every tenth differs in its constant.
large.py diamonds N: N diamonds, one behind the other, on each side of a divergent branch.
"""
import sys

kind, n = sys.argv[1], int(sys.argv[2])
print('''target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @large(ptr addrspace(1) %p, i32 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right''')
for side, factor in (("left", 3), ("right", 5)):
    s = side[0]
    print(f"{side}:\n  %{s}0 = load i32, ptr addrspace(1) %q")
    if kind == "arms":
        for i in range(n):
            operation = ("mul", "xor")[i & 1]
            other = factor if i % 10 == 0 else "%k"
            print(f"  %{s}{i + 1} = {operation} i32 %{s}{i}, {other}")
    else:
        for i in range(n):
            print(f"""  %{s}c{i} = icmp ugt i32 %{s}{i}, {factor + i}
  br i1 %{s}c{i}, label %{s}a{i}, label %{s}b{i}
{s}a{i}:
  %{s}x{i} = udiv i32 {1000 * factor}, %{s}{i}
  br label %{s}j{i}
{s}b{i}:
  %{s}y{i} = mul i32 %{s}{i}, {factor}
  store volatile i32 %{s}y{i}, ptr addrspace(1) %q
  br label %{s}j{i}
{s}j{i}:
  %{s}{i + 1} = phi i32 [ %{s}x{i}, %{s}a{i} ], [ %{s}y{i}, %{s}b{i} ]""")
    print(f"  store i32 %{s}{n}, ptr addrspace(1) %q\n  br label %join")
print("join:\n  ret void\n}")
