; What meld-xor-address leaves.
; RUN: %opt -passes=meld-xor-address -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
@lds = external addrspace(3) global [0 x i32], align 4

; No branch tells the bit; one tells it elsewhere; another bit; equality tells nothing of x ^ 1.
define amdgpu_kernel void @untold(i1 %b) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  %m = and i32 %t, 8
  %c = icmp eq i32 %m, 0
  br i1 %c, label %then, label %join
then:
  store i32 2, ptr addrspace(3) %q
  %r = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 3, ptr addrspace(3) %r
  br label %join
join:
  %y = xor i32 %t, 8
  %s = getelementptr i32, ptr addrspace(3) @lds, i32 %y
  store i32 4, ptr addrspace(3) %s
  %e = icmp eq i32 %y, %t
  br i1 %e, label %same, label %done
same:
  %u = getelementptr i32, ptr addrspace(3) @lds, i32 %y
  store i32 5, ptr addrspace(3) %u
  br label %done
done:
  ret void
}

; Several bits; the signed comparison of what turns the sign; both ways to one block.
define amdgpu_kernel void @others() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 6
  %c = icmp ugt i32 %x, %t
  br i1 %c, label %then, label %more
then:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %more
more:
  %y = xor i32 %t, -2147483648
  %d = icmp sgt i32 %y, %t
  br i1 %d, label %turned, label %last
turned:
  %r = getelementptr i32, ptr addrspace(3) @lds, i32 %y
  store i32 2, ptr addrspace(3) %r
  br label %last
last:
  %z = xor i32 %t, 1
  %e = icmp ugt i32 %z, %t
  br i1 %e, label %done, label %done
done:
  %s = getelementptr i32, ptr addrspace(3) @lds, i32 %z
  store i32 3, ptr addrspace(3) %s
  ret void
}

; A narrow index, which the address extends from its sign; a bit that is cut off; global memory.
define amdgpu_kernel void @widths(ptr addrspace(1) %a) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %n = trunc i32 %t to i8
  %x = xor i8 %n, -128
  %c = icmp ugt i8 %x, %n
  br i1 %c, label %then, label %more
then:
  %q = getelementptr i32, ptr addrspace(3) @lds, i8 %x
  store i32 1, ptr addrspace(3) %q
  %w = sext i8 %x to i32
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %w
  store i32 1, ptr addrspace(3) %p
  br label %more
more:
  %y = xor i32 %t, 256
  %d = icmp ugt i32 %y, %t
  br i1 %d, label %cut, label %done
cut:
  %v = trunc i32 %y to i8
  %r = getelementptr i32, ptr addrspace(3) @lds, i8 %v
  store i32 2, ptr addrspace(3) %r
  %g = getelementptr i32, ptr addrspace(1) %a, i32 %y
  store i32 3, ptr addrspace(1) %g
  br label %done
done:
  ret void
}

; Set where it runs: the partner lies below. Half-words: both would be read as one word.
define amdgpu_kernel void @below_and_near() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 1
  %c = icmp ult i32 %x, %t
  br i1 %c, label %below, label %near
below:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
near:
  %h = getelementptr i16, ptr addrspace(3) @lds, i32 %x
  store i16 1, ptr addrspace(3) %h
  br label %done
done:
  ret void
}

; Another x in each round, and no barrier between the rounds.
define amdgpu_kernel void @in_a_loop(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %x = xor i32 %i, 1
  %c = icmp uge i32 %x, %i
  br i1 %c, label %near, label %latch
near:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %latch
latch:
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; Lanes hand values over without a barrier: what one wrote in the first round is read in the second.
define amdgpu_kernel void @handed_over() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  %x1 = xor i32 %t, 1
  %c1 = icmp ugt i32 %x1, %t
  br i1 %c1, label %one, label %next
one:
  %p1 = getelementptr i32, ptr addrspace(3) @lds, i32 %x1
  %a1 = load i32, ptr addrspace(3) %own
  %b1 = load i32, ptr addrspace(3) %p1
  store i32 %a1, ptr addrspace(3) %p1
  store i32 %b1, ptr addrspace(3) %own
  br label %next
next:
  fence syncscope("singlethread") seq_cst
  %x2 = xor i32 %t, 2
  %c2 = icmp ugt i32 %x2, %t
  br i1 %c2, label %two, label %done
two:
  %p2 = getelementptr i32, ptr addrspace(3) @lds, i32 %x2
  %a2 = load i32, ptr addrspace(3) %own
  %b2 = load i32, ptr addrspace(3) %p2
  store i32 %a2, ptr addrspace(3) %p2
  store i32 %b2, ptr addrspace(3) %own
  br label %done
done:
  ret void
}

; What is read before another lane writes it.
define amdgpu_kernel void @read_before(ptr addrspace(1) %a) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  %v = load i32, ptr addrspace(3) %own
  %x = xor i32 %t, 4
  %c = icmp ugt i32 %x, %t
  br i1 %c, label %one, label %done
one:
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %p
  br label %done
done:
  store i32 %v, ptr addrspace(1) %a
  ret void
}

; A function's and an intrinsic's accesses of LDS are as good as any.
define amdgpu_kernel void @by_calls(ptr addrspace(1) %a) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %c = icmp ugt i32 %x, %t
  br i1 %c, label %one, label %done
one:
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %p
  br label %done
done:
  call void @llvm.memcpy.p1.p3.i32(ptr addrspace(1) %a, ptr addrspace(3) @lds, i32 256, i1 false)
  ret void
}
declare void @llvm.memcpy.p1.p3.i32(ptr addrspace(1), ptr addrspace(3), i32, i1)
