// A kernel whose per-instruction profile can be worked out by hand (profile_test.cpp): launched as 2 workgroups of
// 2 waves, wave 0 holds work-items 0..63, wave 1 holds 64..127.
.macro descriptor name, extra
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 96
		\extra
	.end_amdhsa_kernel
	.text
.endm

	.text
	.globl profiled
	.p2align 8
	.type profiled,@function
profiled:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_mov_b32 v1, 7
	v_mov_b32 v9, 0
	v_lshlrev_b32 v2, 2, v0
	v_add_u32 v3, v1, v1
	v_and_b32 v4, 64, v0
	v_cmp_gt_u32 vcc, 16, v0
	s_and_saveexec_b64 s[4:5], vcc
	v_add_u32 v5, v1, v4
	v_cndmask_b32 v6, v1, v4, vcc
	s_mov_b64 exec, s[4:5]
	v_cndmask_b32 v7, v1, v4, vcc
	v_mbcnt_lo_u32_b32 v10, -1, 0
	v_readfirstlane_b32 s8, v0
	v_mov_b32_dpp v11, v1 row_shr:1 row_mask:0xf bank_mask:0xf
	s_waitcnt lgkmcnt(0)
	global_load_dword v8, v9, s[2:3]
	s_waitcnt vmcnt(0)
	global_store_dword v2, v8, s[2:3]
	s_mov_b32 s9, 3
again:
	s_sub_u32 s9, s9, 1
	s_cmp_lg_u32 s9, 0
	s_cbranch_scc1 again
	// v12 = 5 in all lanes through an index: v[5 + 7].
	s_mov_b32 s10, 7
	s_set_gpr_idx_on s10, 8
	v_mov_b32 v5, 5
	s_set_gpr_idx_off
	s_set_gpr_idx_on s10, 1
	v_mov_b32 v13, v5
	s_set_gpr_idx_off
	s_endpgm
profiled_end:
	.size profiled, profiled_end-profiled

// Who is together. Launched as one wave of 64: 0..15 take the branch and come back, then all but 0..31 have
// nothing left to do, and of those 0..7 run on alone.
	.globl leaving
	.p2align 8
	.type leaving,@function
leaving:
	v_cmp_gt_u32 vcc, 16, v0
	s_and_saveexec_b64 s[4:5], vcc
	v_mov_b32 v1, 1
	s_nop 1
	s_mov_b64 exec, s[4:5]
	v_cmp_gt_u32 vcc, 32, v0
	s_mov_b64 exec, vcc
	v_mov_b32 v2, 2
	s_nop 2
	v_cmp_gt_u32 vcc, 8, v0
	s_and_saveexec_b64 s[4:5], vcc
	v_mov_b32 v3, 3
	s_mov_b64 exec, s[4:5]
	s_mov_b64 exec, 0
	v_mov_b32 v4, 4
	s_mov_b64 exec, -1
	s_endpgm
leaving_end:
	.size leaving, leaving_end-leaving

// Who parts the lanes. Launched as a wave of 48: an if for 0..15 with an else, then a loop that lane l goes round
// l / 16 + 1 times.
	.globl parting
	.p2align 8
	.type parting,@function
parting:
	v_cmp_gt_u32 vcc, 16, v0
	s_and_saveexec_b64 s[4:5], vcc
	s_xor_b64 s[4:5], exec, s[4:5]
	v_mov_b32 v1, 1
	s_andn2_saveexec_b64 s[4:5], s[4:5]
	v_mov_b32 v1, 2
	s_or_b64 exec, exec, s[4:5]
	v_lshrrev_b32 v2, 4, v0
	s_mov_b64 s[6:7], 0
round:
	v_cmp_eq_u32 vcc, 0, v2
	v_subrev_u32 v2, 1, v2
	s_or_b64 s[6:7], vcc, s[6:7]
	s_andn2_b64 exec, exec, s[6:7]
	s_cbranch_execnz round
	s_or_b64 exec, exec, s[6:7]
	v_mov_b32 v3, 3
	s_endpgm
parting_end:
	.size parting, parting_end-parting
.if .amdgcn.gfx_generation_stepping == 10
	descriptor profiled, ".amdhsa_accum_offset 16"
	descriptor leaving, ".amdhsa_accum_offset 16"
	descriptor parting, ".amdhsa_accum_offset 16"
.else
	descriptor profiled
	descriptor leaving
	descriptor parting
.endif
