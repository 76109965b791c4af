// Scalar instructions one by one (decoded and run singly, see scalar_reference.h), and, for GFX9, small kernels that a
// compiler does not write: control flow through registers, hardware registers, register indexing, opcodes we lack.
	.text
	.globl scalar_begin
	.p2align 8
scalar_begin:
// 32-bit destination s0, sources s2 and s4; the 64-bit forms use s[0:1], s[2:3], s[4:5].
.macro two32 op
	\op s0, s2, s4
	\op s0, s4, -7
	\op s0, 0x9abcdef0, s4
	\op vcc_hi, s2, m0
.endm
.macro two64 op
	\op s[0:1], s[2:3], s[4:5]
	\op s[0:1], s[4:5], -7
	\op vcc, exec, s[4:5]
.endm
.macro shift64 op
	\op s[0:1], s[2:3], s4
	\op s[0:1], s[4:5], 9
	\op vcc, exec, s4
.endm
.macro one32 op
	\op s0, s2
	\op s0, -7
	\op vcc_lo, 0x00f01234
.endm
.macro one64 op
	\op s[0:1], s[2:3]
	\op s[0:1], 33
	\op vcc, exec
.endm
.macro count64 op
	\op s0, s[2:3]
	\op vcc_lo, -1
.endm
.macro cmp32 op
	\op s2, s4
	\op s2, 5
	\op 0x80000000, s4
.endm
.macro const16 op
	\op s2, 0x8001
	\op s2, 0x7ffe
	\op s2, 5
.endm
	.irp op, s_add_u32, s_sub_u32, s_add_i32, s_sub_i32, s_addc_u32, s_subb_u32, s_min_i32, s_min_u32, s_max_i32, s_max_u32, s_cselect_b32, s_and_b32, s_or_b32, s_xor_b32, s_andn2_b32, s_orn2_b32, s_nand_b32, s_nor_b32, s_xnor_b32, s_lshl_b32, s_lshr_b32, s_ashr_i32, s_bfm_b32, s_mul_i32, s_bfe_u32, s_bfe_i32, s_absdiff_i32, s_mul_hi_u32, s_mul_hi_i32, s_lshl1_add_u32, s_lshl2_add_u32, s_lshl3_add_u32, s_lshl4_add_u32, s_pack_ll_b32_b16, s_pack_lh_b32_b16, s_pack_hh_b32_b16
	two32 \op
	.endr
	.irp op, s_cselect_b64, s_and_b64, s_or_b64, s_xor_b64, s_andn2_b64, s_orn2_b64, s_nand_b64, s_nor_b64, s_xnor_b64
	two64 \op
	.endr
	.irp op, s_lshl_b64, s_lshr_b64, s_ashr_i64, s_bfe_u64, s_bfe_i64
	shift64 \op
	.endr
	s_bfm_b64 s[0:1], s2, s4
	s_bfm_b64 vcc, 17, s4
	.irp op, s_mov_b32, s_cmov_b32, s_not_b32, s_wqm_b32, s_brev_b32, s_bcnt0_i32_b32, s_bcnt1_i32_b32, s_ff1_i32_b32, s_flbit_i32_b32, s_flbit_i32, s_sext_i32_i8, s_sext_i32_i16, s_bitset0_b32, s_bitset1_b32, s_quadmask_b32, s_abs_i32
	one32 \op
	.endr
	.irp op, s_mov_b64, s_cmov_b64, s_not_b64, s_wqm_b64, s_brev_b64, s_quadmask_b64, s_and_saveexec_b64, s_or_saveexec_b64, s_xor_saveexec_b64, s_andn2_saveexec_b64, s_orn2_saveexec_b64, s_nand_saveexec_b64, s_nor_saveexec_b64, s_xnor_saveexec_b64, s_andn1_saveexec_b64, s_orn1_saveexec_b64, s_andn1_wrexec_b64, s_andn2_wrexec_b64
	one64 \op
	.endr
	.irp op, s_bcnt0_i32_b64, s_bcnt1_i32_b64, s_ff1_i32_b64, s_flbit_i32_b64, s_flbit_i32_i64
	count64 \op
	.endr
.if .amdgcn.gfx_generation_number < 11
	one32 s_ff0_i32_b32
	count64 s_ff0_i32_b64
.else
	two32 s_pack_hl_b32_b16
