; What meld-else-if leaves: a question that not all threads may ask. Without the verifier of its own, which would hide a mistake.
; RUN: %opt '-passes=meld-else-if<force;no-verify>' -S %s -o %t.after
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

; Code in front of the loops is alike, the loops are not.
define amdgpu_kernel void @pairs_no_loop(ptr addrspace(1) %p, i32 %n, i32 %m) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %id
  br i1 %c, label %a0, label %q
a0:
  %x = udiv i32 %id, %n
  %x1 = udiv i32 %x, %m
  store i32 %x1, ptr addrspace(1) %at
  br label %a
a:
  %i = phi i32 [ 0, %a0 ], [ %i1, %a ]
  %i1 = add i32 %i, 1
  %ac = icmp ult i32 %i1, %x1
  br i1 %ac, label %a, label %join
q:
  %g = icmp ugt i32 %id, 17
  br i1 %g, label %b0, label %join
b0:
  %y = udiv i32 %odd, %m
  %y1 = udiv i32 %y, %n
  store i32 %y1, ptr addrspace(1) %at
  br label %b
b:
  %j = phi i32 [ 0, %b0 ], [ %j1, %bl ]
  %k = icmp eq i32 %j, 7
  br i1 %k, label %bx, label %bl
bx:
  store i32 0, ptr addrspace(1) %at
  br label %bl
bl:
  %j1 = add i32 %j, 3
  %bc = icmp ult i32 %j1, %y1
  br i1 %bc, label %b, label %join
join:
  ret void
}

; Others ask the same question, behind no branch of this kind.
define amdgpu_kernel void @others_ask(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %c = icmp eq i32 %m, 0
  %u = icmp ugt i32 %n, 100
  br i1 %u, label %alone, label %both
alone:
  br label %question
both:
  br i1 %c, label %left, label %question
left:
  %i = phi i32 [ 0, %both ], [ %i.next, %left ]
  %l.at = getelementptr i32, ptr addrspace(3) %a, i32 %i
  %l.old = load i32, ptr addrspace(3) %l.at
  %l.mul = mul i32 %l.old, %t
  %l.new = add i32 %l.mul, 7
  store i32 %l.new, ptr addrspace(3) %l.at
  %i.next = add i32 %i, 1
  %l.end = icmp eq i32 %i.next, %n
  br i1 %l.end, label %join, label %left
question:
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

; The other way of the question does something, too.
define amdgpu_kernel void @does_more(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
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
  %g = icmp ult i32 %t, 60
  br i1 %g, label %right, label %third
third:
  store i32 %t, ptr addrspace(3) %b
  br label %join
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
  %result = phi i32 [ %l.new, %left ], [ -1, %third ], [ %r.new, %right ]
  store i32 %result, ptr addrspace(3) %a
  ret void
}

; The second loop goes on elsewhere.
define amdgpu_kernel void @ends_elsewhere(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
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
  br i1 %r.end, label %away, label %right
away:
  store i32 5, ptr addrspace(3) %b
  ret void
join:
  %result = phi i32 [ %l.new, %left ], [ -1, %question ]
  store i32 %result, ptr addrspace(3) %a
  ret void
}
