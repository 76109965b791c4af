; What meld-else-if leaves: a question that not all threads may ask.
; RUN: %opt '-passes=meld-else-if<force>' -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; A load.
define amdgpu_kernel void @loads(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %c = icmp eq i32 %m, 0
  br i1 %c, label %left, label %question
left:
  %i = phi i32 [ 0, %entry ], [ %i.next, %left ]
  %l.at = getelementptr i32, ptr addrspace(3) %a, i32 %i
  %l.old = load i32, ptr addrspace(3) %l.at
  %l.mul = mul i32 %l.old, %t
  %l.new = add i32 %l.mul, 7
  store i32 %l.new, ptr addrspace(3) %l.at
  %i.next = add i32 %i, 1
  %l.end = icmp eq i32 %i.next, %n
  br i1 %l.end, label %join, label %left
question:
  %v = load i32, ptr addrspace(3) %b
  %g = icmp ult i32 %v, 60
  br i1 %g, label %right, label %join
right:
  %j = phi i32 [ 0, %question ], [ %j.next, %right ]
  %r.at = getelementptr i32, ptr addrspace(3) %b, i32 %j
  %r.old = load i32, ptr addrspace(3) %r.at
  %r.mul = mul i32 %r.old, %t
  %r.new = add i32 %r.mul, 9
  store i32 %r.new, ptr addrspace(3) %r.at
  %j.next = add i32 %j, 1
  %r.end = icmp eq i32 %j.next, %n
  br i1 %r.end, label %join, label %right
join:
  %result = phi i32 [ %l.new, %left ], [ -1, %question ], [ %r.new, %right ]
  store i32 %result, ptr addrspace(3) %a
  ret void
}

; A barrier.
define amdgpu_kernel void @waits(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %c = icmp eq i32 %m, 0
  br i1 %c, label %left, label %question
left:
  %i = phi i32 [ 0, %entry ], [ %i.next, %left ]
  %l.at = getelementptr i32, ptr addrspace(3) %a, i32 %i
  %l.old = load i32, ptr addrspace(3) %l.at
  %l.mul = mul i32 %l.old, %t
  %l.new = add i32 %l.mul, 7
  store i32 %l.new, ptr addrspace(3) %l.at
  %i.next = add i32 %i, 1
  %l.end = icmp eq i32 %i.next, %n
  br i1 %l.end, label %join, label %left
question:
  call void @llvm.amdgcn.s.barrier()
  %g = icmp ult i32 %t, 60
  br i1 %g, label %right, label %join
right:
  %j = phi i32 [ 0, %question ], [ %j.next, %right ]
  %r.at = getelementptr i32, ptr addrspace(3) %b, i32 %j
  %r.old = load i32, ptr addrspace(3) %r.at
  %r.mul = mul i32 %r.old, %t
  %r.new = add i32 %r.mul, 9
  store i32 %r.new, ptr addrspace(3) %r.at
  %j.next = add i32 %j, 1
  %r.end = icmp eq i32 %j.next, %n
  br i1 %r.end, label %join, label %right
join:
  %result = phi i32 [ %l.new, %left ], [ -1, %question ], [ %r.new, %right ]
  store i32 %result, ptr addrspace(3) %a
  ret void
}

; A division that may trap.
define amdgpu_kernel void @divides(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %c = icmp eq i32 %m, 0
  br i1 %c, label %left, label %question
left:
  %i = phi i32 [ 0, %entry ], [ %i.next, %left ]
  %l.at = getelementptr i32, ptr addrspace(3) %a, i32 %i
  %l.old = load i32, ptr addrspace(3) %l.at
  %l.mul = mul i32 %l.old, %t
  %l.new = add i32 %l.mul, 7
  store i32 %l.new, ptr addrspace(3) %l.at
  %i.next = add i32 %i, 1
  %l.end = icmp eq i32 %i.next, %n
  br i1 %l.end, label %join, label %left
question:
  %v = udiv i32 %t, %n
  %g = icmp ult i32 %v, 60
  br i1 %g, label %right, label %join
right:
  %j = phi i32 [ 0, %question ], [ %j.next, %right ]
  %r.at = getelementptr i32, ptr addrspace(3) %b, i32 %j
  %r.old = load i32, ptr addrspace(3) %r.at
  %r.mul = mul i32 %r.old, %t
  %r.new = add i32 %r.mul, 9
  store i32 %r.new, ptr addrspace(3) %r.at
  %j.next = add i32 %j, 1
  %r.end = icmp eq i32 %j.next, %n
  br i1 %r.end, label %join, label %right
join:
  %result = phi i32 [ %l.new, %left ], [ -1, %question ], [ %r.new, %right ]
  store i32 %result, ptr addrspace(3) %a
  ret void
}
