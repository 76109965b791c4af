; Another SIMT target: sources of divergence, a melded diamond, and code for it.
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s | FileCheck %s --check-prefix=WIDTHS
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s -o - | %llc -mcpu=sm_70 | FileCheck %s --check-prefix=PTX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; WIDTHS-LABEL: function: diamond, wave 32
; WIDTHS: all: i32 %n
; WIDTHS: thread: {{ *}}%t =
; WIDTHS: workgroup: {{ *}}%g =
; WIDTHS: branch thread
; CHECK-LABEL: @diamond(
; CHECK: select i1
; CHECK: store float
; CHECK-NOT: store float
; CHECK: ret void
; PTX: .visible .entry diamond(
; PTX: selp
; PTX: st.global.{{[fb]}}32
; PTX-NOT: st.global.{{[fb]}}32
; PTX: ret;
define void @diamond(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = add i32 %t, %g
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %left, label %right
left:
  %pl = getelementptr float, ptr addrspace(1) %p, i32 %i
  %a = load float, ptr addrspace(1) %pl
  %a1 = fmul float %a, 2.0
  store float %a1, ptr addrspace(1) %pl
  br label %join
right:
  %pr = getelementptr float, ptr addrspace(1) %q, i32 %i
  %b = load float, ptr addrspace(1) %pr
  %b1 = fmul float %b, 3.0
  store float %b1, ptr addrspace(1) %pr
  br label %join
join:
  ret void
}

; One value for the grid: untouched.
; CHECK-LABEL: @argument(
; CHECK-COUNT-2: store float
define void @argument(ptr addrspace(1) %p, i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %left, label %right
left:
  store float 1.0, ptr addrspace(1) %p
  br label %join
right:
  store float 2.0, ptr addrspace(1) %p
  br label %join
join:
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @diamond, !"kernel", i32 1}
!1 = !{ptr @argument, !"kernel", i32 1}

; What a pointer of the host's leads to is the same for all threads of a wave that read the same place; a copy of the
; kernel's own, or what a pointer in memory leads to, may be each thread's.
; WIDTHS-LABEL: function: loads, wave 32
; WIDTHS: wave: {{ *}}%x =
; WIDTHS: thread: {{ *}}%y =
; WIDTHS: thread: {{ *}}%own =
; WIDTHS: thread: {{ *}}%far =
; WIDTHS: thread: {{ *}}%now =
define ptx_kernel void @loads(ptr %p, ptr byval({ i32, ptr }) %o, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr %p, i64 %n
  %x = load i32, ptr %px
  %py = getelementptr i32, ptr %p, i32 %t
  %y = load i32, ptr %py
  %own = load i32, ptr %o
  %po = getelementptr { i32, ptr }, ptr %o, i64 0, i32 1
  %pf = load ptr, ptr %po
  %far = load i32, ptr %pf
  %now = load volatile i32, ptr %px
  %a = add i32 %x, %y
  %b = add i32 %own, %far
  %c = add i32 %a, %b
  %d = add i32 %c, %now
  store i32 %d, ptr %py
  ret void
}
