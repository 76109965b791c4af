; Costs on another SIMT target: its address spaces, its registers, its warps. The numbers of AMD GPUs beside it come
; from the same kernels under another triple.
; RUN: %opt -passes='print<meld-cost>' -disable-output %s | FileCheck %s --check-prefixes=CHECK,NV
; RUN: sed -e 's/nvptx64-nvidia-cuda/amdgcn-amd-amdhsa/' -e 's/llvm.nvvm.read.ptx.sreg.tid.x/llvm.amdgcn.workitem.id.x/' -e 's/define void/define amdgpu_kernel void/' %s | %opt -passes='print<meld-cost>' -disable-output | FileCheck %s --check-prefixes=CHECK,AMD
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s --check-prefix=MELD
; RUN: %opt -passes='default<O3>' %s -o - | %llc -mcpu=sm_75 | FileCheck %s --check-prefix=PTX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; Shared memory (space 3) is cheaper than global (1), constant memory (4) is between.
; CHECK-LABEL: function: spaces,
; CHECK-NEXT: block %entry cycles
; CHECK-NEXT: block %shared cycles 20,
; CHECK-NEXT: block %constant cycles 26,
; CHECK-NEXT: block %global cycles 40,
define void @spaces(ptr addrspace(1) %g, ptr addrspace(3) %s, ptr addrspace(4) %c) {
entry:
  br label %shared
shared:
  %x = load volatile i32, ptr addrspace(3) %s
  %x1 = add i32 %x, 1
  %x2 = add i32 %x1, 1
  br label %constant
constant:
  %y = load volatile i32, ptr addrspace(4) %c
  %y1 = add i32 %y, 1
  %y2 = add i32 %y1, 1
  br label %global
global:
  %z = load volatile i32, ptr addrspace(1) %g
  %z1 = add i32 %z, 1
  %z2 = add i32 %z1, 1
  ret void
}

; What all threads share takes no vector register of an AMD GPU, but one of each thread of an NVIDIA GPU: here a
; pointer (2) and, behind the second addition, one integer more.
; AMD-LABEL: function: shared_by_all, peak 0 vector registers
; NV-LABEL: function: shared_by_all, peak 4 vector registers
define void @shared_by_all(ptr addrspace(1) %p, i32 %n) {
  %a = add i32 %n, 1
  %b = mul i32 %a, %n
  store i32 %b, ptr addrspace(1) %p
  ret void
}

; Registers and warps: 16,384 registers are 512 for each thread of a warp, in steps of 8; a partition of sm_75 has room
; for 8 warps, of sm_80 for 16, of sm_86 for 12. A pointer and 33 words are 35 registers, that is 40 and 12 warps; a
; pointer and 126 words are 128 and 4 warps.
; NV-LABEL: function: turing, peak 2 vector registers, 8 waves
define void @turing(ptr addrspace(1) %p) #0 {
  store i32 1, ptr addrspace(1) %p
  ret void
}
; NV-LABEL: function: ampere, peak 2 vector registers, 16 waves
define void @ampere(ptr addrspace(1) %p) #1 {
  store i32 1, ptr addrspace(1) %p
  ret void
}
; NV-LABEL: function: consumer, peak 2 vector registers, 12 waves
define void @consumer(ptr addrspace(1) %p) #2 {
  store i32 1, ptr addrspace(1) %p
  ret void
}
; NV-LABEL: function: forty, peak 35 vector registers, 12 waves
define void @forty(ptr addrspace(1) %p) #1 {
  %v = load volatile <33 x i32>, ptr addrspace(1) %p
  store <33 x i32> %v, ptr addrspace(1) %p
  ret void
}
; NV-LABEL: function: many, peak 128 vector registers, 4 waves
define void @many(ptr addrspace(1) %p) #1 {
  %v = load volatile <126 x i32>, ptr addrspace(1) %p
  store <126 x i32> %v, ptr addrspace(1) %p
  ret void
}

; A diamond in shared memory, one address to choose.
; MELD-LABEL: @diamond(
; MELD: select i1 %c, ptr addrspace(3) %p, ptr addrspace(3) %q
; MELD: store float
; MELD-NOT: store float
; PTX: .visible .func diamond(
; PTX: st.shared.{{[fb]}}32
; PTX-NOT: st.shared.{{[fb]}}32
; PTX: ret;
define void @diamond(ptr addrspace(3) %p, ptr addrspace(3) %q, float %f) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = load float, ptr addrspace(3) %p
  %a1 = fdiv float %a, %f
  store float %a1, ptr addrspace(3) %p
  br label %join
right:
  %b = load float, ptr addrspace(3) %q
  %b1 = fdiv float %b, %f
  store float %b1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
attributes #0 = { "target-cpu"="sm_75" }
attributes #1 = { "target-cpu"="sm_80" }
attributes #2 = { "target-cpu"="sm_86" }
