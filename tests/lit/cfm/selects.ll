; A select of every type that can differ between the sides, and what no select may be made of.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; Right without our own verifier behind it, which would put a wrong melding back: opt's has the last word.
; RUN: %opt -passes='meld-cfm<no-verify>' -disable-output %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx900 -o /dev/null
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx1030 -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; i1
; CHECK-LABEL: @of_i1(
; CHECK: select i1 %c, i1 %a, i1 %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_i1(ptr addrspace(3) %p, i1 %a, i1 %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze i1 %a
  store i1 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze i1 %b
  store i1 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; i8
; CHECK-LABEL: @of_i8(
; CHECK: select i1 %c, i8 %a, i8 %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_i8(ptr addrspace(3) %p, i8 %a, i8 %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze i8 %a
  store i8 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze i8 %b
  store i8 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; i16
; CHECK-LABEL: @of_i16(
; CHECK: select i1 %c, i16 %a, i16 %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_i16(ptr addrspace(3) %p, i16 %a, i16 %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze i16 %a
  store i16 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze i16 %b
  store i16 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; i64
; CHECK-LABEL: @of_i64(
; CHECK: select i1 %c, i64 %a, i64 %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_i64(ptr addrspace(3) %p, i64 %a, i64 %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze i64 %a
  store i64 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze i64 %b
  store i64 %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; half
; CHECK-LABEL: @of_half(
; CHECK: select i1 %c, half %a, half %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_half(ptr addrspace(3) %p, half %a, half %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze half %a
  store half %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze half %b
  store half %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; double
; CHECK-LABEL: @of_double(
; CHECK: select i1 %c, double %a, double %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_double(ptr addrspace(3) %p, double %a, double %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze double %a
  store double %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze double %b
  store double %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A vector of four words: four selects in the machine code, charged as such.
; CHECK-LABEL: @of_vector(
; CHECK: select i1 %c, <4 x i32> %a, <4 x i32> %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_vector(ptr addrspace(3) %p, <4 x i32> %a, <4 x i32> %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = mul <4 x i32> %a, %a
  store <4 x i32> %l, ptr addrspace(3) %p
  br label %join
right:
  %r = mul <4 x i32> %b, %b
  store <4 x i32> %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A packed vector.
; CHECK-LABEL: @of_short_vector(
; CHECK: select i1 %c, <2 x half> %a, <2 x half> %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_short_vector(ptr addrspace(3) %p, <2 x half> %a, <2 x half> %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = fadd <2 x half> %a, %a
  store <2 x half> %l, ptr addrspace(3) %p
  br label %join
right:
  %r = fadd <2 x half> %b, %b
  store <2 x half> %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A first-class struct.
; CHECK-LABEL: @of_struct(
; CHECK: select i1 %c, { i32, float } %a, { i32, float } %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_struct(ptr addrspace(3) %p, { i32, float } %a, { i32, float } %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze { i32, float } %a
  store { i32, float } %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze { i32, float } %b
  store { i32, float } %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; An array.
; CHECK-LABEL: @of_array(
; CHECK: select i1 %c, [2 x i32] %a, [2 x i32] %b
; CHECK-NOT: store
; CHECK: store
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @of_array(ptr addrspace(3) %p, [2 x i32] %a, [2 x i32] %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = freeze [2 x i32] %a
  store [2 x i32] %l, ptr addrspace(3) %p
  br label %join
right:
  %r = freeze [2 x i32] %b
  store [2 x i32] %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Positions in a struct cannot be selected: two.
; CHECK-LABEL: @struct_positions(
; CHECK-COUNT-2: extractvalue
; CHECK-NOT: extractvalue
; CHECK: ret void
define amdgpu_kernel void @struct_positions(ptr addrspace(3) %p, { i32, i32 } %a) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = extractvalue { i32, i32 } %a, 0
  %l1 = mul i32 %l, %l
  %l2 = mul i32 %l1, %l
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %r = extractvalue { i32, i32 } %a, 1
  %r1 = mul i32 %r, %r
  %r2 = mul i32 %r1, %r
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Nor those of an insertion.
; CHECK-LABEL: @inserted_positions(
; CHECK-COUNT-2: insertvalue
; CHECK-NOT: insertvalue
; CHECK: ret void
define amdgpu_kernel void @inserted_positions(ptr addrspace(3) %p, { i32, i32 } %a) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = insertvalue { i32, i32 } %a, i32 %tid, 0
  store { i32, i32 } %l, ptr addrspace(3) %p
  br label %join
right:
  %r = insertvalue { i32, i32 } %a, i32 %tid, 1
  store { i32, i32 } %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Address arithmetic in different element types: two.
; CHECK-LABEL: @element_types(
; CHECK-COUNT-2: getelementptr
; CHECK-NOT: getelementptr
; CHECK: ret void
define amdgpu_kernel void @element_types(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = getelementptr i32, ptr addrspace(3) %p, i32 %tid
  store i32 1, ptr addrspace(3) %l
  br label %join
right:
  %r = getelementptr i64, ptr addrspace(3) %p, i32 %tid
  store i32 2, ptr addrspace(3) %r
  br label %join
join:
  ret void
}

; Fields of a struct: their indices are not selected; what stands around them is melded.
; CHECK-LABEL: @struct_fields(
; CHECK: load i32
; CHECK-NOT: load
; CHECK-COUNT-2: getelementptr { i32, i64 }
; CHECK-NOT: getelementptr { i32, i64 }
; CHECK: ret void
define amdgpu_kernel void @struct_fields(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lv = load i32, ptr addrspace(3) %q
  %lw = mul i32 %lv, %lv
  %l = getelementptr { i32, i64 }, ptr addrspace(3) %p, i32 %lw, i32 0
  store i32 1, ptr addrspace(3) %l
  br label %join
right:
  %rv = load i32, ptr addrspace(3) %p
  %rw = mul i32 %rv, %rv
  %r = getelementptr { i32, i64 }, ptr addrspace(3) %p, i32 %rw, i32 1
  store i32 2, ptr addrspace(3) %r
  br label %join
join:
  ret void
}

; The lane of a vector is not selected: a register file has no dynamic index.
; CHECK-LABEL: @lane_numbers(
; CHECK-COUNT-2: extractelement
; CHECK-NOT: extractelement
; CHECK: ret void
define amdgpu_kernel void @lane_numbers(ptr addrspace(3) %p, <4 x i32> %a) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = extractelement <4 x i32> %a, i32 0
  %l1 = mul i32 %l, %l
  %l2 = mul i32 %l1, %l
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %r = extractelement <4 x i32> %a, i32 3
  %r1 = mul i32 %r, %r
  %r2 = mul i32 %r1, %r
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Nor for an insertion.
; CHECK-LABEL: @insert_lanes(
; CHECK-COUNT-2: insertelement
; CHECK-NOT: insertelement
; CHECK: ret void
define amdgpu_kernel void @insert_lanes(ptr addrspace(3) %p, <4 x i32> %a) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = insertelement <4 x i32> %a, i32 %tid, i32 0
  store <4 x i32> %l, ptr addrspace(3) %p
  br label %join
right:
  %r = insertelement <4 x i32> %a, i32 %tid, i32 3
  store <4 x i32> %r, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Masks are part of the instruction: two.
; CHECK-LABEL: @shuffle_masks(
; CHECK-COUNT-2: shufflevector
; CHECK-NOT: shufflevector
; CHECK: ret void
define amdgpu_kernel void @shuffle_masks(ptr addrspace(3) %p, <2 x i32> %a) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = shufflevector <2 x i32> %a, <2 x i32> %a, <2 x i32> <i32 1, i32 0>
  %l1 = mul <2 x i32> %l, %l
  store <2 x i32> %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = shufflevector <2 x i32> %a, <2 x i32> %a, <2 x i32> <i32 1, i32 1>
  %r1 = mul <2 x i32> %r, %r
  store <2 x i32> %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Pointers of the constant space, addresses that differ by thread (uniform ones stay scalar: types.ll).
; CHECK-LABEL: @pointer_constant(
; CHECK: select i1 %c, ptr addrspace(4) %a, ptr addrspace(4) %b
; CHECK: load i32, ptr addrspace(4)
; CHECK-NOT: load
; CHECK: ret void
define amdgpu_kernel void @pointer_constant(ptr addrspace(3) %p, ptr addrspace(4) %a, ptr addrspace(4) %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = getelementptr i32, ptr addrspace(4) %a, i32 %tid
  %l1 = load i32, ptr addrspace(4) %l
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = getelementptr i32, ptr addrspace(4) %b, i32 %tid
  %r1 = load i32, ptr addrspace(4) %r
  store i32 %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Flat against global, and the private space: no pointer of two spaces.
; CHECK-LABEL: @spaces_differ(
; CHECK-DAG: store i32 1, ptr addrspace(1) %a
; CHECK-DAG: store i32 2, ptr %b
; CHECK: ret void
define amdgpu_kernel void @spaces_differ(ptr addrspace(1) %a, ptr %b) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(1) %a
  br label %join
right:
  store i32 2, ptr %b
  br label %join
join:
  ret void
}

; Legality rule 4: conditions of the two sides meet in a select, never in and/or, so that poison of the side not taken does not leak.
; CHECK-LABEL: @select_not_and(
; CHECK-NOT: {{(and|or) i1}}
; CHECK: ret void
define amdgpu_kernel void @select_not_and(ptr addrspace(3) %p, ptr addrspace(3) %o, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x0 = add nsw i32 %x, %n
  %xc = icmp sgt i32 %x0, 4
  br i1 %xc, label %l.a, label %l.j
l.a:
  store volatile i32 1, ptr addrspace(3) %o
  br label %l.j
l.j:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp eq i32 %y, 9
  br i1 %yc, label %r.a, label %r.j
r.a:
  store volatile i32 2, ptr addrspace(3) %o
  br label %r.j
r.j:
  br label %join
join:
  ret void
}

; The same operation on different types: two; what stands before it is one.
; CHECK-LABEL: @operators_of_types(
; CHECK: udiv i32
; CHECK-NOT: udiv
; CHECK-DAG: mul i32
; CHECK-DAG: mul i64
; CHECK: ret void
define amdgpu_kernel void @operators_of_types(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i64 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = udiv i32 %x, %n
  store i32 %x1, ptr addrspace(3) %p
  %x2 = mul i32 %n, %n
  store i32 %x2, ptr addrspace(3) %q
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = udiv i32 %y, %n
  store i32 %y1, ptr addrspace(3) %p
  %y2 = mul i64 %k, %k
  store i64 %y2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
