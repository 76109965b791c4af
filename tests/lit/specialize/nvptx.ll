; Facts of a launch on another SIMT target: registers of the launch instead of a packet, and structures as copies of the
; kernel's own, of which something is known where the kernel only reads them.
; RUN: %opt -passes='meld-specialize' -S %s | FileCheck %s
; RUN: env "MELD_PLUGIN_SPECIALIZE=loop: argument 8 4 0x4; workgroup 64 1 1" %opt -passes='default<O3>' -S %s | FileCheck %s --check-prefix=O3
; RUN: env MELD_PLUGIN_SPECIALIZE=loop %opt -passes='default<O3>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=WRONG

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()

%options = type { i32, float, i64 }

; Groups of 64 x 1, 10 of them in the first dimension (the last one is not full), and nothing known of the second.
; CHECK-LABEL: @launch(
; CHECK: icmp eq i32 64, 64
; CHECK: icmp eq i32 10, 10
; CHECK: %known.y = icmp eq i32 0, 0
; CHECK: icmp eq i32 %rows, 1
define ptx_kernel void @launch(ptr %p) "meld-facts"="workgroup 64 1 1; grid 0 601" {
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %count = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %rows = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %known.size = icmp eq i32 %size, 64
  %known.count = icmp eq i32 %count, 10
  %known.y = icmp eq i32 %y, 0
  %open = icmp eq i32 %rows, 1
  %a = select i1 %known.size, i32 1, i32 2
  %b = select i1 %known.count, i32 %a, i32 3
  %c = select i1 %known.y, i32 %b, i32 4
  %d = select i1 %open, i32 %c, i32 5
  store i32 %d, ptr %p
  ret void
}

; The structure lies at 8: an i32 at 8, a float at 12, an i64 at 16.
; CHECK-LABEL: @reads(
; CHECK: icmp sgt i32 3, 0
; CHECK: icmp eq i64 7, 7
define ptx_kernel void @reads(ptr %p, ptr byval(%options) align 8 %o) "meld-facts"="argument 8 4 0x3; argument 16 8 0x7" {
  %n = load i32, ptr %o
  %wide.at = getelementptr %options, ptr %o, i64 0, i32 2
  %wide = load i64, ptr %wide.at
  %more = icmp sgt i32 %n, 0
  %is = icmp eq i64 %wide, 7
  %a = select i1 %more, i32 1, i32 2
  %b = select i1 %is, i32 %a, i32 3
  store i32 %b, ptr %p
  ret void
}

; Written to before it is read, by the kernel, or perhaps by who is called.
; CHECK-LABEL: @writes(
; CHECK: icmp sgt i32 %n, 0
define ptx_kernel void @writes(ptr %p, ptr byval(%options) align 8 %o, i32 %x) "meld-facts"="argument 8 4 0x3" {
  store i32 %x, ptr %o
  %n = load i32, ptr %o
  %more = icmp sgt i32 %n, 0
  %a = select i1 %more, i32 1, i32 2
  store i32 %a, ptr %p
  ret void
}
; A structure that is less aligned than its type lies where its type would, and a pointer to memory of the caller's is a pointer.
; CHECK-LABEL: @layout(
; CHECK: icmp eq i32 9, 9
define ptx_kernel void @layout(ptr %p, i32 %a, ptr byval(%options) align 4 %o, ptr byref(%options) align 8 %r, i32 %x) "meld-facts"="argument 40 4 0x9" {
  %is = icmp eq i32 %x, 9
  %b = select i1 %is, i32 1, i32 2
  store i32 %b, ptr %p
  ret void
}
declare void @changes(ptr)
; CHECK-LABEL: @hands_on(
; CHECK: icmp sgt i32 %n, 0
define ptx_kernel void @hands_on(ptr %p, ptr byval(%options) align 8 %o) "meld-facts"="argument 8 4 0x3" {
  call void @changes(ptr %o)
  %n = load i32, ptr %o
  %more = icmp sgt i32 %n, 0
  %a = select i1 %more, i32 1, i32 2
  store i32 %a, ptr %p
  ret void
}

; What the plugin is told in its variable: four rounds, and none of them a loop.
; O3-LABEL: @loop(
; O3-NOT: icmp
; O3: ret void
; WRONG: MELD_PLUGIN_SPECIALIZE: not KERNEL: FACTS, loop
define ptx_kernel void @loop(ptr %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %round
round:
  %i = phi i32 [ 0, %entry ], [ %next, %round ]
  %x = phi i32 [ %t, %entry ], [ %y, %round ]
  %m = mul i32 %x, %x
  %y = xor i32 %m, %i
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %round, label %done
done:
  %at = getelementptr i32, ptr %p, i32 %t
  store i32 %y, ptr %at
  ret void
}
