; Reasons for which meld-xor-address leaves a partner's address, each on its own: one access in a kernel, so that nothing is handed
; over. The last kernel is one that it does not leave.
; RUN: %opt -passes=meld-xor-address -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
@lds = external addrspace(3) global [0 x i32], align 4

; A sum that reaches the sign is not extended as its parts are.
; CHECK-LABEL: @sign_extended(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i32 %w
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @sign_extended() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %n = trunc i32 %t to i8
  %x = xor i8 %n, -128
  %c = icmp ugt i8 %x, %n
  br i1 %c, label %here, label %done
here:
  %w = sext i8 %x to i32
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %w
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The address extends the index itself.
; CHECK-LABEL: @sign_of_the_index(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i8 %x
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @sign_of_the_index() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %n = trunc i32 %t to i8
  %x = xor i8 %n, -128
  %c = icmp ugt i8 %x, %n
  br i1 %c, label %here, label %done
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i8 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; What is cut off is no distance.
; CHECK-LABEL: @cut_off(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i8 %v
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @cut_off() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 256
  %c = icmp ugt i32 %x, %t
  br i1 %c, label %here, label %done
here:
  %v = trunc i32 %x to i8
  %q = getelementptr i32, ptr addrspace(3) @lds, i8 %v
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; That they differ tells nothing of which is above.
; CHECK-LABEL: @not_equal(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i32 %x
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @not_equal() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %c = icmp eq i32 %x, %t
  br i1 %c, label %done, label %here
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Signed, what has the sign is below.
; CHECK-LABEL: @signed(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i32 %x
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @signed() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, -2147483648
  %c = icmp sgt i32 %x, %t
  br i1 %c, label %here, label %done
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; Another bit is clear.
; CHECK-LABEL: @another_bit(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i32 %x
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @another_bit() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %m = and i32 %t, 8
  %c = icmp eq i32 %m, 0
  br i1 %c, label %here, label %done
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The bit is set where this runs.
; CHECK-LABEL: @set_here(
; CHECK: getelementptr i32, ptr addrspace(3) @lds, i32 %x
; CHECK-NOT: getelementptr i8
; CHECK: ret void
define amdgpu_kernel void @set_here() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %m = and i32 %t, 4
  %c = icmp eq i32 %m, 0
  br i1 %c, label %done, label %here
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}

; The bit is clear where this runs.
; CHECK-LABEL: @clear_here(
; CHECK: getelementptr i8, ptr addrspace(3) %{{.*}}, i32 16
; CHECK: ret void
define amdgpu_kernel void @clear_here() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %x = xor i32 %t, 4
  %m = and i32 %t, 4
  %c = icmp eq i32 %m, 0
  br i1 %c, label %here, label %done
here:
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store i32 1, ptr addrspace(3) %q
  br label %done
done:
  ret void
}
