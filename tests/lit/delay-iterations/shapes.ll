; Loops with a side that is dear: lanes that want it wait in a gate, in machine code, too, and each shape of side keeps
; what every lane runs. Only branches that lanes take apart, and sides that are dear, are chosen.
; RUN: %opt -passes='meld-delay-iterations<flatten-lanes=16>,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-delay-iterations<flatten-steps=3;flatten-lanes=16>,verify' -S %s | FileCheck %s --check-prefix=STEPS
; RUN: %opt -passes='meld-delay-iterations<flatten-steps=2;flatten-lanes=16>' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=TOLD
; LLVM's clean-up between the pass and code generation makes no nest of it again.
; RUN: %opt -passes='meld-delay-iterations<flatten-lanes=16>,simplifycfg,jump-threading,instcombine,loop-simplify,simplifycfg' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; Only by its own name, and once.
; RUN: %opt -passes='default<O2>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=all,delay-iterations' %opt -passes='default<O2>' -S %s | FileCheck %s --check-prefix=ON
; RUN: %opt -passes='meld-delay-iterations' -S %s | %opt -passes='meld-delay-iterations' -disable-output -pass-remarks=meld 2>&1 | FileCheck %s --check-prefix=AGAIN --allow-empty
; AGAIN-NOT: melded
; OFF-NOT: .round:
; ON: .round:

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; Iterations without the side are the inner loop; what is behind the side stands twice.
; TOLD: meld-delay-iterations melded %seldom (delayed a side in a loop at depth 1): U=2 T=16
; CHECK-LABEL: @seldom(
; CHECK: seldom.parted.round:
; CHECK: %where = phi i32 [ 0, %entry ], [ %where.next, %seldom.parted.turn ]
; CHECK: seldom:
; CHECK: br i1 %hit, label %side, label %next
; CHECK: side:
; CHECK-NEXT: phi
; CHECK: br label %seldom.parted.gate
; CHECK: side.behind:
; CHECK: mul
; CHECK: br label %next.aside
; CHECK: next:
; CHECK: br i1 %again, label %seldom.parted.gate, label %
; CHECK: next.aside:
; CHECK: %again.aside = icmp slt i32 %k1.aside, %n
; CHECK: br i1 %again.aside, label %seldom.parted.anew, label %
; CHECK: seldom.parted.gate:
; CHECK: ctpop
; CHECK: icmp uge i64 %{{.*}}, 16
; STEPS-LABEL: @seldom(
; STEPS: seldom.step2:
; STEPS: br i1 %hit.step2, label %side, label %next.step2
; STEPS: seldom.step3:
; STEPS: br i1 %hit.step3, label %side, label %next.step3
; ISA-LABEL: {{^}}seldom:
; ISA-NOT: Depth=2
; ISA: s_endpgm
define amdgpu_kernel void @seldom(ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %seldom
seldom:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  %s = phi i32 [ %x, %entry ], [ %t, %next ]
  %c = add i32 %s, 12345
  %m = and i32 %c, 31
  %hit = icmp eq i32 %m, 0
  br i1 %hit, label %side, label %next
side:
  %w0 = mul i32 %s, %s
  %w1 = mul i32 %w0, %w0
  %w2 = mul i32 %w1, %w1
  %w3 = mul i32 %w2, %w2
  %w4 = mul i32 %w3, %w3
  %w5 = mul i32 %w4, %w4
  %w6 = mul i32 %w5, %w5
  %w7 = mul i32 %w6, %w6
  %w8 = mul i32 %w7, %w7
  %w9 = mul i32 %w8, %w8
  %w10 = mul i32 %w9, %w9
  %w11 = mul i32 %w10, %w10
  br label %next
next:
  %t = phi i32 [ %c, %seldom ], [ %w11, %side ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %seldom, label %exit
exit:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %p
  ret void
}

; The side is the other one's else, has a loop and a way out of the loop in it, and what is behind it is a branch.
; TOLD: meld-delay-iterations melded %any_shape (delayed a side in a loop at depth 1): U=2 T=16
; CHECK-LABEL: @any_shape(
; CHECK: any_shape.parted.round:
; CHECK: br i1 %few, label %cheap, label %side
; CHECK: work:
; CHECK: br i1 %on, label %work, label %found
; CHECK: br i1 %out_of_it, label %{{.*}}, label %next.aside
; CHECK: behind.aside:
; CHECK: latch.aside:
; CHECK: br i1 %again.aside, label %any_shape.parted.anew, label %
; A loop in the side stays one.
; ISA-LABEL: {{^}}any_shape:
; ISA: Inner Loop Header: Depth=2
; ISA-NOT: Depth=2
; ISA: s_endpgm
define amdgpu_kernel void @any_shape(ptr addrspace(1) %out, i32 %n) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %any_shape
any_shape:
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  %s = phi i32 [ %x, %entry ], [ %u, %latch ]
  %m = and i32 %s, 31
  %few = icmp ne i32 %m, 0
  br i1 %few, label %cheap, label %side
cheap:
  %cheaper = xor i32 %s, 3
  br label %next
side:
  br label %work
work:
  %i = phi i32 [ 0, %side ], [ %i1, %work ]
  %a = phi i32 [ %s, %side ], [ %b, %work ]
  %a2 = mul i32 %a, %a
  %b = add i32 %a2, %i
  %i1 = add i32 %i, 1
  %on = icmp ult i32 %i1, 20
  br i1 %on, label %work, label %found
found:
  %out_of_it = icmp ugt i32 %b, -16
  br i1 %out_of_it, label %exit, label %next
next:
  %t = phi i32 [ %cheaper, %cheap ], [ %b, %found ]
  %odd = trunc i32 %t to i1
  br i1 %odd, label %behind, label %latch
behind:
  %v = add i32 %t, 7
  br label %latch
latch:
  %u = phi i32 [ %t, %next ], [ %v, %behind ]
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, %n
  br i1 %again, label %any_shape, label %exit
exit:
  %r = phi i32 [ %u, %latch ], [ %b, %found ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %r, ptr addrspace(1) %p
  ret void
}
