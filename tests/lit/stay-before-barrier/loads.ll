; What is loaded before a barrier and used in another block stays before the barrier: machine code sinking takes loads
; across barriers and fences, which it does not count as stores.
; RUN: %opt -passes=meld-stay-before-barrier,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-stay-before-barrier %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-stay-before-barrier %s -S | %llc -O3 -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA
; Left out by name: nothing changes.
; RUN: env MELD_PLUGIN_OPTIONS='exclude=.*' %opt -passes=meld-stay-before-barrier %s -S | FileCheck %s --check-prefix=OUT
; OUT-NOT: asm

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [256 x i32] undef, align 4
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()

; Another wave may already write the place, behind the second barrier, when this one comes to the use.
; CHECK-LABEL: @exchanged(
; CHECK: %x = load i32, ptr addrspace(3) %p
; CHECK-NEXT: call void asm "", "v"(i32 %x) [[CONVERGENT:#[0-9]+]]
; ISA-LABEL: exchanged:
; ISA: s_barrier
; ISA: ds_read_b32
; ISA: s_barrier
; ISA-NOT: ds_read_b32
; ISA: s_endpgm
define amdgpu_kernel void @exchanged(ptr addrspace(1) %out, i32 %n, i1 %c) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %mine = getelementptr [256 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
  store i32 %n, ptr addrspace(3) %mine
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %other = xor i32 %t, %n
  %masked = and i32 %other, 255
  %p = getelementptr [256 x i32], ptr addrspace(3) @lds, i32 0, i32 %masked
  %x = load i32, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x, ptr addrspace(1) %q
  br label %end
end:
  store i32 9, ptr addrspace(3) %mine
  ret void
}

; Through a value that could move along; one of the two is needed by a store in the block.
; CHECK-LABEL: @chain(
; CHECK: %x = load
; CHECK-NEXT: asm "", "v"(i32 %x)
; CHECK-NEXT: %y = load
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @chain(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i1 %c) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %r = getelementptr i32, ptr addrspace(1) %b, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %x = load i32, ptr addrspace(1) %p
  %y = load i32, ptr addrspace(1) %r
  %x2 = mul i32 %x, %x
  %y2 = mul i32 %y, %y
  store i32 %y2, ptr addrspace(1) %q
  fence syncscope("agent") seq_cst
  br i1 %c, label %then, label %end
then:
  store i32 %x2, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; No barrier behind it, constant memory, memory that is marked as such: these may go where they are used.
; CHECK-LABEL: @free(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @free(ptr addrspace(1) %a, ptr addrspace(4) %k, ptr addrspace(1) %out, i1 %c) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %r = getelementptr i32, ptr addrspace(4) %k, i32 %t
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %k1 = load i32, ptr addrspace(4) %r
  %k2 = load i32, ptr addrspace(1) %p, !invariant.load !0
  call void @llvm.amdgcn.s.barrier()
  %x = load i32, ptr addrspace(1) %p
  br i1 %c, label %then, label %end
then:
  %s1 = add i32 %k1, %k2
  %s2 = add i32 %s1, %x
  store i32 %s2, ptr addrspace(1) %q
  br label %end
end:
  ret void
}

; In pieces, and in scalar registers where the load is a scalar one.
; CHECK-LABEL: @pieces(
; CHECK: %wide = load <3 x i32>
; CHECK-COUNT-3: asm "", "v"(i32 %
; CHECK: %narrow = load i16
; CHECK: asm "", "v"(i32 %
; CHECK: %uniform = load i64
; CHECK-NEXT: asm "", "s"(i64 %uniform)
; CHECK: ret void
; ISA-LABEL: pieces:
; ISA-DAG: s_load_dwordx2
; ISA-DAG: global_load_dwordx3
; ISA: s_barrier
; ISA-NOT: v_readfirstlane
; ISA: s_endpgm
define amdgpu_kernel void @pieces(ptr addrspace(1) %a, ptr addrspace(1) %u, ptr addrspace(1) %out, i1 %c) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i32 %t
  %q = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  %wide = load <3 x i32>, ptr addrspace(1) %p
  %n = getelementptr i8, ptr addrspace(1) %p, i32 12
  %narrow = load i16, ptr addrspace(1) %n
  %uniform = load i64, ptr addrspace(1) %u, !amdgpu.noclobber !0
  call void @llvm.amdgcn.s.barrier()
  br i1 %c, label %then, label %end
then:
  store <3 x i32> %wide, ptr addrspace(1) %q
  %m = getelementptr i8, ptr addrspace(1) %q, i32 12
  store i16 %narrow, ptr addrspace(1) %m
  %o = getelementptr i8, ptr addrspace(1) %q, i32 4
  store i64 %uniform, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

!0 = !{}

; A vector that no register class knows goes as one integer.
; CHECK-LABEL: @bytes(
; CHECK: %x = load <8 x i8>, ptr addrspace(3) %p
; CHECK-NEXT: [[WHOLE:%.*]] = bitcast <8 x i8> %x to i64
; CHECK-NEXT: call void asm "", "v"(i64 [[WHOLE]])
; ISA-LABEL: bytes:
; ISA: s_endpgm
define amdgpu_kernel void @bytes(ptr addrspace(1) %out, i32 %n, i1 %c) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %other = xor i32 %t, %n
  %masked = and i32 %other, 127
  %p = getelementptr [128 x <8 x i8>], ptr addrspace(3) @lds, i32 0, i32 %masked
  %x = load <8 x i8>, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %c, label %use, label %done
use:
  store <8 x i8> %x, ptr addrspace(1) %out
  br label %done
done:
  ret void
}

; CHECK: attributes [[CONVERGENT]] = { convergent
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
