; What we change nothing in comes out as it does without us: the passes that keep LLVM's faults away from melded code
; look at changed functions alone. Each kernel has a load that one of them would hold before its barrier, and ifs that
; another would turn round.
; RUN: env MELD_PLUGIN_OPTIONS='no-scalarize' %opt -passes='default<O3>' %s -S | FileCheck %s
; RUN: env MELD_PLUGIN_OPTIONS='no-scalarize;exclude=melded' %opt -passes='default<O3>' %s -S | FileCheck %s --check-prefix=OUT
; RUN: env MELD_PLUGIN_OPTIONS='passes=none' %opt -passes='default<O3>' %s -S > %t.without
; RUN: env MELD_PLUGIN_OPTIONS='exclude=.*' %opt -passes='default<O3>' %s -S | diff - %t.without

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; CHECK-LABEL: @untouched(
; CHECK-NOT: asm
; CHECK-NOT: other.side
; CHECK: ret void
; OUT-LABEL: @untouched(
; OUT-NOT: asm
; OUT-NOT: other.side
; OUT: ret void
define amdgpu_kernel void @untouched(ptr addrspace(1) %p, i32 %a) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %q
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %e = icmp eq i32 %a, 0
  br i1 %e, label %then, label %ifs
then:
  %far = getelementptr i32, ptr addrspace(1) %q, i32 4096
  store i32 %x, ptr addrspace(1) %far
  br label %ifs
ifs:
  %c = icmp ult i32 %t, 7
  br i1 %c, label %second, label %first
first:
  store i32 %a, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 %a
  store i32 %a, ptr addrspace(1) %p1
  br label %second
second:
  %d = icmp ugt i32 %t, %a
  br i1 %d, label %again, label %end
again:
  store i32 %a, ptr addrspace(1) %p
  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 %a
  store i32 %a, ptr addrspace(1) %p2
  br label %end
end:
  ret void
}

; CHECK-LABEL: @melded(
; CHECK: asm
; CHECK: other.side
; CHECK: ret void
; OUT-LABEL: @melded(
; OUT-NOT: asm
; OUT-NOT: other.side
; OUT: ret void
define amdgpu_kernel void @melded(ptr addrspace(1) %p, i32 %a) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %q
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %e = icmp eq i32 %a, 0
  br i1 %e, label %then, label %ifs
then:
  %far = getelementptr i32, ptr addrspace(1) %q, i32 4096
  store i32 %x, ptr addrspace(1) %far
  br label %ifs
ifs:
  %c = icmp ult i32 %t, 7
  br i1 %c, label %second, label %first
first:
  store i32 %a, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 %a
  store i32 %a, ptr addrspace(1) %p1
  br label %second
second:
  %d = icmp ugt i32 %t, %a
  br i1 %d, label %again, label %end
again:
  store i32 %a, ptr addrspace(1) %p
  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 %a
  store i32 %a, ptr addrspace(1) %p2
  br label %end
end:
  %y = call i32 @between(i32 %t, i32 %a)
  store i32 %y, ptr addrspace(1) %q
  br label %loop
loop: ; a third would hold what it computes for its exit
  %i = phi i32 [ 0, %end ], [ %next, %loop ]
  %v = phi i32 [ 0, %end ], [ %w, %loop ]
  %u = phi i32 [ 0, %end ], [ %s, %loop ]
  %n = load volatile i32, ptr addrspace(1) %q
  %w = add i32 %v, %n
  %m = icmp ult i32 %w, %a
  %s = select i1 %m, i32 %t, i32 %u
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %behind
behind:
  %o = getelementptr i32, ptr addrspace(1) %p, i32 9999
  store i32 %s, ptr addrspace(1) %o
  ret void
}

; What is melded before it is inlined has changed the functions that it goes into.
define internal i32 @between(i32 %t, i32 %y) #0 {
  %z = call i32 @sides(i32 %t, i32 %y)
  ret i32 %z
}

define internal i32 @sides(i32 %t, i32 %y) #0 {
entry:
  %odd = and i32 %t, 1
  %e = icmp eq i32 %odd, 0
  br i1 %e, label %left, label %right
left:
  %l1 = mul i32 %y, 77
  %l2 = add i32 %l1, %t
  %l3 = mul i32 %l2, %l1
  %l4 = xor i32 %l3, %y
  %l5 = mul i32 %l4, %l2
  %l6 = add i32 %l5, 3
  br label %join
right:
  %r1 = mul i32 %t, 99
  %r2 = add i32 %r1, %y
  %r3 = mul i32 %r2, %r1
  %r4 = xor i32 %r3, %t
  %r5 = mul i32 %r4, %r2
  %r6 = add i32 %r5, 8
  br label %join
join:
  %j = phi i32 [ %l6, %left ], [ %r6, %right ]
  ret i32 %j
}

; Through a table of functions, too, of which the optimiser comes to know which one it is.
; CHECK-LABEL: @throughTable(
; CHECK: asm
; CHECK: ret void
@table = internal addrspace(4) constant [1 x ptr] [ptr @other.sides]
define amdgpu_kernel void @throughTable(ptr addrspace(1) %p, i32 %a) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %x = load i32, ptr addrspace(1) %q
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %e = icmp eq i32 %a, 0
  br i1 %e, label %then, label %end
then:
  %far = getelementptr i32, ptr addrspace(1) %q, i32 4096
  store i32 %x, ptr addrspace(1) %far
  br label %end
end:
  %f = load ptr, ptr addrspace(4) @table
  %y = call i32 %f(i32 %t, i32 %a)
  store i32 %y, ptr addrspace(1) %q
  ret void
}

define internal i32 @other.sides(i32 %t, i32 %y) #0 {
entry:
  %odd = and i32 %t, 1
  %e = icmp eq i32 %odd, 0
  br i1 %e, label %left, label %right
left:
  %l1 = mul i32 %y, 177
  %l2 = add i32 %l1, %t
  %l3 = mul i32 %l2, %l1
  %l4 = xor i32 %l3, %y
  %l5 = mul i32 %l4, %l2
  %l6 = add i32 %l5, 3
  br label %join
right:
  %r1 = mul i32 %t, 199
  %r2 = add i32 %r1, %y
  %r3 = mul i32 %r2, %r1
  %r4 = xor i32 %r3, %t
  %r5 = mul i32 %r4, %r2
  %r6 = add i32 %r5, 8
  br label %join
join:
  %j = phi i32 [ %l6, %left ], [ %r6, %right ]
  ret i32 %j
}

; CHECK-NOT: meld-changed
attributes #0 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,1024" }
