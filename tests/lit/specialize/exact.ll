; Folding must not give other bits than the machine. LLVM computes a square root of a constant exactly, the machine does not.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare float @llvm.sqrt.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.setreg(i32, i32)

; CHECK-LABEL: @root(
; CHECK: fcmp ogt float %x, 0.0
; WHY: computed in another way
define amdgpu_kernel void @root(ptr addrspace(1) %p, float %x) "meld-facts"="argument 8 4 0x40000000" {
  %c = fcmp ogt float %x, 0.0
  %r = call float @llvm.sqrt.f32(float %x)
  %s = select i1 %c, float %r, float 0.0
  store float %s, ptr addrspace(1) %p
  ret void
}

; Once the loop is unrolled each root has a constant in it.
; CHECK-LABEL: @roots(
; CHECK: icmp ult i32 %next, %n
; WHY: computed in another way
define amdgpu_kernel void @roots(ptr addrspace(1) %p, i32 %n) "meld-facts"="argument 8 4 0x4" {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %next = add i32 %i, 1
  %f = uitofp i32 %i to float
  %r = call float @llvm.sqrt.f32(float %f)
  %q = getelementptr float, ptr addrspace(1) %p, i32 %i
  store float %r, ptr addrspace(1) %q
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %out
out:
  ret void
}

; Of something that was read: nobody can fold it. Products and sums are the same everywhere.
; CHECK-LABEL: @of_data(
; CHECK: fcmp ogt float 2.000000e+00, 0.000000e+00
; CHECK: fcmp ogt float 2.000000e+00, 0.000000e+00
define amdgpu_kernel void @of_data(ptr addrspace(1) %p, float %x) "meld-facts"="argument 8 4 0x40000000" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr float, ptr addrspace(1) %p, i32 %t
  %v = load float, ptr addrspace(1) %q
  %twice = call float @llvm.fma.f32(float %x, float %x, float 1.0)
  %y = fmul float %v, %twice
  %r = call float @llvm.sqrt.f32(float %y)
  %c = fcmp ogt float 2.0, 0.0
  %k = fcmp ogt float %x, 0.0
  %s = select i1 %c, float %r, float 0.0
  %u = select i1 %k, float %s, float 1.0
  store float %u, ptr addrspace(1) %q
  ret void
}

; Denormals are taken for 0: x * 1 is not x then.
; CHECK-LABEL: @flushed(
; CHECK: fcmp ogt float %x, 0.0
; WHY: computed in another way
define amdgpu_kernel void @flushed(ptr addrspace(1) %p, float %x) "denormal-fp-math-f32"="preserve-sign,preserve-sign" "meld-facts"="argument 8 4 0x3f800000" {
  %v = load float, ptr addrspace(1) %p
  %y = fmul float %v, %x
  %k = fcmp ogt float %x, 0.0
  %u = select i1 %k, float %y, float 1.0
  store float %u, ptr addrspace(1) %p
  ret void
}

; Another rounding mode.
; CHECK-LABEL: @rounds(
; CHECK: fcmp ogt float %x, 0.0
; WHY: computed in another way
define amdgpu_kernel void @rounds(ptr addrspace(1) %p, float %x) "meld-facts"="argument 8 4 0x3f800001" {
  call void @llvm.amdgcn.s.setreg(i32 2049, i32 1)
  %y = fadd float %x, 3.0
  %k = fcmp ogt float %x, 0.0
  %u = select i1 %k, float %y, float 1.0
  store float %u, ptr addrspace(1) %p
  ret void
}

; Only what would be folded is left out: %n decides, %x stays.
; CHECK-LABEL: @partly(
; CHECK: icmp sgt i32 3, 0
; CHECK: call float @llvm.sqrt.f32(float %x)
define amdgpu_kernel void @partly(ptr addrspace(1) %p, float %x, i32 %n) "meld-facts"="argument 8 4 0x40000000; argument 12 4 0x3" {
  %c = icmp sgt i32 %n, 0
  %k = fcmp ogt float %x, 1.0
  %r = call float @llvm.sqrt.f32(float %x)
  %s = select i1 %c, float %r, float 4.0
  %u = select i1 %k, float %s, float 2.0
  store float %u, ptr addrspace(1) %p
  ret void
}

; Stored and read again; and from a table.
; CHECK-LABEL: @through_memory(
; CHECK: fcmp ogt float %x, 1.0
define amdgpu_kernel void @through_memory(ptr addrspace(1) %p, ptr addrspace(1) %q, float %x) "meld-facts"="argument 16 4 0x40000000" {
  store float %x, ptr addrspace(1) %p
  %v = load float, ptr addrspace(1) %q
  %r = call float @llvm.sqrt.f32(float %v)
  %k = fcmp ogt float %x, 1.0
  %u = select i1 %k, float %r, float 2.0
  store float %u, ptr addrspace(1) %q
  ret void
}

@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
; CHECK-LABEL: @from_table(
; CHECK: icmp sgt i32 %n, 0
define amdgpu_kernel void @from_table(ptr addrspace(1) %p, i32 %n) "meld-facts"="argument 8 4 0x2" {
  %at = getelementptr [4 x float], ptr addrspace(4) @table, i32 0, i32 %n
  %v = load float, ptr addrspace(4) %at
  %r = call float @llvm.sqrt.f32(float %v)
  %k = icmp sgt i32 %n, 0
  %u = select i1 %k, float %r, float 2.0
  store float %u, ptr addrspace(1) %p
  ret void
}
; A quotient of what is known alone; one of data by it is the machine's.
; CHECK-LABEL: @quotients(
; CHECK: fdiv float 3.0{{.*}}, %x
define amdgpu_kernel void @quotients(ptr addrspace(1) %p, float %x) "meld-facts"="argument 8 4 0x40400000" {
  %v = fdiv float 3.0, %x
  store float %v, ptr addrspace(1) %p
  ret void
}

; What does not run where the facts hold may be folded to anything: an option that is off, by itself, as half of a condition,
; and as a case.
; CHECK-LABEL: @off(
; CHECK: icmp ne i32 0, 0
define amdgpu_kernel void @off(ptr addrspace(1) %p, i32 %root, i32 %kind) "meld-facts"="argument 8 4 0x0; argument 12 4 0x2" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %first = icmp eq i32 %x, 0
  %has = icmp ne i32 %root, 0
  %both = select i1 %first, i1 %has, i1 false
  br i1 %both, label %rooted, label %next
rooted:
  %r = call float @llvm.sqrt.f32(float 2.0)
  store float %r, ptr addrspace(1) %p
  br label %next
next:
  switch i32 %kind, label %out [ i32 1, label %one
                                 i32 2, label %two ]
one:
  %o = call float @llvm.sqrt.f32(float 3.0)
  store float %o, ptr addrspace(1) %p
  br label %out
two:
  store float 1.0, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; The same option, on.
; CHECK-LABEL: @on(
; CHECK: icmp ne i32 %root, 0
; WHY: computed in another way
define amdgpu_kernel void @on(ptr addrspace(1) %p, i32 %root) "meld-facts"="argument 8 4 0x1" {
  %has = icmp ne i32 %root, 0
  br i1 %has, label %rooted, label %out
rooted:
  %r = call float @llvm.sqrt.f32(float 2.0)
  store float %r, ptr addrspace(1) %p
  br label %out
out:
  ret void
}

; x > -0.0 ? x : -0.0 would be a maximum: of 0.0 and -0.0 the machine's is 0.0, and this one is -0.0.
; CHECK-LABEL: @limit_of_minus_zero(
; CHECK: fcmp ogt double %x, %limit
; CHECK: fcmp olt double %limit, 1.0
define amdgpu_kernel void @limit_of_minus_zero(ptr addrspace(1) %p, double %limit) "meld-facts"="argument 8 4 0x0; argument 12 4 0x80000000" {
  %x = load double, ptr addrspace(1) %p
  %k = fcmp ogt double %x, %limit
  %s = select i1 %k, double %x, double %limit
  %small = fcmp olt double %limit, 1.0
  %t = select i1 %small, double %s, double 3.0
  store double %t, ptr addrspace(1) %p
  ret void
}

; The same of an integer's value, and by branches.
; CHECK-LABEL: @limit_of_a_count(
; CHECK: sitofp i32 %n to float
; CHECK: icmp slt i32 %n, 5
define amdgpu_kernel void @limit_of_a_count(ptr addrspace(1) %p, i32 %n) "meld-facts"="argument 8 4 0x0" {
entry:
  %x = load float, ptr addrspace(1) %p
  %limit = sitofp i32 %n to float
  %k = fcmp olt float %x, %limit
  br i1 %k, label %end, label %other
other:
  br label %end
end:
  %s = phi float [ %x, %entry ], [ %limit, %other ]
  %small = icmp slt i32 %n, 5
  %t = select i1 %small, float %s, float 3.0
  store float %t, ptr addrspace(1) %p
  ret void
}

; What is not 0 may be a limit.
; CHECK-LABEL: @limit_of_two(
; CHECK: fcmp ogt double %x, 2.000000e+00
; CHECK-NOT: %limit
; CHECK: ret void
define amdgpu_kernel void @limit_of_two(ptr addrspace(1) %p, double %limit) "meld-facts"="argument 8 4 0x0; argument 12 4 0x40000000" {
  %x = load double, ptr addrspace(1) %p
  %k = fcmp ogt double %x, %limit
  %s = select i1 %k, double %x, double %limit
  %small = fcmp olt double %limit, 1.0
  %t = select i1 %small, double %s, double 3.0
  %u = select i1 %k, double %t, double %s
  store double %u, ptr addrspace(1) %p
  ret void
}
