; An LDS partner whose bit a branch tells is a distance away.
; RUN: %opt -passes=meld-xor-address -S %s | FileCheck %s
; RUN: %opt -passes=meld-xor-address -S %s | %llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx90a | FileCheck %s --check-prefix=CODE

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
@lds = external addrspace(3) global [0 x i32], align 4

; CHECK-LABEL: @clear_where_above(
; CHECK: %[[N:.*]] = getelementptr [0 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
; CHECK: getelementptr i8, ptr addrspace(3) %[[N]], i32 16
; CODE-LABEL: clear_where_above:
; CODE: ds_read2_b32 {{.*}} offset1:4
define amdgpu_kernel void @clear_where_above() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %c = icmp ugt i32 %x, %t
  br i1 %c, label %then, label %done
then:
  %p = getelementptr inbounds [0 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
  %q = getelementptr inbounds [0 x i32], ptr addrspace(3) @lds, i32 0, i32 %x
  %a = load i32, ptr addrspace(3) %p
  %b = load i32, ptr addrspace(3) %q
  %s = sub i32 %a, %b
  store i32 %s, ptr addrspace(3) %p
  br label %done
done:
  ret void
}

; Operands of the compare the other way round, and the other edge.
; CHECK-LABEL: @elsewhere(
; CHECK: other:
; CHECK: getelementptr i8, ptr addrspace(3) %{{.*}}, i32 32
define amdgpu_kernel void @elsewhere() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 8
  %c = icmp sgt i32 %t, %x
  br i1 %c, label %done, label %other
other:
  %q = getelementptr inbounds [0 x i32], ptr addrspace(3) @lds, i32 0, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The bit itself is asked for, with something else; the index is extended. Elements of eight bytes.
; CHECK-LABEL: @masked(
; CHECK: %[[W:.*]] = zext i32 %t to i64
; CHECK: %[[N:.*]] = getelementptr i64, ptr addrspace(3) @lds, i64 %[[W]]
; CHECK: getelementptr i8, ptr addrspace(3) %[[N]], i32 16
define amdgpu_kernel void @masked(i1 %more) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 2
  %z = icmp eq i32 %m, 0
  %c = select i1 %z, i1 %more, i1 false
  br i1 %c, label %then, label %done
then:
  %x = xor i32 %t, 2
  %w = zext i32 %x to i64
  %q = getelementptr i64, ptr addrspace(3) @lds, i64 %w
  store i64 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Rounds with a barrier between them; an index that two addresses share keeps what it is made of.
; CHECK-LABEL: @rounds(
; CODE-LABEL: rounds:
; CODE: ds_read2_b32 {{.*}} offset1:1
; CODE: s_barrier
; CODE: ds_read2_b32 {{.*}} offset1:2
define amdgpu_kernel void @rounds() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %own = getelementptr i32, ptr addrspace(3) @lds, i32 %t
  %x1 = xor i32 %t, 1
  %c1 = icmp ugt i32 %x1, %t
  br i1 %c1, label %one, label %between
one:
  %p1 = getelementptr i32, ptr addrspace(3) @lds, i32 %x1
  %a1 = load i32, ptr addrspace(3) %own
  %b1 = load i32, ptr addrspace(3) %p1
  store i32 %a1, ptr addrspace(3) %p1
  store i32 %b1, ptr addrspace(3) %own
  br label %between
between:
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
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
declare void @llvm.amdgcn.s.barrier()