.endif
	s_bitset0_b64 s[0:1], s2
	s_bitset1_b64 s[0:1], s2
	s_bitreplicate_b64_b32 s[0:1], s2
	.irp op, s_cmp_eq_i32, s_cmp_lg_i32, s_cmp_gt_i32, s_cmp_ge_i32, s_cmp_lt_i32, s_cmp_le_i32, s_cmp_eq_u32, s_cmp_lg_u32, s_cmp_gt_u32, s_cmp_ge_u32, s_cmp_lt_u32, s_cmp_le_u32, s_bitcmp0_b32, s_bitcmp1_b32
	cmp32 \op
	.endr
	s_bitcmp0_b64 s[2:3], s4
	s_bitcmp1_b64 s[2:3], s4
	s_cmp_eq_u64 s[2:3], s[4:5]
	s_cmp_eq_u64 s[2:3], s[2:3]
	s_cmp_lg_u64 s[2:3], s[4:5]
	s_cmp_lg_u64 exec, s[4:5]
	.irp op, s_movk_i32, s_cmovk_i32, s_addk_i32, s_mulk_i32
	const16 \op
	.endr
.if .amdgcn.gfx_generation_number < 12
	.irp op, s_cmpk_eq_i32, s_cmpk_lg_i32, s_cmpk_gt_i32, s_cmpk_ge_i32, s_cmpk_lt_i32, s_cmpk_le_i32, s_cmpk_eq_u32, s_cmpk_lg_u32, s_cmpk_gt_u32, s_cmpk_ge_u32, s_cmpk_lt_u32, s_cmpk_le_u32
	const16 \op
	.endr
.else
	.irp op, s_add_nc_u64, s_sub_nc_u64, s_mul_u64
	two64 \op
	.endr
.endif
	s_mov_b32 s0, scc
.if .amdgcn.gfx_generation_number < 11
	s_mov_b32 s0, src_vccz
	s_mov_b32 s0, src_execz
	s_add_u32 s0, scc, src_execz
.endif
.if .amdgcn.gfx_generation_number >= 10
	.irp op, s_and_saveexec_b32, s_or_saveexec_b32, s_xor_saveexec_b32, s_andn2_saveexec_b32, s_orn2_saveexec_b32, s_nand_saveexec_b32, s_nor_saveexec_b32, s_xnor_saveexec_b32, s_andn1_saveexec_b32, s_orn1_saveexec_b32, s_andn1_wrexec_b32, s_andn2_wrexec_b32
	one32 \op
	.endr
	// The upper half of EXEC as destination, and nothing.
	s_mov_b32 exec_hi, s2
	s_mov_b64 exec, s[2:3]
	s_not_b64 exec, s[2:3]
	s_xor_b64 exec, exec, s[2:3]
	s_cselect_b64 exec, -1, s[2:3]
	s_bitset1_b64 exec, s2
	s_add_u32 exec_hi, s2, s4
	s_movk_i32 exec_hi, 0x1234
	s_addk_i32 exec_hi, 0x1234
	s_add_u32 null, s2, s4
	s_mov_b64 null, s[2:3]
	s_or_b32 s0, null, s4
.endif
	.globl scalar_end
scalar_end:
	s_endpgm

.if .amdgcn.gfx_generation_number == 9

.macro kernel name, vgprs=8
	.globl \name
	.p2align 8
	.type \name,@function
.endm
.if .amdgcn.gfx_generation_stepping == 10
.macro descriptor name, vgprs=8
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr \vgprs
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset \vgprs
	.end_amdhsa_kernel
	.text
.endm
.else
.macro descriptor name, vgprs=8
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr \vgprs
		.amdhsa_next_free_sgpr 96
	.end_amdhsa_kernel
	.text
.endm
.endif

// Stores SGPR \value at \index words from s[0:1].
.macro put index, value
	v_mov_b32 v1, \value
	v_mov_b32 v2, 4*\index
	global_store_dword v2, v1, s[2:3]
.endm

	kernel flow
flow:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_cmp_eq_u32 vcc, 0, v0
	s_and_saveexec_b64 s[4:5], vcc
	s_cbranch_execz flow_end
	// A call through registers: getpc, swappc, setpc.
	s_getpc_b64 s[10:11]
flow_pc:
	s_add_u32 s10, s10, flow_double-flow_pc
	s_addc_u32 s11, s11, 0
	s_movk_i32 s20, 21
	s_swappc_b64 s[12:13], s[10:11]
