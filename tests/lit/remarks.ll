; Each pass says what it did, and what it left, as optimization remarks, with the source's place.
; RUN: %opt -passes=meld-branch-fusion -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s
; RUN: %opt -passes=meld-cfm -disable-output -pass-remarks-output=%t.yaml %s
; RUN: FileCheck --check-prefix=YAML %s < %t.yaml
; RUN: %opt -passes=meld -S %s -o %t.with -pass-remarks=meld -pass-remarks-missed=meld 2>/dev/null
; RUN: %opt -passes=meld -S %s -o %t.without
; RUN: diff %t.with %t.without

; CHECK: remark: kernel.hip:7:3: meld-branch-fusion melded %entry at kernel.hip:7 (diamond): blocks 1, paired
; CHECK: remark: {{.*}}meld-branch-fusion left %join: does not diverge within a wave (width {{.*}})

; YAML: --- !Passed
; YAML-NEXT: Pass: meld
; YAML-NEXT: Name: Melded
; YAML-NEXT: DebugLoc: { File: kernel.hip, Line: 7, Column: 3 }
; YAML-NEXT: Function: k
; YAML: Pass: meld-cfm
; YAML: Place: '%entry at kernel.hip:7'
; YAML: --- !Missed
; YAML: Reason: 'does not diverge

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) !dbg !4 {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  br i1 %c, label %left, label %right, !dbg !7
left:
  %l = load i32, ptr addrspace(1) %g
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %g
  br label %join
right:
  %r = load i32, ptr addrspace(1) %g
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %g
  br label %join
join:
  %u = icmp eq i32 %n, 0
  br i1 %u, label %a, label %b
a:
  store i32 1, ptr addrspace(1) %p
  br label %b
b:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernel.hip", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 7, column: 3, scope: !4)
