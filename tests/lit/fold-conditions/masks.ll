; Comparisons whose outcome is known become constants in code for waves of 32, whose lane masks LLVM folds
; wrongly; also where only the range of a work-item's id tells.
; RUN: %opt -passes=meld-fold-conditions,verify %s -S | FileCheck %s
; Left out by name: nothing changes.
; RUN: env MELD_PLUGIN_OPTIONS='exclude=.*' %opt -passes=meld-fold-conditions %s -S | FileCheck %s --check-prefix=OUT
; OUT-NOT: !range
; OUT: icmp ugt i32 %a, %x

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()

; An id below 256 has no bit 31, so the comparison is false, and with it all that is made of it.
; CHECK-LABEL: @known(
; CHECK: call i32 @llvm.amdgcn.workitem.id.x(), !range [[OF256:![0-9]+]]
; CHECK-NOT: icmp ugt
; CHECK: %e = icmp eq i32 %x, 7
; CHECK: %v = select i1 %e, i32 1, i32 2
; CHECK-NEXT: store i32 %v
; CHECK-NEXT: store i32 3
define amdgpu_kernel void @known(ptr addrspace(1) %out, i32 %n, i32 %x) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %and = and i32 %t, %n
  %a = lshr i32 %and, 31
  %c = icmp ugt i32 %a, %x
  %e = icmp eq i32 %x, 7
  %both = or i1 %c, %e
  %v = select i1 %both, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  %not = xor i1 %c, true
  %d = select i1 %not, i1 true, i1 %e
  %w = select i1 %d, i32 3, i32 4
  store i32 %w, ptr addrspace(1) %out
  ret void
}

; Each kind of comparison, by bits that are known: 8 <= b <= 15.
; CHECK-LABEL: @kinds(
; CHECK-NOT: icmp
; CHECK: store i32 1023,
; CHECK-NEXT: ret void
define amdgpu_kernel void @kinds(ptr addrspace(1) %out, i32 %n) #0 {
  %low = and i32 %n, 7
  %b = or i32 %low, 8
  %eq = icmp eq i32 %b, %low
  %ne = icmp ne i32 %b, %low
  %ugt = icmp ugt i32 %b, %low
  %uge = icmp uge i32 %b, %low
  %ult = icmp ult i32 %b, %low
  %ule = icmp ule i32 %b, %low
  %sgt = icmp sgt i32 %b, %low
  %sge = icmp sge i32 %b, %low
  %slt = icmp slt i32 %b, %low
  %sle = icmp sle i32 %b, %low
  %v0 = select i1 %eq, i32 0, i32 1
  %v1 = select i1 %ne, i32 2, i32 0
  %v2 = select i1 %ugt, i32 4, i32 0
  %v3 = select i1 %uge, i32 8, i32 0
  %v4 = select i1 %ult, i32 0, i32 16
  %v5 = select i1 %ule, i32 0, i32 32
  %v6 = select i1 %sgt, i32 64, i32 0
  %v7 = select i1 %sge, i32 128, i32 0
  %v8 = select i1 %slt, i32 0, i32 256
  %v9 = select i1 %sle, i32 0, i32 512
  %s0 = or i32 %v0, %v1
  %s1 = or i32 %s0, %v2
  %s2 = or i32 %s1, %v3
  %s3 = or i32 %s2, %v4
  %s4 = or i32 %s3, %v5
  %s5 = or i32 %s4, %v6
  %s6 = or i32 %s5, %v7
  %s7 = or i32 %s6, %v8
  %s8 = or i32 %s7, %v9
  store i32 %s8, ptr addrspace(1) %out
  ret void
}

; The size that is required tells each dimension's range.
; CHECK-LABEL: @shaped(
; CHECK: workitem.id.y(), !range [[OF4:![0-9]+]]
; CHECK: store i32 1,
define amdgpu_kernel void @shaped(ptr addrspace(1) %out) #0 !reqd_work_group_size !0 {
  %t = call i32 @llvm.amdgcn.workitem.id.y()
  %c = icmp ult i32 %t, 4
  %v = select i1 %c, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; 255 is an id.
; CHECK-LABEL: @border(
; CHECK: icmp ult i32 %t, 255
define amdgpu_kernel void @border(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, 255
  %v = select i1 %c, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; What cancels only instruction selection would find: such a comparison is kept from it where conditions of another
; block are made of it, also by way of other conditions.
; CHECK-LABEL: @cancels(
; CHECK: [[S:%.*]] = call i32 asm "", "=v,0"(i32 %s)
; CHECK-NEXT: %c = icmp eq i32 [[S]], 0
; CHECK: [[T:%.*]] = call i32 asm "", "=v,0"(i32 %t)
; CHECK-NEXT: %k = icmp sgt i32 5, [[T]]
define amdgpu_kernel void @cancels(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %e, i1 %way) #0 {
  %x = sub i32 %a, %b
  %y = sub i32 %b, %a
  %s = add i32 %x, %y
  %c = icmp eq i32 %s, 0
  %t = mul i32 %x, %y
  %k = icmp sgt i32 5, %t
  %not = xor i1 %k, true
  br i1 %way, label %then, label %end
then:
  %d = select i1 %c, i1 true, i1 %e
  %f = or i1 %not, %d
  %v = select i1 %f, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Nothing can cancel where no value is reached twice, nothing is handed on where conditions stay in their block or only
; choose between values and ways, and what other blocks compute instruction selection does not see.
; CHECK-LABEL: @plain(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @plain(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %e) #0 {
  %x = sub i32 %a, %b
  %once = icmp eq i32 %x, 7
  %y = sub i32 %b, %a
  %s = add i32 %x, %y
  %way = icmp eq i32 %s, 0
  %here = icmp slt i32 %s, 0
  %joined = or i1 %here, %e
  %w = select i1 %joined, i32 5, i32 6
  store i32 %w, ptr addrspace(1) %out
  br i1 %way, label %then, label %end
then:
  %behind = icmp sgt i32 %s, %x
  %d = or i1 %once, %e
  %v = select i1 %d, i32 1, i32 2
  %u = select i1 %way, i32 %v, i32 3
  store i32 %u, ptr addrspace(1) %out
  br label %end
end:
  %both = phi i1 [ %behind, %then ], [ false, %0 ]
  %r = select i1 %both, i32 1, i32 2
  store i32 %r, ptr addrspace(1) %out
  ret void
}

; Waves of 64 are left as they are.
; CHECK-LABEL: @wave64(
; CHECK: icmp ugt i32 %a, %x
define amdgpu_kernel void @wave64(ptr addrspace(1) %out, i32 %n, i32 %x) #1 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %and = and i32 %t, %n
  %a = lshr i32 %and, 31
  %c = icmp ugt i32 %a, %x
  %v = select i1 %c, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK-DAG: [[OF256]] = !{i32 0, i32 256}
; CHECK-DAG: [[OF4]] = !{i32 0, i32 4}
attributes #0 = { "target-cpu"="gfx1030" "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
!0 = !{i32 64, i32 4, i32 1}
