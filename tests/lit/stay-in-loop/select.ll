; What a loop computes for its exit alone, from lane masks or scalars of the loop, stays in the loop:
; machine code sinking would move it to where those hold what the last iteration left.
; RUN: %opt -passes=meld-stay-in-loop %s -S | FileCheck %s
; RUN: %opt -passes=meld-stay-in-loop %s -S | %llc -O3 -mcpu=gfx90a -stop-after=machine-sink -o - | FileCheck %s --check-prefix=SINK

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @select(
; CHECK: %x = select
; CHECK-NEXT: [[OWN:%.*]] = call i32 asm "", "=v,0"(i32 %x) [[CONVERGENT:#[0-9]+]]
; CHECK: store i32 [[OWN]]
; SINK-LABEL: name: select
; SINK: bb.1.loop:
; SINK: V_CNDMASK_B32_e64
; SINK: INLINEASM
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @select(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; The sum has the bit for its carry.
; CHECK-LABEL: @carry(
; CHECK: %x = add i32
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; SINK-LABEL: name: carry
; SINK: bb.1.loop:
; SINK: V_ADDC
; SINK: bb.2.end:
; SINK-NOT: V_ADDC
; SINK: S_ENDPGM
define amdgpu_kernel void @carry(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %z = zext i1 %c to i32
  %x = add i32 %t, %z
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; The sum of sums has it, too.
; CHECK-LABEL: @carry_of_sum(
; CHECK: %x = add i32
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; SINK-LABEL: name: carry_of_sum
; SINK: bb.1.loop:
; SINK: V_ADDC
; SINK: bb.2.end:
; SINK-NOT: V_ADDC
; SINK: S_ENDPGM
define amdgpu_kernel void @carry_of_sum(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %z = zext i1 %c to i32
  %y = add i32 %v, %z
  %x = add i32 %t, %y
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; A choice between constants is the bit as well.
; CHECK-LABEL: @carry_of_choice(
; CHECK: %x = add i32
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; SINK-LABEL: name: carry_of_choice
; SINK: bb.2.end:
; SINK-NOT: V_ADDC
; SINK-NOT: V_SUBB
; SINK: S_ENDPGM
define amdgpu_kernel void @carry_of_choice(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %z = select i1 %c, i32 1, i32 0
  %x = add i32 %t, %z
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; A product and a sum are one instruction, which reads a scalar of the loop.
; CHECK-LABEL: @contracted(
; CHECK: %x = fadd
; CHECK-NEXT: {{%.*}} = call float asm "", "=v,0"(float %x)
; SINK-LABEL: name: contracted
; SINK: bb.1.loop:
; SINK: V_FMA{{C?}}_F32
; SINK: bb.2.end:
; SINK-NOT: V_FMA{{C?}}_F32
; SINK: S_ENDPGM
define amdgpu_kernel void @contracted(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %in, float %step) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr float, ptr addrspace(1) %in, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %k = bitcast i32 %i to float
  %f = load volatile float, ptr addrspace(1) %at
  %y = fmul contract float %f, %k
  %x = fadd contract float %y, %f
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %p, i32 %t
  store float %x, ptr addrspace(1) %q
  ret void
}

; Code generation could choose between the numbers of eight bits a second time, for the exit.
; CHECK-LABEL: @narrow(
; CHECK: [[OWN:%.*]] = call i32 asm "", "=v,0"(i32
; CHECK: trunc i32 [[OWN]] to i8
; SINK-LABEL: name: narrow
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @narrow(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i8 -3, i8 9
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i8, ptr addrspace(1) %p, i32 %t
  store i8 %x, ptr addrspace(1) %q
  ret void
}

; A double becomes a half by choices.
; CHECK-LABEL: @half(
; CHECK: %x = fptrunc double
; CHECK: {{%.*}} = call i32 asm "", "=v,0"(i32
; SINK-LABEL: name: half
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @half(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %in) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr double, ptr addrspace(1) %in, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %f = load volatile double, ptr addrspace(1) %at
  %x = fptrunc double %f to half
  %bits = bitcast half %x to i16
  %wide = zext i16 %bits to i32
  %next = add i32 %i, 1
  %high = lshr i32 %t, 10
  %none = and i32 %wide, %high
  %limit = or i32 %none, %t
  %d = icmp ult i32 %next, %limit
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr half, ptr addrspace(1) %p, i32 %t
  store half %x, ptr addrspace(1) %q
  ret void
}

; And the difference.
; CHECK-LABEL: @borrow(
; CHECK: %x = sub i32
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; SINK-LABEL: name: borrow
; SINK: bb.1.loop:
; SINK: V_SUBB
; SINK: bb.2.end:
; SINK-NOT: V_SUBB
; SINK: S_ENDPGM
define amdgpu_kernel void @borrow(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %z = zext i1 %c to i32
  %x = sub i32 %t, %z
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; A choice by the bit.
; CHECK-LABEL: @masked(
; CHECK: %x = and i32
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; SINK-LABEL: name: masked
; SINK: bb.1.loop:
; SINK: V_CNDMASK
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @masked(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %z = sext i1 %c to i32
  %x = and i32 %t, %z
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; Through others that only the exit needs: the last of them is kept.
; CHECK-LABEL: @chain(
; CHECK-NOT: asm
; CHECK: %s = add
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %s)
; CHECK-NOT: asm
; SINK-LABEL: name: chain
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @chain(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias readonly %in, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %y = mul i32 %x, %t
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %z = load i32, ptr addrspace(1) %at
  %s = add i32 %z, %t
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %s, ptr addrspace(1) %q
  ret void
}

; A uniform value of the loop: its scalar register holds the last iteration's.
; CHECK-LABEL: @counter(
; CHECK: %x = add i32 %t, %i
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
define amdgpu_kernel void @counter(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = add i32 %t, %i
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; A division is made of compares and selects, some of which others in the loop may share.
; CHECK-LABEL: @division(
; CHECK: %x = sdiv i32 %w, %t
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; CHECK-NEXT: %y = extractelement <4 x i32> %many, i32 %w
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %y)
; CHECK-NEXT: %z = fptosi double %b to i64
; CHECK-NEXT: {{%.*}} = call i64 asm "", "=v,0"(i64 %z)
; CHECK-NEXT: %sum = add i32 %w, %t
; CHECK-NOT: asm
define amdgpu_kernel void @division(ptr addrspace(1) %p, <4 x i32> %four, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %many = insertelement <4 x i32> %four, i32 %t, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %b = uitofp i32 %w to double
  %x = sdiv i32 %w, %t
  %y = extractelement <4 x i32> %many, i32 %w
  %z = fptosi double %b to i64
  %sum = add i32 %w, %t
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  %q2 = getelementptr i32, ptr addrspace(1) %q, i32 %n
  store i32 %y, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %q2, i32 %n
  store i64 %z, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %q3, i32 %n
  store i32 %sum, ptr addrspace(1) %q4
  ret void
}

; Handed on to the next iteration, which may turn out not to need it.
; CHECK-LABEL: @carried(
; CHECK: %x = select
; CHECK-NEXT: call void asm "", "v"(i32 %x)
define amdgpu_kernel void @carried(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %x, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; The loop uses the first element, the exit both: the second would be moved alone.
; CHECK-LABEL: @vector(
; CHECK: %pair = insertelement
; CHECK-NEXT: {{%.*}} = call <2 x i32> asm "", "=v,0"(<2 x i32> %pair)
define amdgpu_kernel void @vector(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %first, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x1 = select i1 %c, i32 %t, i32 %v
  %one = insertelement <2 x i32> poison, i32 %w, i32 0
  %pair = insertelement <2 x i32> %one, i32 %x1, i32 1
  %first = extractelement <2 x i32> %pair, i32 0
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr <2 x i32>, ptr addrspace(1) %p, i32 %t
  store <2 x i32> %pair, ptr addrspace(1) %q
  ret void
}

; Other types, each in what a register holds, and the code generator takes them.
; CHECK-LABEL: @types(
; CHECK-DAG: asm "", "=v,0"(i64 %long)
; CHECK-DAG: asm "", "=v,0"(double %double)
; CHECK-DAG: asm "", "=v,0"(ptr addrspace(1) %pointer)
; CHECK-DAG: asm "", "=v,0"(ptr addrspace(3) %near)
; CHECK-DAG: [[SHORT:%.*]] = zext i16 %short to i32
; CHECK-DAG: asm "", "=v,0"(i32 [[SHORT]])
; CHECK-DAG: [[BYTE:%.*]] = zext i8 %byte to i32
; CHECK-DAG: asm "", "=v,0"(i32 [[BYTE]])
; CHECK-COUNT-3: extractelement <3 x i32> {{.*}}, i64
; SINK-LABEL: name: types
define amdgpu_kernel void @types(ptr addrspace(1) %p, i64 %a, double %b, half %h, <3 x i32> %three, ptr addrspace(3) %l) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %ts = trunc i32 %t to i16
  %tb = trunc i32 %t to i8
  %near1 = getelementptr i32, ptr addrspace(3) %l, i32 %t
  %far1 = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %many = insertelement <3 x i32> %three, i32 %t, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, 1000
  %long = select i1 %c, i64 %a, i64 3
  %double = select i1 %c, double %b, double 1.0
  %pointer = select i1 %c, ptr addrspace(1) %far1, ptr addrspace(1) %p
  %near = select i1 %c, ptr addrspace(3) %near1, ptr addrspace(3) %l
  %short = select i1 %c, i16 %ts, i16 9
  %byte = select i1 %c, i8 %tb, i8 9
  %half = select i1 %c, half %h, half 0xH3C00
  %vector = select i1 %c, <3 x i32> %many, <3 x i32> %three
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  store i64 %long, ptr addrspace(1) %pointer
  store double %double, ptr addrspace(3) %near
  %q2 = getelementptr i16, ptr addrspace(1) %p, i32 %t
  store i16 %short, ptr addrspace(1) %q2
  %q3 = getelementptr i8, ptr addrspace(1) %q2, i32 7
  store i8 %byte, ptr addrspace(1) %q3
  %q4 = getelementptr half, ptr addrspace(1) %q2, i32 7
  store half %half, ptr addrspace(1) %q4
  %q5 = getelementptr half, ptr addrspace(1) %q2, i32 32
  store <3 x i32> %vector, ptr addrspace(1) %q5
  ret void
}

; As it is: a mask from before the loop.
; CHECK-LABEL: @before(
; CHECK-NOT: asm
define amdgpu_kernel void @before(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, %a
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %x = select i1 %c, i32 %t, i32 %v
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; As they are: lanes that leave together, a bit (its lanes are collected in the loop anyway).
; CHECK-LABEL: @together(
; CHECK-NOT: asm
define amdgpu_kernel void @together(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %b
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; What the loop needs some bits of, code generation takes apart: another select is used there.
; CHECK-LABEL: @needed(
; CHECK: %x = select
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 %x)
; CHECK-NOT: asm
define amdgpu_kernel void @needed(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %u, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %u = xor i32 %x, %t
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; Handed on by one phi after the other, which go away where a branch always goes one way.
; CHECK-LABEL: @by_phis(
; CHECK-NOT: asm
; CHECK: %z = phi
; CHECK-NEXT: [[LAST:%.*]] = call i32 asm "", "=v,0"(i32 %z) [[CONVERGENT]]
; CHECK: store i32 [[LAST]]
define amdgpu_kernel void @by_phis(ptr addrspace(1) %p, i32 %a, i1 %f, i1 %g) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join2 ]
  %v = phi i32 [ 0, %entry ], [ %w, %join2 ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  br i1 %f, label %then, label %join
then:
  %x = select i1 %c, i32 %t, i32 %v
  br label %join
join:
  %y = phi i32 [ %x, %then ], [ 7, %loop ]
  br i1 %g, label %then2, label %join2
then2:
  br label %join2
join2:
  %z = phi i32 [ %y, %join ], [ 5, %then2 ]
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %z, ptr addrspace(1) %q
  ret void
}

; A phi of what the last iteration handed on stays one; a number of the wave is none of lanes.
; CHECK-LABEL: @handed_on(
; CHECK-NOT: asm
define amdgpu_kernel void @handed_on(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %x = mul i32 %i, %a
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %v
  store i32 %x, ptr addrspace(1) %q
  ret void
}

; Two phis that the next iteration takes: what is put behind one stands behind both.
; CHECK-LABEL: @two_phis(
; CHECK: %x = phi
; CHECK-NEXT: %y = phi
; CHECK-DAG: call void asm "", "v"(i32 %x)
; CHECK-DAG: call void asm "", "v"(i32 %y)
; SINK-LABEL: name: two_phis
define amdgpu_kernel void @two_phis(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  %v = phi i32 [ 0, %entry ], [ %x, %join ]
  %w = phi i32 [ 1, %entry ], [ %y, %join ]
  %c = icmp ult i32 %v, %t
  br i1 %c, label %then, label %join
then:
  %x1 = add i32 %v, %i
  %y1 = add i32 %w, %i
  br label %join
join:
  %x = phi i32 [ %x1, %then ], [ %t, %loop ]
  %y = phi i32 [ %y1, %then ], [ %w, %loop ]
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %z = mul i32 %x, %y
  store i32 %z, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: @bit(
; CHECK-NOT: asm
define amdgpu_kernel void @bit(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = phi i32 [ 0, %entry ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %e = icmp ult i32 %w, %b
  %x = and i1 %c, %e
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %y = zext i1 %x to i32
  store i32 %y, ptr addrspace(1) %q
  ret void
}

; One mask chooses between both fields of two structures, of which the loop needs one.
; CHECK-LABEL: @structures(
; CHECK: %s = select i1 %k, { i32, i1 } %a, { i32, i1 } %b
; CHECK-NEXT: [[OLD:%.*]] = extractvalue { i32, i1 } %s, 0
; CHECK-NEXT: [[OWN:%.*]] = call i32 asm "", "=v,0"(i32 [[OLD]]) [[CONVERGENT]]
; CHECK-NEXT: insertvalue { i32, i1 } poison, i32 [[OWN]], 0
; SINK-LABEL: name: structures
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @structures(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %m) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %u = getelementptr i32, ptr addrspace(1) %p, i32 1000
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %q = load volatile i32, ptr addrspace(1) %p
  %k = icmp slt i32 %q, %m
  %a = cmpxchg ptr addrspace(1) %p, i32 %i, i32 %t seq_cst seq_cst
  %b = cmpxchg ptr addrspace(1) %u, i32 %i, i32 %t seq_cst seq_cst
  %s = select i1 %k, { i32, i1 } %a, { i32, i1 } %b
  %ok = extractvalue { i32, i1 } %s, 1
  %next = add i32 %i, 1
  br i1 %ok, label %end, label %loop
end:
  %old = extractvalue { i32, i1 } %s, 0
  %r = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %old, ptr addrspace(1) %r
  ret void
}

; A shift of 128 bits chooses between words by masks; the loop needs one of its words.
; CHECK-LABEL: @shift(
; CHECK: %s = shl i128
; CHECK-COUNT-4: call i32 asm "", "=v,0"(i32
; SINK-LABEL: name: shift
; SINK: bb.2.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @shift(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i128, ptr addrspace(1) %in, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load volatile i128, ptr addrspace(1) %p
  %n = load volatile i32, ptr addrspace(1) %p
  %wide = zext i32 %n to i128
  %s = shl i128 %v, %wide
  %low = trunc i128 %s to i32
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %low
  br i1 %d, label %loop, label %end
end:
  %r = getelementptr i128, ptr addrspace(1) %out, i32 %t
  store i128 %s, ptr addrspace(1) %r
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()

; A cycle of two entries becomes a loop in code generation.
; CHECK-LABEL: @irreducible(
; CHECK: [[LAST:%.*]] = extractelement <2 x i32> %s, i32 0
; CHECK-NEXT: {{%.*}} = call i32 asm "", "=v,0"(i32 [[LAST]]) [[CONVERGENT]]
; SINK-LABEL: name: irreducible
; SINK: INLINEASM
; SINK: bb.{{[0-9]+}}.end:
; SINK-NOT: V_CNDMASK
; SINK: S_ENDPGM
define amdgpu_kernel void @irreducible(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %pt = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %w = icmp slt i32 %n, %m
  br i1 %w, label %A, label %B
A:
  %i = phi i32 [ 0, %entry ], [ %j1, %B ]
  %i1 = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 5, %entry ], [ %i1, %A ]
  %q = load volatile <2 x i32>, ptr addrspace(1) %pt
  %r = load volatile <2 x i32>, ptr addrspace(1) %pt
  %q0 = extractelement <2 x i32> %q, i32 0
  %k = icmp slt i32 %q0, %m
  %s = select i1 %k, <2 x i32> %q, <2 x i32> %r
  %s1 = extractelement <2 x i32> %s, i32 1
  %s0 = extractelement <2 x i32> %s, i32 0
  %j1 = add i32 %j, 1
  %d = icmp ult i32 %j1, %s1
  br i1 %d, label %A, label %end
end:
  store i32 %s0, ptr addrspace(1) %po
  ret void
}

; What an inner loop computes for the outer one.
; CHECK-LABEL: @nested(
; CHECK: %x = select
; CHECK-NEXT: [[INNER:%.*]] = call i32 asm "", "=v,0"(i32 %x) [[CONVERGENT]]
; CHECK-NOT: asm
; CHECK: store volatile i32 [[INNER]]
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @nested(ptr addrspace(1) %p, i32 %a, i32 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  br label %outer
outer:
  %o = phi i32 [ 0, %entry ], [ %on, %behind ]
  br label %loop
loop:
  %i = phi i32 [ 0, %outer ], [ %next, %loop ]
  %v = phi i32 [ 0, %outer ], [ %w, %loop ]
  %w = add i32 %v, %t
  %c = icmp ult i32 %w, %a
  %x = select i1 %c, i32 %t, i32 %v
  %next = add i32 %i, 1
  %d = icmp ult i32 %next, %t
  br i1 %d, label %loop, label %behind
behind:
  store volatile i32 %x, ptr addrspace(1) %q
  %on = add i32 %o, 1
  %e = icmp ult i32 %on, %b
  br i1 %e, label %outer, label %end
end:
  ret void
}

; CHECK: attributes [[CONVERGENT]] = { convergent nounwind {{readnone|memory\(none\)}} }
