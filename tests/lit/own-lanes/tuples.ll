; Values of several registers, in LLVM 15 and 16. What nobody has made becomes a copy of registers that nobody has written; where some of
; them are not read another value may lie there, whose copy MachineCopyPropagation takes for done. So each such value is made.
; REQUIRES: llvm-before-17
; RUN: %opt -passes=meld-own-lanes,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane(i32)

; %u is in a scalar register, and goes to the place of an element of %x that nobody reads.
; CHECK-LABEL: @in_its_place(
; CHECK: right:
; CHECK: [[V:%.*]] = call <4 x i32> asm sideeffect "", "=v"()
; CHECK: left:
; CHECK: [[W:%.*]] = freeze i32 poison
; CHECK: %x = phi <4 x i32> [ [[V]], %right ], [ %v1, %left ]
; CHECK-NEXT: %w = phi i32 [ %u, %right ], [ [[W]], %left ]
; ISA-LABEL: {{^}}in_its_place:
; ISA: ; %right
; ISA: v_mov_b32_e32 [[PLACE:v[0-9]+]], s
; ISA: v_cndmask_b32_e{{32|64}} {{v[0-9]+}}, [[PLACE]],
; ISA: s_endpgm
define amdgpu_kernel void @in_its_place(ptr addrspace(1) %p, ptr addrspace(1) %out, ptr addrspace(1) %acc, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  %v = load <4 x i32>, ptr addrspace(1) %q
  %c = icmp ult i32 %t, 7
  %a0 = add i32 %t, 5
  %b0 = call i32 @llvm.amdgcn.readfirstlane(i32 %a0)
  br i1 %c, label %left, label %right
right:
  %d = or i32 %n, 1
  %u = urem i32 1000003, %d
  br label %join
left:
  %v1 = insertelement <4 x i32> %v, i32 %t, i32 1
  br label %join
join:
  %x = phi <4 x i32> [ poison, %right ], [ %v1, %left ]
  %w = phi i32 [ %u, %right ], [ poison, %left ]
  %x0 = extractelement <4 x i32> %x, i32 0
  %x1 = extractelement <4 x i32> %x, i32 1
  %s = add i32 %x0, %x1
  %r = select i1 %c, i32 %s, i32 %w
  %z0 = xor i32 %r, %b0
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %z0, ptr addrspace(1) %o
  ret void
}

; Numbers of two registers and more, pointers, and members; not one register, in which two halves may lie, nor so many as there is no class
; of registers for.
; CHECK-LABEL: @types(
; CHECK: a:
; CHECK-NEXT: [[L:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[D0:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[D:%.*]] = bitcast i64 [[D0]] to double
; CHECK-NEXT: [[P0:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[P:%.*]] = inttoptr i64 [[P0]] to ptr
; CHECK-NEXT: [[M:%.*]] = freeze i32 poison
; CHECK-NEXT: [[M1:%.*]] = insertvalue { i32, i64 } poison, i32 [[M]], 0
; CHECK-NEXT: [[ML:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[M2:%.*]] = insertvalue { i32, i64 } [[M1]], i64 [[ML]], 1
; CHECK-NEXT: [[H0:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[H:%.*]] = bitcast i64 [[H0]] to <4 x half>
; CHECK-NEXT: [[Q0:%.*]] = freeze half poison
; CHECK-NEXT: insertelement <2 x half> poison, half [[Q0]], {{i32|i64}} 0
; CHECK: [[W0:%.*]] = call <4 x i32> asm sideeffect "", "=v"()
; CHECK-NEXT: [[W:%.*]] = bitcast <4 x i32> [[W0]] to i128
; CHECK-NEXT: [[P20:%.*]] = call i64 asm sideeffect "", "=v"()
; CHECK-NEXT: [[P21:%.*]] = bitcast i64 [[P20]] to <2 x i32>
; CHECK-NEXT: [[P2:%.*]] = inttoptr <2 x i32> [[P21]] to <2 x ptr addrspace(3)>
; CHECK-NEXT: [[N0:%.*]] = freeze i32 poison
; CHECK-NEXT: [[N1:%.*]] = insertelement <9 x i32> poison, i32 [[N0]], {{i32|i64}} 0
; CHECK-NEXT: [[N:%.*]] = shufflevector <9 x i32> [[N1]], <9 x i32> poison, <9 x i32> zeroinitializer
; CHECK: phi i64 [ [[L]], %a ], [ %ll, %b ]
; CHECK-NEXT: phi double [ [[D]], %a ], [ %ld, %b ]
; CHECK-NEXT: phi ptr [ [[P]], %a ], [ %lr, %b ]
; CHECK-NEXT: phi { i32, i64 } [ [[M2]], %a ], [ %lm, %b ]
; CHECK-NEXT: phi <4 x half> [ [[H]], %a ], [ %lh, %b ]
; CHECK: phi i128 [ [[W]], %a ], [ %lw, %b ]
; CHECK-NEXT: phi <2 x ptr addrspace(3)> [ [[P2]], %a ], [ %lp, %b ]
; CHECK-NEXT: phi <9 x i32> [ [[N]], %a ], [ %ln, %b ]
; ISA-LABEL: {{^}}types:
; ISA: s_endpgm
define amdgpu_kernel void @types(ptr addrspace(1) %out) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  br label %join
b:
  %ll = load volatile i64, ptr addrspace(1) %out
  %ld = load volatile double, ptr addrspace(1) %out
  %lr = load volatile ptr, ptr addrspace(1) %out
  %lm = load volatile { i32, i64 }, ptr addrspace(1) %out
  %lh = load volatile <4 x half>, ptr addrspace(1) %out
  %lg = load volatile <2 x half>, ptr addrspace(1) %out
  %lw = load volatile i128, ptr addrspace(1) %out
  %lp = load volatile <2 x ptr addrspace(3)>, ptr addrspace(1) %out
  %ln = load volatile <9 x i32>, ptr addrspace(1) %out
  br label %join
join:
  %l = phi i64 [ poison, %a ], [ %ll, %b ]
  %d = phi double [ poison, %a ], [ %ld, %b ]
  %r = phi ptr [ poison, %a ], [ %lr, %b ]
  %m = phi { i32, i64 } [ poison, %a ], [ %lm, %b ]
  %h = phi <4 x half> [ poison, %a ], [ %lh, %b ]
  %g = phi <2 x half> [ poison, %a ], [ %lg, %b ]
  %w = phi i128 [ poison, %a ], [ %lw, %b ]
  %p = phi <2 x ptr addrspace(3)> [ poison, %a ], [ %lp, %b ]
  %n = phi <9 x i32> [ poison, %a ], [ %ln, %b ]
  store volatile <2 x ptr addrspace(3)> %p, ptr addrspace(1) %out
  store volatile <9 x i32> %n, ptr addrspace(1) %out
  store volatile i64 %l, ptr addrspace(1) %out
  store volatile double %d, ptr addrspace(1) %out
  store volatile ptr %r, ptr addrspace(1) %out
  store volatile { i32, i64 } %m, ptr addrspace(1) %out
  store volatile <4 x half> %h, ptr addrspace(1) %out
  store volatile <2 x half> %g, ptr addrspace(1) %out
  store volatile i128 %w, ptr addrspace(1) %out
  ret void
}

; What may be undefined, and what others have frozen, which is one to all who use it.
; CHECK-LABEL: @found(
; CHECK: a:
; CHECK: [[N:%.*]] = call i64 asm sideeffect "", "=s"()
; CHECK-NEXT: [[F:%.*]] = bitcast i64 [[N]] to double
; CHECK-NEXT: store volatile double [[F]], ptr addrspace(1) %out
; CHECK-NEXT: [[G:%.*]] = freeze <2 x i32> %g
; CHECK-NEXT: [[G0:%.*]] = bitcast <2 x i32> [[G]] to i64
; CHECK-NEXT: [[G1:%.*]] = call i64 asm sideeffect "", "=v,0"(i64 [[G0]])
; CHECK-NEXT: [[I1:%.*]] = bitcast i64 [[G1]] to <2 x i32>
; CHECK-NEXT: [[E:%.*]] = freeze i100 %e
; CHECK-NEXT: [[E0:%.*]] = zext i100 [[E]] to i128
; CHECK-NEXT: [[E1:%.*]] = bitcast i128 [[E0]] to <4 x i32>
; CHECK-NEXT: [[E3:%.*]] = call <4 x i32> asm sideeffect "", "=v,0"(<4 x i32> [[E1]])
; CHECK-NEXT: [[E4:%.*]] = bitcast <4 x i32> [[E3]] to i128
; CHECK-NEXT: [[E5:%.*]] = trunc i128 [[E4]] to i100
; CHECK: phi <2 x i32> [ [[I1]], %a ], [ zeroinitializer, %b ]
; CHECK-NEXT: phi double [ [[F]], %a ], [ 1.0{{.*}}, %b ]
; CHECK-NEXT: phi i100 [ [[E5]], %a ], [ 3, %b ]
define amdgpu_kernel void @found(ptr addrspace(1) %out, i100 %n, <2 x i32> %two) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  br i1 %c, label %a, label %b
a:
  %e = select i1 %c, i100 poison, i100 %n
  %g = select i1 %c, <2 x i32> poison, <2 x i32> %two
  %f = freeze double poison
  store volatile double %f, ptr addrspace(1) %out
  br label %join
b:
  store volatile i32 1, ptr addrspace(1) %out
  br label %join
join:
  %l = phi <2 x i32> [ %g, %a ], [ zeroinitializer, %b ]
  %d = phi double [ %f, %a ], [ 1.0, %b ]
  %w = phi i100 [ %e, %a ], [ 3, %b ]
  store volatile i100 %w, ptr addrspace(1) %out
  store volatile <2 x i32> %l, ptr addrspace(1) %out
  store volatile double %d, ptr addrspace(1) %out
  ret void
}

; Where all come by one way it stays uniform, for instructions that want that.
; CHECK-LABEL: @uniform(
; CHECK: a:
; CHECK: [[U:%.*]] = call i64 asm sideeffect "", "=s"()
; CHECK: freeze i64 %may
; CHECK-NEXT: br label %join
; ISA-LABEL: {{^}}uniform:
; ISA: s_mov_b64 s[{{[0-9:]+}}], s[{{[0-9:]+}}]
; ISA: s_endpgm
define amdgpu_kernel void @uniform(ptr addrspace(1) %out, ptr addrspace(4) %in, i64 %n) #0 {
entry:
  %c = icmp ult i64 %n, 7
  br i1 %c, label %a, label %b
a:
  store volatile i32 1, ptr addrspace(1) %out
  %may = select i1 %c, i64 poison, i64 %n
  br label %join
b:
  %v = load i64, ptr addrspace(4) %in
  br label %join
join:
  %x = phi i64 [ poison, %a ], [ %v, %b ]
  %y = phi i64 [ %may, %a ], [ %v, %b ]
  %s = call i64 asm sideeffect "s_mov_b64 $0, $1", "=s,s"(i64 %x)
  store volatile i64 %s, ptr addrspace(1) %out
  store volatile i64 %y, ptr addrspace(1) %out
  ret void
}

; What is uniform, but may be undefined, and goes to phis of lanes alone, is made theirs. Others may want it in scalar registers.
; CHECK-LABEL: @to_lanes(
; CHECK: a:
; CHECK: %f = freeze i64 %may
; CHECK-NEXT: [[F:%.*]] = call i64 asm sideeffect "", "=v,0"(i64 %f)
; CHECK: %g = freeze i64 %might
; CHECK-NEXT: store volatile i64 %g, ptr addrspace(1) %out
; CHECK: %x = phi i64 [ [[F]], %a ], [ %v, %b ]
; CHECK-NEXT: %y = phi i64 [ %g, %a ], [ %v, %b ]
; ISA-LABEL: {{^}}to_lanes:
; ISA: s_endpgm
define amdgpu_kernel void @to_lanes(ptr addrspace(1) %out, i64 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 7
  %u = icmp ult i64 %n, 7
  br i1 %c, label %a, label %b
a:
  %may = select i1 %u, i64 poison, i64 %n
  %f = freeze i64 %may
  %might = select i1 %u, i64 %n, i64 poison
  %g = freeze i64 %might
  store volatile i64 %g, ptr addrspace(1) %out
  br label %join
b:
  %v = load volatile i64, ptr addrspace(1) %out
  br label %join
join:
  %x = phi i64 [ %f, %a ], [ %v, %b ]
  %y = phi i64 [ %g, %a ], [ %v, %b ]
  store volatile i64 %x, ptr addrspace(1) %out
  store volatile i64 %y, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "uniform-work-group-size"="true" "amdgpu-flat-work-group-size"="1,96" }
