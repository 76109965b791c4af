// Programs of gfx1201 that gfx1201_test.cpp runs on a wave of its own, whose results stay in SGPRs, and a kernel.
	.text
.include "rdna.inc"

// The hardware's registers, MODE's fields, and instructions that have nothing to do here.
	program registers
	s_version 0x2006
	s_clause 0x1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_wait_event 0x1
	s_wait_idle
	s_wait_alu 0xffe3
	s_wait_loadcnt 0x0
	s_wait_storecnt 0x0
	s_wait_samplecnt 0x0
	s_wait_bvhcnt 0x0
	s_wait_expcnt 0x0
	s_wait_dscnt 0x0
	s_wait_kmcnt 0x0
	s_wait_loadcnt_dscnt 0x0
	s_wait_storecnt_dscnt 0x0
	s_icache_inv
	s_round_mode 0x6
	s_denorm_mode 0x9
	s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
	s_mov_b32 s2, 0x11112222
	s_setreg_b32 hwreg(HW_REG_SCRATCH_BASE_LO), s2
	s_setreg_imm32_b32 hwreg(HW_REG_SCRATCH_BASE_HI), 0x33334444
	s_getreg_b32 s21, hwreg(HW_REG_SCRATCH_BASE_LO)
	s_getreg_b32 s22, hwreg(HW_REG_SCRATCH_BASE_HI)
	s_getreg_b32 s23, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_cmp_eq_u32 s2, s2
	s_getreg_b32 s24, hwreg(HW_REG_STATE_PRIV, 9, 1)
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, 1
	s_getreg_b32 s25, hwreg(HW_REG_STATUS, 9, 2)
	s_getreg_b32 s26, hwreg(HW_REG_STATUS, 29, 1)
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 2), 0x3
	s_getreg_b32 s27, hwreg(HW_REG_MODE, 8, 2)
	s_getreg_b32 s28, hwreg(HW_REG_SHADER_CYCLES_LO)
	s_getreg_b32 s29, hwreg(HW_REG_SHADER_CYCLES_HI)
	s_setreg_imm32_b32 hwreg(18, 0, 7), 0x51
	s_setreg_imm32_b32 hwreg(18, 4, 2), 0x2
	s_getreg_b32 s30, hwreg(18)
	s_sleep_var s2
	s_endpgm

	program nothing
	s_mov_b32 m0, 5
	s_mov_b32 null, 7
	s_mov_b32 s20, m0
	s_mov_b32 s21, null
	s_mov_b64 s[22:23], null
	s_endpgm

	common_programs

// 64-bit integers: no carry, SCC stays.
	program wide
	s_cmp_eq_u32 s2, s2
	s_mov_b64 s[2:3], -1
	s_mov_b32 s4, 2
	s_mov_b32 s5, 1
	s_add_nc_u64 s[20:21], s[2:3], s[4:5]
	s_sub_nc_u64 s[22:23], s[4:5], s[2:3]
	s_mul_u64 s[24:25], s[4:5], s[4:5]
	s_cselect_b32 s26, 1, 0
	s_endpgm

// Floats without the vector unit, and its functions of a scalar.
	program floats
	s_mov_b32 s2, 1.5
	s_mov_b32 s3, 2.0
	s_mov_b32 s4, 0x7fc00000
	s_add_f32 s20, s2, s3
	s_fmac_f32 s20, s2, s3
	s_fmaak_f32 s21, s2, s3, 0x41200000
	s_fmamk_f32 s22, s2, 0x41200000, s3
	s_cvt_f32_i32 s23, -7
	s_cvt_i32_f32 s24, s20
	s_cmp_lt_f32 s2, s3
	s_cselect_b32 s25, 1, 0
	s_cmp_nge_f32 s2, s4
	s_cselect_b32 s26, 1, 0
	s_min_num_f32 s27, s2, s4
	s_maximum_f32 s28, s2, s4
	v_s_rcp_f32 s29, s3
	v_s_exp_f32 s30, -s3
	s_cvt_pk_rtz_f16_f32 s31, s2, s3
	s_mul_f16 s32, s31, 4.0
	s_cvt_hi_f32_f16 s33, s31
	s_floor_f32 s34, -0.5
	s_endpgm

