; What only some lanes have a value for is no scalar: LLVM takes a phi of one value and undef for uniform, and what is made of it is
; read from the first lane, which may have none (passes/llvm_fixes/own_lanes.h).
; RUN: %opt -passes=meld-own-lanes,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -mcpu=gfx90a -O0 -o /dev/null
; Left out by name: nothing changes.
; RUN: env MELD_PLUGIN_OPTIONS='exclude=.*' %opt -passes=meld-own-lanes %s -S | FileCheck %s --check-prefix=OUT
; OUT-NOT: freeze

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.fptosi.sat.i32.f64(double)

; As melding makes it: the reversed bits of a number that the wave has loaded, in lanes that have not.
; CHECK-LABEL: @first_lane(
; CHECK: a:
; CHECK: [[F:%.*]] = freeze i32 poison
; CHECK-NEXT: br label %join
; CHECK: %x = phi i32 [ [[F]], %a ], [ %v, %b ]
; ISA-LABEL: first_lane:
; ISA-NOT: v_readfirstlane
; ISA: s_endpgm
define amdgpu_kernel void @first_lane(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  br i1 %c, label %a, label %b
a:
  store volatile i32 7, ptr addrspace(1) %p
  br label %join
b:
  %v = load volatile i32, ptr addrspace(1) %in
  store volatile i32 9, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ poison, %a ], [ %v, %b ]
  %d = sitofp i32 %x to double
  %e = fadd double %d, 2.0
  %i = call i32 @llvm.fptosi.sat.i32.f64(double %e)
  %r = call i32 @llvm.bitreverse.i32(i32 %i)
  %s = select i1 %c, i32 %t, i32 %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; Undef as poison is; of a switch's two edges the value is one.
; CHECK-LABEL: @edges(
; CHECK: [[F:%.*]] = freeze float poison
; CHECK-NEXT: switch
; CHECK: %x = phi float [ [[F]], %0 ], [ [[F]], %0 ], [ %v, %b ]
define amdgpu_kernel void @edges(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  switch i32 %t, label %b [ i32 1, label %join
                            i32 2, label %join ]
b:
  %v = load float, ptr addrspace(1) %in
  br label %join
join:
  %x = phi float [ undef, %0 ], [ undef, %0 ], [ %v, %b ]
  %y = fadd float %x, 1.0
  store float %y, ptr addrspace(1) %out
  ret void
}

; What is known at the phi takes its place, and phis that this leaves with one value do as well; a constant, too.
; CHECK-LABEL: @known(
; CHECK: join:
; CHECK-NEXT: br i1
; CHECK: last:
; CHECK-NEXT: store i32 %n
; CHECK-NEXT: store i32 7
define amdgpu_kernel void @known(ptr addrspace(1) %out, i32 %n, i1 %c, i1 %k) #0 {
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %x = phi i32 [ poison, %0 ], [ %n, %a ]
  %seven = phi i32 [ undef, %0 ], [ 7, %a ]
  br i1 %k, label %b, label %last
b:
  br label %last
last:
  %y = phi i32 [ poison, %join ], [ %x, %b ]
  store i32 %y, ptr addrspace(1) %out
  store i32 %seven, ptr addrspace(1) %out
  ret void
}

; In the place of undef no value may stand that may be poison.
; CHECK-LABEL: @worse(
; CHECK: [[F:%.*]] = freeze i32 poison
; CHECK: %x = phi i32 [ [[F]], %0 ], [ %v, %a ]
define amdgpu_kernel void @worse(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i1 %c) #0 {
  %v = add nsw i32 %n, 1
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %x = phi i32 [ undef, %0 ], [ %v, %a ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; Poison may become anything.
; CHECK-LABEL: @anything(
; CHECK: join:
; CHECK-NEXT: store i32 %v
define amdgpu_kernel void @anything(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i1 %c) #0 {
  %v = add nsw i32 %n, 1
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %x = phi i32 [ poison, %0 ], [ %v, %a ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; Of several values and undef, too: code generation takes that apart. None undefined: as it was. In a phi that nobody defines all
; lanes may have the same.
; CHECK-LABEL: @several(
; CHECK: [[F:%.*]] = freeze i32 poison
; CHECK-NOT: freeze
; CHECK: %x = phi i32 [ [[F]], %0 ], [ %v, %a ], [ %w, %b ]
; CHECK-NEXT: %y = phi i32 [ 1, %0 ], [ %v, %a ], [ %w, %b ]
; CHECK-NEXT: store i32 %x
; CHECK-NEXT: store i32 %y
; CHECK-NEXT: store i32 undef
define amdgpu_kernel void @several(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
  switch i32 %n, label %join [ i32 1, label %a
                               i32 2, label %b ]
a:
  %v = load volatile i32, ptr addrspace(1) %in
  br label %join
b:
  %w = load volatile i32, ptr addrspace(1) %in
  br label %join
join:
  %x = phi i32 [ poison, %0 ], [ %v, %a ], [ %w, %b ]
  %y = phi i32 [ 1, %0 ], [ %v, %a ], [ %w, %b ]
  %z = phi i32 [ undef, %0 ], [ poison, %a ], [ undef, %b ]
  store i32 %x, ptr addrspace(1) %out
  store i32 %y, ptr addrspace(1) %out
  store i32 %z, ptr addrspace(1) %out
  ret void
}

; Round a loop all lanes of a wave have what comes from it, or none has: nothing is to be done.
; CHECK-LABEL: @rounds(
; CHECK-NOT: freeze
; CHECK: ret void
define amdgpu_kernel void @rounds(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %p = phi i32 [ poison, %entry ], [ %l, %loop ]
  %c = phi i1 [ poison, %entry ], [ %k, %loop ]
  %w = phi <3 x i32> [ poison, %entry ], [ %m, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %l = load volatile i32, ptr addrspace(1) %in
  %m = load volatile <3 x i32>, ptr addrspace(1) %in
  %k = icmp eq i32 %l, 5
  %first = icmp eq i32 %i, 0
  %chosen = select i1 %first, i32 3, i32 %p
  %cond = select i1 %first, i1 false, i1 %c
  %word = extractelement <3 x i32> %w, i32 2
  %one = select i1 %cond, i32 %chosen, i32 %word
  store volatile i32 %one, ptr addrspace(1) %out
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Not so where there are two ways round, or two into it. Conditions and vectors alike: of a vector each element is the same.
; CHECK-LABEL: @ways_round(
; CHECK: entry:
; CHECK: [[N:%.*]] = freeze i32 poison
; CHECK-NEXT: br i1 %k, label %loop, label %other
; CHECK: other:
; CHECK-NEXT: [[E:%.*]] = freeze i16 poison
; CHECK-NEXT: [[I:%.*]] = insertelement <2 x i16> {{poison|undef}}, i16 [[E]], {{i32|i64}} 0
; CHECK-NEXT: [[V:%.*]] = shufflevector <2 x i16> [[I]], <2 x i16> {{poison|undef}}, <2 x i32> zeroinitializer
; CHECK-NEXT: br label %loop
; CHECK: loop:
; CHECK-NEXT: phi i32 [ [[N]], %entry ], [ 3, %other ], [ %l, %loop ]
; CHECK-NEXT: phi i1 [ false, %entry ], [ false, %other ], [ %m, %loop ]
; CHECK-NEXT: phi <2 x i16> [ %two, %entry ], [ [[V]], %other ], [ %w, %loop ]
; CHECK: again:
; CHECK-NEXT: phi i32 [ 0, %loop ], [ [[A:%.*]], %again ], [ %q, %also ]
; CHECK: [[A]] = freeze i32 poison
define amdgpu_kernel void @ways_round(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, <2 x i16> %two) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %k = icmp ult i32 %t, 20
  br i1 %k, label %loop, label %other
other:
  br label %loop
loop:
  %p = phi i32 [ poison, %entry ], [ 3, %other ], [ %l, %loop ]
  %c = phi i1 [ false, %entry ], [ poison, %other ], [ %m, %loop ]
  %v = phi <2 x i16> [ %two, %entry ], [ poison, %other ], [ %w, %loop ]
  %l = load volatile i32, ptr addrspace(1) %in
  %w = load volatile <2 x i16>, ptr addrspace(1) %in
  %m = icmp eq i32 %l, 5
  %half = extractelement <2 x i16> %v, i32 1
  %word = zext i16 %half to i32
  %one = select i1 %c, i32 %p, i32 %word
  store volatile i32 %one, ptr addrspace(1) %out
  br i1 %m, label %loop, label %again
again:
  %r = phi i32 [ 0, %loop ], [ poison, %again ], [ %q, %also ]
  %q = load volatile i32, ptr addrspace(1) %in
  store volatile i32 %r, ptr addrspace(1) %out
  %s = icmp ult i32 %q, %t
  br i1 %s, label %again, label %also
also:
  %d = icmp eq i32 %q, %t
  br i1 %d, label %again, label %end
end:
  ret void
}

; What is computed of undefined values alone is undefined, and phis of it are; where that has effects it stays.
; CHECK-LABEL: @computed(
; CHECK: a:
; CHECK-NEXT: [[F:%.*]] = freeze i32 poison
; CHECK-NEXT: [[G:%.*]] = freeze i32 poison
; CHECK-NEXT: br label %join
; CHECK: %x = phi i32 [ [[F]], %a ], [ %v, %b ]
; CHECK-NEXT: %y = phi i32 [ [[G]], %a ], [ %v, %b ]
; CHECK-NEXT: store
; CHECK-NEXT: store
; CHECK-NEXT: store i32 %n, ptr addrspace(1) undef
define amdgpu_kernel void @computed(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i1 %c) #0 {
  br i1 %c, label %a, label %b
a:
  %none = phi i32 [ undef, %0 ]
  %sum = add i32 %none, 1
  %other = mul i32 %sum, %sum
  %nothing = xor i32 %n, %n
  %zeros = call i32 @llvm.ctlz.i32(i32 %nothing, i1 true)
  br label %join
b:
  %v = load volatile i32, ptr addrspace(1) %in
  br label %join
join:
  %x = phi i32 [ %other, %a ], [ %v, %b ]
  %y = phi i32 [ %zeros, %a ], [ %v, %b ]
  store i32 %x, ptr addrspace(1) %out
  store i32 %y, ptr addrspace(1) %out
  store i32 %n, ptr addrspace(1) undef
  ret void
}

; Vectors without an element, as constants, made of one, and shuffled; not those that have all.
; CHECK-LABEL: @vectors(
; CHECK: %three = insertelement
; CHECK-NEXT: [[C:%.*]] = freeze <2 x i16> <i16 5, i16 {{undef|poison}}>
; CHECK-NEXT: [[I:%.*]] = freeze <2 x i16> %one
; CHECK-NEXT: [[S:%.*]] = freeze <2 x i16> %turned
; CHECK-NEXT: br label %join
; CHECK: phi <2 x i16> [ [[C]], %a ], [ %v, %b ]
; CHECK-NEXT: phi <2 x i16> [ [[I]], %a ], [ %v, %b ]
; CHECK-NEXT: phi <2 x i16> [ [[S]], %a ], [ %v, %b ]
; CHECK-NEXT: phi <2 x i16> [ %two, %a ], [ %v, %b ]
; CHECK-NEXT: phi <2 x i16> [ %whole, %a ], [ %v, %b ]
; CHECK-NEXT: phi <2 x i16> [ %three, %a ], [ %v, %b ]
define amdgpu_kernel void @vectors(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n, i1 %c) #0 {
  br i1 %c, label %a, label %b
a:
  %m = trunc i32 %n to i16
  %one = insertelement <2 x i16> poison, i16 %m, i32 1
  %turned = shufflevector <2 x i16> %one, <2 x i16> poison, <2 x i32> <i32 1, i32 0>
  %two = insertelement <2 x i16> %one, i16 %m, i32 0
  %whole = shufflevector <2 x i16> %one, <2 x i16> <i16 3, i16 4>, <2 x i32> <i32 1, i32 2>
  %three = insertelement <2 x i16> <i16 1, i16 2>, i16 %m, i32 %n
  br label %join
b:
  %v = load volatile <2 x i16>, ptr addrspace(1) %in
  br label %join
join:
  %p = phi <2 x i16> [ <i16 5, i16 undef>, %a ], [ %v, %b ]
  %q = phi <2 x i16> [ %one, %a ], [ %v, %b ]
  %r = phi <2 x i16> [ %turned, %a ], [ %v, %b ]
  %s = phi <2 x i16> [ %two, %a ], [ %v, %b ]
  %t = phi <2 x i16> [ %whole, %a ], [ %v, %b ]
  %u = phi <2 x i16> [ %three, %a ], [ %v, %b ]
  store volatile <2 x i16> %p, ptr addrspace(1) %out
  store volatile <2 x i16> %q, ptr addrspace(1) %out
  store volatile <2 x i16> %r, ptr addrspace(1) %out
  store volatile <2 x i16> %s, ptr addrspace(1) %out
  store volatile <2 x i16> %t, ptr addrspace(1) %out
  store volatile <2 x i16> %u, ptr addrspace(1) %out
  ret void
}

; Where nobody comes a vector may be made of itself.
; CHECK-LABEL: @nowhere(
; CHECK: freeze <2 x i32> %self
define amdgpu_kernel void @nowhere(ptr addrspace(1) %out, <2 x i32> %n) #0 {
  br label %end
round:
  %self = insertelement <2 x i32> %self, i32 1, i32 0
  br label %end
end:
  %x = phi <2 x i32> [ %n, %0 ], [ %self, %round ]
  store <2 x i32> %x, ptr addrspace(1) %out
  ret void
}

; Two values in lanes of one side, by a branch of the whole wave: read from the first lane without the pass.
; ISA-LABEL: two_in_one:
; ISA-NOT: v_readfirstlane
; ISA: s_endpgm
define amdgpu_kernel void @two_in_one(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  br i1 %c, label %a, label %b
a:
  store volatile i32 7, ptr addrspace(1) %p
  br label %join
b:
  %v = load volatile i32, ptr addrspace(1) %in
  %q = icmp eq i32 %n, 5
  br i1 %q, label %b1, label %join
b1:
  %w = load volatile i32, ptr addrspace(1) %in
  br label %join
join:
  %x = phi i32 [ poison, %a ], [ %v, %b ], [ %w, %b1 ]
  %d = sitofp i32 %x to double
  %e = fadd double %d, 2.0
  %i = call i32 @llvm.fptosi.sat.i32.f64(double %e)
  %r = call i32 @llvm.bitreverse.i32(i32 %i)
  %s = select i1 %c, i32 %t, i32 %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; Several values that are all known here: none of them is the others'.
; CHECK-LABEL: @several_known(
; CHECK: [[F:%.*]] = freeze i32 poison
; CHECK: %x = phi i32 [ [[F]], %0 ], [ %n, %a ], [ 5, %b ]
define amdgpu_kernel void @several_known(ptr addrspace(1) %out, i32 %n) #0 {
  switch i32 %n, label %join [ i32 1, label %a
                               i32 2, label %b ]
a:
  br label %join
b:
  br label %join
join:
  %x = phi i32 [ poison, %0 ], [ %n, %a ], [ 5, %b ]
  store i32 %x, ptr addrspace(1) %out
  ret void
}

; What a later block makes nobody's makes a phi of an earlier one so.
; CHECK-LABEL: @from_behind(
; CHECK-NOT: phi
; CHECK: store volatile i32 undef
; CHECK-NOT: phi
; CHECK: ret void
define amdgpu_kernel void @from_behind(ptr addrspace(1) %out, i1 %way, i1 %more) #0 {
entry:
  br label %loop
loop:
  %p = phi i32 [ poison, %entry ], [ %q, %latch ]
  store volatile i32 %p, ptr addrspace(1) %out
  br i1 %way, label %a, label %latch
a:
  br label %latch
latch:
  %q = phi i32 [ undef, %loop ], [ poison, %a ]
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Made of undefined values, which code generation may come to know: by the branch, which says that c is true, or as bits of a vector
; that lacks an element. What is shifted by too much is undefined by what is known here.
; CHECK-LABEL: @found_later(
; CHECK: [[S:%.*]] = freeze i32 poison
; CHECK-NEXT: [[T:%.*]] = freeze i32 %sum
; CHECK-NEXT: [[B:%.*]] = freeze <4 x i8> %bits
; CHECK: b:
; CHECK-NOT: freeze
; CHECK: join:
; CHECK-NEXT: %x = phi i32 [ [[S]], %a ], [ %v, %b ]
; CHECK-NEXT: %y = phi i32 [ [[T]], %a ], [ %v, %b ]
; CHECK-NEXT: %z = phi <4 x i8> [ [[B]], %a ], [ %w, %b ]
; ISA-LABEL: found_later:
; ISA-NOT: v_readfirstlane
; ISA: s_endpgm
define amdgpu_kernel void @found_later(ptr addrspace(1) %out, ptr addrspace(1) noalias %in, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  br i1 %c, label %a, label %b
a:
  %many = or i32 %t, 32
  %shifted = shl i32 %n, %many
  %chosen = select i1 %c, i32 poison, i32 %n
  %sum = add i32 %chosen, 1
  %half = insertelement <2 x i16> poison, i16 5, i32 0
  %bits = bitcast <2 x i16> %half to <4 x i8>
  br label %join
b:
  %v = load volatile i32, ptr addrspace(1) %in, !noundef !0
  %w = load volatile <4 x i8>, ptr addrspace(1) %in, !noundef !0
  br label %join
join:
  %x = phi i32 [ %shifted, %a ], [ %v, %b ]
  %y = phi i32 [ %sum, %a ], [ %v, %b ]
  %z = phi <4 x i8> [ %bits, %a ], [ %w, %b ]
  %e = extractelement <4 x i8> %z, i32 3
  %dx = sitofp i32 %x to double
  %fx = fadd double %dx, 2.0
  %ix = call i32 @llvm.fptosi.sat.i32.f64(double %fx)
  %r = call i32 @llvm.bitreverse.i32(i32 %ix)
  %dy = sitofp i32 %y to double
  %fy = fadd double %dy, 2.0
  %iy = call i32 @llvm.fptosi.sat.i32.f64(double %fy)
  %q = call i32 @llvm.bitreverse.i32(i32 %iy)
  %de = sitofp i8 %e to double
  %fe = fadd double %de, 2.0
  %ie = call i32 @llvm.fptosi.sat.i32.f64(double %fe)
  %u = call i32 @llvm.bitreverse.i32(i32 %ie)
  %f = add i32 %r, %q
  %g = add i32 %f, %u
  %s = select i1 %c, i32 %t, i32 %g
  store volatile i32 %s, ptr addrspace(1) %p
  ret void
}

; Phis of it have own values; a vector that is put together of it has none, what is taken from a vector that has all is one.
; CHECK-LABEL: @found_by(
; CHECK: [[U:%.*]] = freeze i32 %u
; CHECK-NEXT: [[V:%.*]] = freeze <2 x i16> %both
; CHECK-NEXT: br i1 %h, label %b, label %c
; CHECK: [[W:%.*]] = freeze i32 %v
; CHECK-NEXT: [[X:%.*]] = freeze i32 %v
; CHECK: %p = phi i32 [ [[U]], %a ], [ [[W]], %b ]
; CHECK-NEXT: %some = phi i32 [ %n, %a ], [ [[X]], %b ]
; CHECK-NEXT: %y = phi <2 x i16> [ [[V]], %a ], [ %two, %b ]
; CHECK: %x = phi i32 [ %p, %c ], [ %n, %0 ]
; CHECK-NEXT: %z = phi i32 [ %had, %c ], [ %n, %0 ]
; CHECK-NEXT: %w = phi i32 [ %some, %c ], [ %n, %0 ]
define amdgpu_kernel void @found_by(ptr addrspace(1) %out, i32 %n, i1 %h, <2 x i16> %two) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %k = icmp ult i32 %t, 20
  br i1 %k, label %a, label %join
a:
  %u = select i1 %k, i32 poison, i32 %t
  %m = trunc i32 %n to i16
  %one = insertelement <2 x i16> poison, i16 %m, i32 0
  %l = trunc i32 %u to i16
  %both = insertelement <2 x i16> %one, i16 %l, i32 1
  br i1 %h, label %b, label %c
b:
  %v = add i32 %u, 1
  br label %c
c:
  %p = phi i32 [ %u, %a ], [ %v, %b ]
  %some = phi i32 [ %n, %a ], [ %v, %b ]
  %y = phi <2 x i16> [ %both, %a ], [ %two, %b ]
  store volatile <2 x i16> %y, ptr addrspace(1) %out
  %i = trunc i32 %t to i16
  %whole = insertelement <2 x i16> %one, i16 %i, i32 1
  %word = extractelement <2 x i16> %whole, i32 %n
  %had = zext i16 %word to i32
  br label %join
join:
  %x = phi i32 [ %p, %c ], [ %n, %0 ]
  %z = phi i32 [ %had, %c ], [ %n, %0 ]
  %w = phi i32 [ %some, %c ], [ %n, %0 ]
  store volatile i32 %x, ptr addrspace(1) %out
  store volatile i32 %z, ptr addrspace(1) %out
  store volatile i32 %w, ptr addrspace(1) %out
  ret void
}

; Code generation finds that nobody goes round, and so what the head's phi is of: of what is made of that other lanes have none.
; CHECK-LABEL: @goes_not_round(
; CHECK: loop:
; CHECK-NEXT: %x = phi i32 [ poison, %a ], [ %v, %loop ]
; CHECK: left:
; CHECK-NEXT: [[F:%.*]] = freeze i32 %next
; CHECK: join:
; CHECK-NEXT: %y = phi i32 [ [[F]], %left ], [ %w, %b ]
; The bits are turned in each lane: none is read from the first.
; ISA-LABEL: {{^}}goes_not_round:
; ISA-NOT: v_readfirstlane
; ISA: v_bfrev_b32
; ISA: s_endpgm
define amdgpu_kernel void @goes_not_round(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  br i1 %c, label %a, label %b
a:
  store volatile i32 7, ptr addrspace(1) %p
  br label %loop
loop:
  %x = phi i32 [ poison, %a ], [ %v, %loop ]
  %v = load volatile i32, ptr addrspace(1) %in
  %next = bitcast i32 %x to i32
  br i1 %c, label %left, label %loop
left:
  br label %join
b:
  %w = load volatile i32, ptr addrspace(1) %in
  store volatile i32 9, ptr addrspace(1) %p
  br label %join
join:
  %y = phi i32 [ %next, %left ], [ %w, %b ]
  %d = sitofp i32 %y to double
  %e = fadd double %d, 2.0
  %i = call i32 @llvm.fptosi.sat.i32.f64(double %e)
  %r = call i32 @llvm.bitreverse.i32(i32 %i)
  %s = select i1 %c, i32 7, i32 %r
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; A vector that a loop puts together: two elements are nobody's.
; CHECK-LABEL: @put_together(
; CHECK: %x = phi <4 x i8> [ %first, %a ], [ %both, %loop ]
; CHECK: [[F:%.*]] = freeze <4 x i8> %both
; CHECK: %y = phi <4 x i8> [ [[F]], %loop ], [ %given, %0 ]
define amdgpu_kernel void @put_together(ptr addrspace(1) %out, ptr addrspace(1) %in, i8 %n, <4 x i8> %given) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  br i1 %c, label %a, label %join
a:
  %first = insertelement <4 x i8> poison, i8 %n, i32 0
  br label %loop
loop:
  %x = phi <4 x i8> [ %first, %a ], [ %both, %loop ]
  %v = load volatile i8, ptr addrspace(1) %in
  %both = insertelement <4 x i8> %x, i8 %v, i32 1
  %again = icmp ult i8 %v, %n
  br i1 %again, label %loop, label %join
join:
  %y = phi <4 x i8> [ %both, %loop ], [ %given, %0 ]
  store <4 x i8> %y, ptr addrspace(1) %out
  ret void
}

; Nobody has that at first: nothing has been stored where it is loaded.
; CHECK-LABEL: @stored(
; CHECK: %l = load i32, ptr addrspace(1) %p
; CHECK: %m = load i32, ptr addrspace(1) %out
; CHECK-NEXT: [[L:%.*]] = freeze i32 %l
; CHECK-NEXT: br label %join
; CHECK: %x = phi i32 [ [[L]], %a ], [ %n, %0 ]
; CHECK-NEXT: %y = phi i32 [ %m, %a ], [ %n, %0 ]
define amdgpu_kernel void @stored(ptr addrspace(1) %out, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  br i1 %c, label %a, label %join
a:
  store i32 poison, ptr addrspace(1) %p
  %l = load i32, ptr addrspace(1) %p
  %m = load i32, ptr addrspace(1) %out
  br label %join
join:
  %x = phi i32 [ %l, %a ], [ %n, %0 ]
  %y = phi i32 [ %m, %a ], [ %n, %0 ]
  store volatile i32 %x, ptr addrspace(1) %out
  store volatile i32 %y, ptr addrspace(1) %out
  ret void
}

; What is made of no undefined value stays as it is.
; CHECK-LABEL: @no_danger(
; CHECK-NOT: freeze
; CHECK: ret void
define amdgpu_kernel void @no_danger(ptr addrspace(1) %out, ptr addrspace(1) noalias %in, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 20
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %wave = icmp eq i32 %n, 3
  br i1 %c, label %a, label %b
a:
  %u = shl i32 %n, %t
  br label %join
b:
  %v = load i32, ptr addrspace(1) %p
  br label %join
join:
  %x = phi i32 [ %u, %a ], [ %v, %b ]
  %y = phi i32 [ %u, %a ], [ 7, %b ]
  %z = phi i32 [ %u, %a ], [ %n, %b ]
  store volatile i32 %x, ptr addrspace(1) %out
  store volatile i32 %y, ptr addrspace(1) %out
  store volatile i32 %z, ptr addrspace(1) %out
  br i1 %wave, label %d, label %e
d:
  %one = load i32, ptr addrspace(1) %in
  br label %loop
e:
  %two = add i32 %n, %n
  br label %loop
loop:
  %i = phi i32 [ %one, %d ], [ %two, %e ], [ %next, %loop ]
  %next = add i32 %i, %n
  store volatile i32 %i, ptr addrspace(1) %out
  %more = icmp ult i32 %next, 100
  br i1 %more, label %loop, label %end
end:
  ret void
}
!0 = !{}

attributes #0 = { "target-cpu"="gfx1030" "amdgpu-flat-work-group-size"="1,256" }
