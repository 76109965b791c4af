; LLVM 15 is wrong about where the condition of a uniform branch lives that is made outside of the branch's loop:
; passes/llvm_fixes/far_conditions.h.
; RUN: %opt -passes=meld-far-conditions %s -S | FileCheck %s
; RUN: %opt -passes=meld-far-conditions %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-far-conditions %s -S | %llc -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; The comparison stays in the loop, and no lane mask goes around it.
; CHECK-LABEL: @loop(
; CHECK: %c = icmp ugt i32 %f, 1
; CHECK-NEXT: %[[Z:.*]] = sext i1 %c to i32
; CHECK-NEXT: %[[N:.*]] = call i32 asm "", "=v,0"(i32 %[[Z]])
; CHECK: body:
; CHECK: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 %[[N]])
; CHECK-NEXT: %[[D:.*]] = icmp ne i32 %[[S]], 0
; CHECK-NEXT: br i1 %[[D]], label %then, label %join
; ISA-LABEL: {{^}}loop:
; ISA: %body
; ISA: v_readfirstlane_b32 [[S:s[0-9]+]], v
; ISA: s_cmp_{{eq|lg}}_u32 [[S]], 0
; ISA-NOT: vcc
; ISA: s_endpgm
define amdgpu_kernel void @loop(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  store i32 7, ptr addrspace(1) %q
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %v = phi i32 [ 5, %entry ], [ %w, %join ]
  br i1 %c, label %then, label %join
then:
  %u = load volatile i32, ptr addrspace(1) %q
  br label %join
join:
  %w = phi i32 [ %u, %then ], [ %v, %body ]
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  store i32 %w, ptr addrspace(1) %p
  ret void
}

; A negation in the branch's own block, and an argument.
; CHECK-LABEL: @negated(
; CHECK: entry:
; CHECK-NEXT: %[[Z:.*]] = sext i1 %c to i32
; CHECK-NEXT: %[[N:.*]] = call i32 asm "", "=v,0"(i32 %[[Z]])
; CHECK: body:
; CHECK: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 %[[N]])
; CHECK-NEXT: %[[D:.*]] = icmp eq i32 %[[S]], 0
; CHECK-NEXT: br i1 %[[D]], label %then, label %join
define amdgpu_kernel void @negated(ptr addrspace(1) %q, i1 %c, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %not = xor i1 %c, true
  br i1 %not, label %then, label %join
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; Outside of loops: several branches, their condition is a phi.
; CHECK-LABEL: @several(
; CHECK: %c = phi i1
; CHECK-NEXT: %[[O:.*]] = phi i32
; CHECK-NEXT: %[[Z:.*]] = sext i1 %c to i32
; CHECK-NEXT: %[[N:.*]] = call i32 asm "", "=v,0"(i32 %[[Z]])
; CHECK: first:
; CHECK: icmp ne i32 %{{.*}}, 0
; CHECK: second:
; CHECK: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 %[[N]])
; CHECK-NEXT: icmp ne i32 %[[S]], 0
define amdgpu_kernel void @several(ptr addrspace(1) %q, i32 %n) {
entry:
  %e = icmp eq i32 %n, 5
  br i1 %e, label %one, label %made
one:
  store volatile i32 1, ptr addrspace(1) %q
  br label %made
made:
  %c = phi i1 [ true, %entry ], [ false, %one ]
  %o = phi i32 [ 1, %entry ], [ 2, %one ]
  store volatile i32 %o, ptr addrspace(1) %q
  br label %first
first:
  br i1 %c, label %a, label %second
a:
  store volatile i32 3, ptr addrspace(1) %q
  br label %second
second:
  br i1 %c, label %b, label %done
b:
  store volatile i32 4, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; One branch in the condition's own block, which stays as it is, and one in another.
; CHECK-LABEL: @near(
; CHECK: %c = icmp ugt i32 %f, 1
; CHECK: %[[N:.*]] = call i32 asm "", "=v,0"
; CHECK: br i1 %c, label %a, label %second
; CHECK: second:
; CHECK-NEXT: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 %[[N]])
; CHECK-NEXT: %[[D:.*]] = icmp ne i32 %[[S]], 0
; CHECK-NEXT: br i1 %[[D]], label %b, label %done
define amdgpu_kernel void @near(ptr addrspace(1) %q) {
  %f = load i32, ptr addrspace(1) %q
  %c = icmp ugt i32 %f, 1
  br i1 %c, label %a, label %second
a:
  store volatile i32 3, ptr addrspace(1) %q
  br label %second
second:
  br i1 %c, label %b, label %done
b:
  store volatile i32 4, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; What differs between lanes, what the loop makes itself, one branch outside of loops: as they are.
; CHECK-LABEL: @left(
; CHECK-NOT: asm
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @left(ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %differs = icmp ugt i32 %t, 5
  %once = icmp ugt i32 %n, 3
  br label %next
next:
  br i1 %once, label %body, label %done
body:
  %i = phi i32 [ 0, %next ], [ %i.next, %join ]
  %odd = trunc i32 %i to i1
  br i1 %differs, label %then, label %middle
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %middle
middle:
  br i1 %odd, label %more, label %join
more:
  store volatile i32 2, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; Behind a loop that lanes leave in different rounds what is uniform inside differs.
; CHECK-LABEL: @rounds(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @rounds(ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %i.next = add i32 %i, 1
  %c = icmp ugt i32 %i, %n
  %x = icmp ugt i32 %i, %t
  br i1 %x, label %behind, label %loop
behind:
  br i1 %c, label %a, label %second
a:
  store volatile i32 3, ptr addrspace(1) %q
  br label %second
second:
  br i1 %c, label %b, label %done
b:
  store volatile i32 4, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
