; print<meld-regions>: per conditional branch its width, the parts of both sides (a block, a region, a loop, the head of
; a region, an open end), which kind of melding fits, and what it would gain; or the reason why there is none. Parts
; and pairs are read off the control flow by hand; of the gain only what bounds it is fixed.
; RUN: %opt -passes='print<meld-regions>' -disable-output %s | FileCheck %s
; Printing changes nothing.
; RUN: %opt -passes='print<meld-regions>' -S %s 2>/dev/null | FileCheck %s --check-prefix=SAME

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier() #0

; Load, multiplication and store pair; the factors differ: one select.
; CHECK-LABEL: meld-regions for function: diamond
; CHECK-NEXT: branch %entry thread: left [%a] right [%b] -> diamond, gain {{[1-9][0-9]*}} of {{[1-9][0-9]*}} cycles ({{[0-9.]+}} %), blocks 1, paired 3, guarded runs 0, speculated 0, selects 1
; SAME-LABEL: @diamond(
; SAME-COUNT-2: store i32
define amdgpu_kernel void @diamond(ptr addrspace(3) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 11
  store i32 %x1, ptr addrspace(3) %p
  br label %join
b:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 13
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; An argument: the parts are the same, the width says that the melder will not look.
; CHECK-LABEL: meld-regions for function: argument
; CHECK-NEXT: branch %entry all: left [%a] right [%b] ->
define amdgpu_kernel void @argument(ptr addrspace(3) %p, i32 %n) {
entry:
  %c = icmp ult i32 %n, 7
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr addrspace(3) %p
  br label %join
b:
  store i32 2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Each side: a block, a region of three blocks (the right one has the sides of its branch the other way round), a
; block. The branches inside the regions have an empty side.
; CHECK-LABEL: meld-regions for function: regions
; CHECK-NEXT: branch %entry thread: left [%a] [%ac %at] [%aj] right [%b] [%bc %bt] [%bj] -> regions, gain {{[1-9]}}{{.*}} blocks 4,
; CHECK-DAG: branch %ac thread: -> one side is empty or shared
; CHECK-DAG: branch %bc thread: -> one side is empty or shared
define amdgpu_kernel void @regions(ptr addrspace(3) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  %x = load volatile i32, ptr addrspace(3) %p
  br label %ac
ac:
  %xc = icmp eq i32 %x, 5
  br i1 %xc, label %at, label %aj
at:
  store i32 1, ptr addrspace(3) %p
  br label %aj
aj:
  store i32 2, ptr addrspace(3) %p
  br label %join
b:
  %y = load volatile i32, ptr addrspace(3) %p
  br label %bc
bc:
  %yc = icmp eq i32 %y, 6
  br i1 %yc, label %bj, label %bt
bt:
  store i32 3, ptr addrspace(3) %p
  br label %bj
bj:
  store i32 4, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Both sides end in a branch to the same two blocks, which belong to neither: open ends.
; CHECK-LABEL: meld-regions for function: open_ends
; CHECK-NEXT: branch %entry thread: left [%a]... right [%b]... -> shared successors, gain {{[1-9]}}
define amdgpu_kernel void @open_ends(ptr addrspace(3) %p, ptr addrspace(3) %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = load i32, ptr addrspace(3) %p
  %y = load i32, ptr addrspace(3) %q
  %bit = and i32 %t, 4
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %b
a:
  %l = icmp sgt i32 %x, %y
  br i1 %l, label %swap, label %join
b:
  %r = icmp slt i32 %x, %y
  br i1 %r, label %swap, label %join
swap:
  store i32 %y, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; A loop is one part, with what leads to it before and what follows behind it.
; CHECK-LABEL: meld-regions for function: loops
; CHECK-NEXT: branch %entry thread: left [%a] loop[%al] [%ae] right [%b] loop[%bl] [%be] ->
define amdgpu_kernel void @loops(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  br label %al
al:
  %i = phi i32 [ 0, %a ], [ %i1, %al ]
  %ag = getelementptr i32, ptr addrspace(3) %p, i32 %i
  store i32 %i, ptr addrspace(3) %ag
  %i1 = add i32 %i, 1
  %ac = icmp ult i32 %i1, %n
  br i1 %ac, label %al, label %ae
ae:
  br label %join
b:
  br label %bl
bl:
  %j = phi i32 [ 0, %b ], [ %j1, %bl ]
  %bg = getelementptr i32, ptr addrspace(3) %q, i32 %j
  store i32 %j, ptr addrspace(3) %bg
  %j1 = add i32 %j, 1
  %bc = icmp ult i32 %j1, %m
  br i1 %bc, label %bl, label %be
be:
  br label %join
join:
  ret void
}

; The region on the left has no counterpart, but its head has: the arm is cut there. What remains of the region is the
; branch with its compare and the blocks below.
; CHECK-LABEL: meld-regions for function: heads
; CHECK-NEXT: branch %entry thread: left head[%a] [%a %at] right [%b] -> {{.*}}, gain {{[1-9]}}{{.*}}blocks 1, paired 5, guarded runs 0, speculated 0, selects 0
define amdgpu_kernel void @heads(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %k) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, %k
  %x2 = add i32 %x1, %k
  %x3 = mul i32 %x2, %x2
  store i32 %x3, ptr addrspace(3) %p
  %xc = icmp eq i32 %x3, 5
  br i1 %xc, label %at, label %join
at:
  store i32 1, ptr addrspace(3) %q
  br label %join
b:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, %k
  %y2 = add i32 %y1, %k
  %y3 = mul i32 %y2, %y2
  store i32 %y3, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Why not: barriers on both sides, an if without else, both sides the same block.
; CHECK-LABEL: meld-regions for function: barriers
; CHECK-NEXT: branch %entry thread: -> threads of one side may wait for those of the other
define amdgpu_kernel void @barriers() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  call void @llvm.amdgcn.s.barrier()
  br label %join
b:
  call void @llvm.amdgcn.s.barrier()
  br label %join
join:
  ret void
}

; CHECK-LABEL: meld-regions for function: no_else
; CHECK-NEXT: branch %entry thread: -> one side is empty or shared
define amdgpu_kernel void @no_else(ptr addrspace(3) %p) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %join
a:
  store i32 1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: meld-regions for function: same_block
; CHECK-NEXT: branch %entry thread: -> both sides are the same block
define amdgpu_kernel void @same_block() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %join, label %join
join:
  ret void
}

attributes #0 = { convergent nounwind }