flow_back:
	put 0, s20
	// s_call_b64 and its return address.
	s_call_b64 s[12:13], flow_double
	.globl flow_back2
flow_back2:
	put 1, s20
	s_getpc_b64 s[14:15]
	.globl flow_pc2
flow_pc2:
	s_sub_u32 s14, s14, s12
	put 2, s14
	// Branches of every condition, taken and not.
	s_mov_b32 s21, 0
	s_cmp_eq_u32 s21, 0
	s_cbranch_scc0 flow_wrong
	s_cbranch_scc1 flow_a
	s_branch flow_wrong
flow_a:
	s_mov_b64 vcc, 0
	s_cbranch_vccnz flow_wrong
	s_cbranch_vccz flow_b
	s_branch flow_wrong
flow_b:
	s_cbranch_execz flow_wrong
	s_cbranch_execnz flow_c
	s_branch flow_wrong
flow_c:
	s_cbranch_cdbgsys flow_wrong
	s_movk_i32 s21, 77
flow_wrong:
	put 3, s21
	// Register moves by M0.
	s_mov_b32 s30, 100
	s_mov_b32 s31, 101
	s_mov_b32 s32, 102
	s_mov_b32 s33, 103
	s_mov_b32 m0, 2
	s_nop 0
	s_movrels_b32 s22, s30
	put 4, s22
	s_movrels_b64 s[24:25], s[30:31]
	put 5, s25
	s_movreld_b32 s30, s20
	put 6, s32
	// Hardware registers: fields of MODE are written and read back.
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 9
	s_getreg_b32 s26, hwreg(HW_REG_MODE, 0, 4)
	put 7, s26
	s_mov_b32 s27, 2
	s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s27
	s_getreg_b32 s26, hwreg(HW_REG_MODE, 0, 4)
	put 8, s26
	s_cmp_eq_u32 s27, s27
	s_getreg_b32 s26, hwreg(HW_REG_STATUS, 0, 1)
	put 9, s26
	s_getreg_b32 s26, hwreg(HW_REG_SH_MEM_BASES, 16, 16)
	put 10, s26
	s_mov_b64 s[28:29], src_private_base
	put 11, s29
	// VGPR indexing: v1 .. of the index 3.
	v_mov_b32 v4, 44
	v_mov_b32 v5, 55
	v_mov_b32 v6, 66
	s_mov_b32 s34, 1
	s_set_gpr_idx_on s34, 0x1
	v_mov_b32 v3, v4
	s_set_gpr_idx_off
	v_mov_b32 v2, 4*12
	global_store_dword v2, v3, s[2:3]
	s_set_gpr_idx_on s34, 0x8
	s_set_gpr_idx_idx s27
	v_mov_b32 v4, s34
	s_set_gpr_idx_off
	v_mov_b32 v2, 4*13
	global_store_dword v2, v6, s[2:3]
	// Not a trap without a debugger; nothing to wait for.
	s_trap 3
	s_setprio 3
	s_sethalt 0
	s_icache_inv
	s_sleep 1
	s_waitcnt 0
	s_mov_b32 s20, 1234
	put 14, s20
flow_end:
	s_endpgm
flow_double:
	s_lshl_b32 s20, s20, 1
	s_setpc_b64 s[12:13]
	descriptor flow

// An opcode without meaning, behind a branch that depends on the argument.
	kernel unknown
unknown:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dword s4, s[2:3], 0x0
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc1 unknown_end
	.globl unknown_bad
unknown_bad:
	.long 0xbe80fe00
unknown_end:
	s_endpgm
	descriptor unknown

	kernel unsupported
unsupported:
	image_load v0, v[0:3], s[0:7] dmask:0x1 unorm
	s_endpgm
	descriptor unsupported

// Goes on where nothing has been decoded yet.
	kernel far
far:
	v_mov_b32 v1, v0
	s_mov_b32 s2, 1
	s_nop 0
	v_mov_b32 v2, v1
	s_branch far_end
	s_nop 0
far_end:
	s_endpgm
	descriptor far

// Jumps to nowhere.
	kernel lost
lost:
	s_mov_b64 s[2:3], 0x1000
	s_setpc_b64 s[2:3]
	descriptor lost

	kernel halts
halts:
	s_sethalt 1
	s_endpgm
	descriptor halts
.endif
