; REQUIRES: llvm-from-20
; Whatever of ours has changed a kernel for GFX11 or GFX12: its 16-bit values lie in whole registers (LLVM 21's fault,
; passes/llvm_fixes/whole_registers.h). What is as it was, and what is for others, keeps its own.
; RUN: sed 's/"target-cpu"="gfx900"/"target-cpu"="gfx1100"/' %S/../load-clauses/changed.ll | %opt -passes='default<O3>' -S | FileCheck %s
; RUN: sed 's/"target-cpu"="gfx900"/"target-cpu"="gfx1201"/' %S/../load-clauses/changed.ll | %opt -passes='default<O3>' -S | FileCheck %s
; RUN: %opt -passes='default<O3>' -S %S/../load-clauses/changed.ll | FileCheck %s --check-prefix=OTHERS

; CHECK: define {{.*}} @melded_in_a_function({{.*}} #[[CHANGED:[0-9]+]]
; CHECK: define {{.*}} @as_it_was({{.*}} #[[SAME:[0-9]+]]
; CHECK: attributes #[[CHANGED]] = { {{.*}}"target-features"="{{.*}}-real-true16"
; CHECK-NOT: real-true16
; CHECK: attributes #[[SAME]] =
; CHECK-NOT: real-true16
; OTHERS-NOT: real-true16
