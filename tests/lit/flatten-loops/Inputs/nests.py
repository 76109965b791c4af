"""Nests in a row, each with a step of `operations` instructions: nests.py COUNT OPERATIONS"""

import sys

count, operations = int(sys.argv[1]), int(sys.argv[2])
print("""target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer0""")
for n in range(count):
    before = "entry" if n == 0 else f"latch{n - 1}"
    behind = "exit" if n == count - 1 else f"outer{n + 1}"
    chain = "\n".join(f"  %x{n}.{k + 1} = xor i32 %x{n}.{k}, {k + 2}" for k in range(operations))
    print(f"""outer{n}:
  %i{n} = phi i32 [ 0, %{before} ], [ %i{n}.next, %latch{n} ]
  br label %inner{n}
inner{n}:
  %j{n} = phi i32 [ 0, %outer{n} ], [ %j{n}.next, %inner{n} ]
  %x{n}.0 = add i32 %j{n}, %tid
{chain}
  store i32 %x{n}.{operations}, ptr addrspace(1) %p
  %j{n}.next = add i32 %j{n}, 1
  %more{n} = icmp slt i32 %j{n}.next, %tid
  br i1 %more{n}, label %inner{n}, label %latch{n}
latch{n}:
  %i{n}.next = add i32 %i{n}, 1
  %again{n} = icmp slt i32 %i{n}.next, 9
  br i1 %again{n}, label %outer{n}, label %{behind}""")
print("exit:\n  ret void\n}")
