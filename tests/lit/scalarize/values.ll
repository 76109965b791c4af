; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values' -S %s | FileCheck %s
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize<no-scalarize>' -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: call i32 @llvm.amdgcn.readfirstlane
; RUN: %opt -mcpu=gfx90a -passes='meld-scalarize-values<force>' -S %s | FileCheck %s --check-prefix=FORCE

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare void @llvm.amdgcn.s.barrier()

; (Divisions, since LLVM 17 knows the shift by itself.)
; The wave's number indexes a table: one read, and the address and the load are the scalar unit's.
; CHECK-LABEL: @wave_number(
; CHECK: %w = udiv i32 %x, 64
; CHECK: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %w)
; CHECK: %i = mul i32 %[[S]], %n
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @wave_number(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out, i32 %n) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %i = mul i32 %w, %n
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; What is read is not read again, whatever it costs.
; FORCE-LABEL: @once(
; FORCE-COUNT-1: call i32 @llvm.amdgcn.readfirstlane
; FORCE-NOT: readfirstlane
; FORCE: ret void
define amdgpu_kernel void @once(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  %v = load i32, ptr addrspace(1) %o
  %i = or i32 %v, %w
  store i32 %i, ptr addrspace(1) %o
  ret void
}

; Rows of 128 fill waves, so y is one per wave.
; CHECK-LABEL: @row(
; CHECK: call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %y)
define amdgpu_kernel void @row(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) !reqd_work_group_size !2 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %y
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; Only some lanes have %v, and the first one may not be among them: what those that have it hold in common is enough for a
; scalar register, and not for asking the first lane.
; CHECK-LABEL: @some_lanes(
; CHECK: %v = phi i32 [ %common, %then ], [ undef, %join ]
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @some_lanes(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out, i32 %a, i32 %b) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %odd = and i32 %x, 1
  %has = icmp ne i32 %odd, 0
  %which = icmp eq i32 %w, 0
  br i1 %which, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  %common = phi i32 [ %a, %left ], [ %b, %right ]
  br i1 %has, label %then, label %after
then:
  br label %after
after:
  %v = phi i32 [ %common, %then ], [ undef, %join ]
  %twice = mul i32 %v, %v
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %twice
  br i1 %has, label %use, label %end
use:
  %l = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %l, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; A comparison is done anew on the first lane's operand: its one bit need not be moved.
; CHECK-LABEL: @half(
; CHECK: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %x)
; CHECK: %[[C:.*]] = icmp ult i32 %[[S]], 64
; CHECK: br i1 %[[C]]
define amdgpu_kernel void @half(ptr addrspace(1) %out) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 64
  br i1 %c, label %low, label %end
low:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 1, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; The ids cancel; nothing has to be read from any lane.
; CHECK-LABEL: @cancelled(
; CHECK-NOT: readfirstlane
; CHECK: sub i32 %a, %b
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @cancelled(ptr addrspace(1) %out, i32 %a, i32 %b) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %l = add i32 %x, %a
  %r = add i32 %x, %b
  %d = sub i32 %l, %r
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %d
  store i32 0, ptr addrspace(1) %q
  ret void
}

; One addition is not worth it.
; CHECK-LABEL: @little(
; CHECK-NOT: readfirstlane
; CHECK: ret void
; WHY: meld-scalarize-values left {{.*}}: reading the first lane costs more than the scalar unit saves
define amdgpu_kernel void @little(ptr addrspace(1) %out, i32 %n) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %s = add i32 %w, %n
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %s, ptr addrspace(1) %o
  ret void
}

; Behind a divergent branch EXEC may be empty; a barrier in the block proves nothing.
; CHECK-LABEL: @apart(
; CHECK-NOT: readfirstlane
; CHECK: ret void
; WHY: meld-scalarize-values left {{.*}}: the wave may not be together here: EXEC may be empty
define amdgpu_kernel void @apart(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out, i32 %n) !reqd_work_group_size !0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %x, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %some, label %end
some:
  call void @llvm.amdgcn.s.barrier()
  %w = udiv i32 %x, 64
  %i = mul i32 %w, %n
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  br label %end
end:
  ret void
}

; Rows of 96: a wave holds the end of one and the start of the next.
; CHECK-LABEL: @ragged(
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @ragged(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) !reqd_work_group_size !1 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %y
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; No shape, no proof: other launches may put two rows into one wave.
; CHECK-LABEL: @unknown_shape(
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @unknown_shape(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 64
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %w
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; Volatile loads and atomics give each lane its own answer, from one address too.
; CHECK-LABEL: @own_answers(
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @own_answers(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q) !reqd_work_group_size !0 {
  %v = load volatile i32, ptr addrspace(1) %p
  %a = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %s = mul i32 %v, %a
  %g = getelementptr i32, ptr addrspace(1) %q, i32 %s
  %l = load i32, ptr addrspace(1) %g
  store i32 %l, ptr addrspace(1) %p
  ret void
}

; Waves of 32 are numbered by x / 32, and x / 64 is one per wave all the more.
; CHECK-LABEL: @wave32(
; CHECK: call i32 @llvm.amdgcn.readfirstlane{{(\.i32)?}}(i32 %w)
define amdgpu_kernel void @wave32(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) #0 !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 32
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %w
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; The same on waves of 64 differs within one.
; CHECK-LABEL: @wave64(
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @wave64(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %out) !reqd_work_group_size !0 {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %w = udiv i32 %x, 32
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %w
  %v = load i32, ptr addrspace(1) %q
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %v, ptr addrspace(1) %o
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" "target-features"="+wavefrontsize32" }
!0 = !{i32 256, i32 1, i32 1}
!1 = !{i32 96, i32 2, i32 1}
!2 = !{i32 128, i32 2, i32 1}