// Of memory at s[10:11].
	program loads
	s_load_u8 s20, s[10:11], 0x3
	s_load_i8 s21, s[10:11], 0x3
	s_load_u16 s22, s[10:11], 0x2
	s_load_i16 s23, s[10:11], 0x2
	s_load_b96 s[24:26], s[10:11], 0x0
	s_load_b32 s27, s[10:11], -0x4
	s_prefetch_data s[10:11], 0x0, null, 0
	s_prefetch_inst s[10:11], 0x0, null, 0
	s_wait_kmcnt 0x0
	s_endpgm

// Two operations in one instruction: a register each, and a swap.
	program pairs
.if WAVE64 == 0
	v_mov_b32 v0, 1.0
	v_mov_b32 v1, 2.0
	v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0
	v_dual_add_f32 v2, v0, v1 :: v_dual_max_num_f32 v3, v1, v0
	v_readfirstlane_b32 s20, v0
	v_readfirstlane_b32 s21, v1
	v_readfirstlane_b32 s22, v2
	v_readfirstlane_b32 s23, v3
.endif
	s_endpgm

// A barrier in one workgroup of one wave, before and after it has signalled.
	program barrier
	s_get_barrier_state s20, -1
	s_barrier_signal -1
	s_get_barrier_state s21, -1
	s_barrier_wait 0xffff
	s_endpgm

	// Barriers with names are not here.
	program named
	s_barrier_signal 1
	s_endpgm

// split(uint32_t *out, uint32_t *first), workgroups of 256: each work-item reads from LDS what the work-item opposite wrote
// before it said so; between that and waiting, the first wave of each phase counts itself. out: the work-item opposite,
// and the wave's number in bits 16 and up.
	.globl split
	.p2align 8
	.type split,@function
split:
	s_load_b128 s[4:7], s[0:1], 0x0
	v_lshlrev_b32 v1, 2, v0
	v_sub_nc_u32 v4, 0x3fc, v1
	v_mov_b32 v3, 0
	v_mov_b32 v6, 0
	s_wait_kmcnt 0x0
	s_mov_b32 s13, 3
split_phase:
	v_add_nc_u32 v7, s13, v0
	ds_store_b32 v1, v7
	s_wait_dscnt 0x0
	s_barrier_signal_isfirst -1
	s_cselect_b32 s8, 1, 0
	v_mov_b32 v2, s8
	s_mov_b64 s[10:11], exec
	s_mov_b64 exec, 1
	global_atomic_add_u32 v3, v2, s[6:7]
	s_mov_b64 exec, s[10:11]
	s_barrier_wait 0xffff
	ds_load_b32 v5, v4
	s_wait_dscnt 0x0
	v_subrev_nc_u32 v5, s13, v5
	v_max_u32 v6, v6, v5
	s_barrier_signal -1
	s_barrier_wait 0xffff
	s_sub_co_i32 s13, s13, 1
	s_cmp_lg_u32 s13, 0
	s_cbranch_scc1 split_phase
	s_bfe_u32 s9, ttmp8, 0x50019
	s_lshl_b32 s9, s9, 16
	v_or_b32 v6, s9, v6
	s_lshl_b32 s12, ttmp9, 10
	v_add_nc_u32 v1, s12, v1
	global_store_b32 v1, v6, s[4:5]
	s_endpgm

	.section .rodata
	.p2align 6
	.amdhsa_kernel split
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_wavefront_size32 1-WAVE64
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel

// waves(uint32_t *out): of each wave, what SGPR 2 begins with: how many there are in the workgroup.
	.text
	.globl waves
	.p2align 8
	.type waves,@function
waves:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_bfe_u32 s6, ttmp8, 0x50019
	s_lshl_b32 s6, s6, 2
	v_mov_b32 v0, s6
	v_mov_b32 v1, s2
	s_wait_kmcnt 0x0
	global_store_b32 v0, v1, s[4:5]
	s_endpgm

	.section .rodata
	.p2align 6
	.amdhsa_kernel waves
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_info 1
		.amdhsa_wavefront_size32 1-WAVE64
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
