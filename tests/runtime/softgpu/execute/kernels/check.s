// Kernels with one mistake each, and the same without it (check_test.cpp). Each gets a pointer to 4 KiB and runs as
// one workgroup of two waves. Labels bad_* mark the instruction that has to be found.
	.text
.if .amdgcn.gfx_generation_stepping == 10 || .amdgcn.gfx_generation_minor == 4 // from gfx90a on
.macro descriptor name
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_next_free_vgpr 32
		.amdhsa_accum_offset 32
		.amdhsa_next_free_sgpr 96
	.end_amdhsa_kernel
	.text
.endm
.else
.macro descriptor name
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 96
	.end_amdhsa_kernel
	.text
.endm
.endif
.macro begin name
	descriptor \name
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
.endm
// Keeps v\n alive: store it at the work-item's place.
.macro keep n
	global_store_dword v1, v\n, s[2:3]
.endm
.macro mark name
	.globl \name
\name:
.endm

// --- hazard ---
	begin vmem_ok
	global_load_dword v2, v1, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32 v2, v2, v2
	keep 2
	s_endpgm

	begin vmem_use
	global_load_dword v2, v1, s[2:3]
mark bad_vmem_use
	v_add_u32 v3, v2, v2
	keep 3
	s_endpgm

	// Loads arrive in order: with at most one outstanding the first is there, the second is not.
	begin vmem_order
	global_load_dword v2, v1, s[2:3]
	global_load_dword v3, v1, s[2:3] offset:4
	s_waitcnt vmcnt(1)
	v_add_u32 v4, v2, v2
mark bad_vmem_order
	v_add_u32 v5, v3, v3
	s_waitcnt vmcnt(0)
	v_add_u32 v5, v3, v3
	keep 5
	s_endpgm

	// Stores count in vmcnt, too: three behind the load.
	begin stores_count
	global_load_dword v2, v1, s[2:3]
	keep 1
	keep 1
	s_waitcnt vmcnt(2)
	v_add_u32 v2, v2, v2
	s_endpgm

	begin overwrite
	global_load_dword v2, v1, s[2:3]
mark bad_overwrite
	v_mov_b32 v2, 0
	s_waitcnt vmcnt(0)
	keep 2
	s_endpgm

	// A later load of the same kind arrives later.
	begin reload
	global_load_dword v2, v1, s[2:3]
	global_load_dword v2, v1, s[2:3] offset:4
	s_waitcnt vmcnt(0)
	keep 2
	s_endpgm

	// ... of another kind perhaps not.
	begin reload_lds
	global_load_dword v2, v1, s[2:3]
mark bad_reload_lds
	ds_read_b32 v2, v1
	s_waitcnt vmcnt(0) lgkmcnt(0)
	keep 2
	s_endpgm

	// Scalar loads arrive in any order: only a wait for all of them counts.
	begin smem_order
	s_load_dword s4, s[2:3], 0x0
	s_load_dword s5, s[2:3], 0x4
	s_waitcnt lgkmcnt(1)
mark bad_smem_order
	s_add_u32 s6, s4, s4
	s_waitcnt lgkmcnt(0)
	s_add_u32 s6, s5, s5
	s_endpgm

	begin lds_order
	ds_read_b32 v2, v1
	ds_read_b32 v3, v1 offset:4
	s_waitcnt lgkmcnt(1)
	v_add_u32 v4, v2, v2
mark bad_lds_order
	v_add_u32 v4, v3, v3
	s_waitcnt lgkmcnt(0)
	s_endpgm

	// A scalar load behind the LDS read may be done first.
	begin mixed_order
	ds_read_b32 v2, v1
	s_load_dword s4, s[2:3], 0x0
	s_waitcnt lgkmcnt(1)
mark bad_mixed_order
	v_add_u32 v4, v2, v2
	s_waitcnt lgkmcnt(0)
	v_add_u32 v4, v2, v2
	s_endpgm

	// FLAT counts in vmcnt where it touches memory, in lgkmcnt where it touches LDS.
	begin flat_memory
	v_mov_b32 v4, s2
	v_mov_b32 v5, s3
	flat_load_dword v2, v[4:5]
	s_waitcnt lgkmcnt(0)
mark bad_flat_memory
	v_add_u32 v6, v2, v2
	s_waitcnt vmcnt(0)
	v_add_u32 v6, v2, v2
	s_endpgm

	begin flat_lds
	v_mov_b32 v4, 0
	s_mov_b64 s[4:5], src_shared_base
	v_mov_b32 v5, s5
	flat_load_dword v2, v[4:5]
	s_waitcnt vmcnt(0)
mark bad_flat_lds
	v_add_u32 v6, v2, v2
	s_waitcnt lgkmcnt(0)
	v_add_u32 v6, v2, v2
	s_endpgm

	begin flat_ok
	v_mov_b32 v4, s2
	v_mov_b32 v5, s3
	flat_load_dword v2, v[4:5]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_add_u32 v6, v2, v2
	s_endpgm

	// The counter is six bits wide: 64 loads cannot all be outstanding.
	begin full_counter
	global_load_dword v2, v1, s[2:3]
	.rept 63
	global_load_dword v3, v1, s[2:3]
	.endr
	v_add_u32 v4, v2, v2
	s_waitcnt vmcnt(0)
	s_endpgm

	// Implicit operands: v_div_fmas reads VCC.
	begin vcc_load
	s_load_dwordx2 vcc, s[2:3], 0x0
	v_mov_b32 v4, 1.0
mark bad_vcc_load
	v_div_fmas_f32 v5, v4, v4, v4
	s_waitcnt lgkmcnt(0)
	s_endpgm

// --- undefined ---
	begin defined
	v_mov_b32 v2, v1
	v_cmp_gt_u32 vcc, 16, v2
	s_and_saveexec_b64 s[4:5], vcc
	v_mov_b32 v3, 5
	s_mov_b64 exec, s[4:5]
	v_cndmask_b32 v4, 0, v3, vcc
	keep 4
	s_endpgm

	// Copying an undefined register is nothing; storing it is.
	begin undefined_store
	v_mov_b32 v3, v7
	v_add_u32 v4, v3, v3
mark bad_undefined_store
	keep 4
	s_endpgm

	begin undefined_address
	v_lshlrev_b32 v5, 2, v7
mark bad_undefined_address
	global_store_dword v5, v1, s[2:3]
	s_endpgm

	// Only lanes 0..15 were written; all are stored.
	begin undefined_lanes
	v_and_b32 v2, 63, v0
	v_cmp_gt_u32 vcc, 16, v2
	s_and_saveexec_b64 s[4:5], vcc
	v_mov_b32 v3, 5
	s_mov_b64 exec, s[4:5]
mark bad_undefined_lanes
	keep 3
	s_endpgm

	begin undefined_scc
	s_cmp_eq_u32 s20, 0
mark bad_undefined_scc
	s_cbranch_scc1 1f
	s_nop 0
1:	s_endpgm

	begin undefined_exec
	v_cmp_gt_u32 vcc, v7, v0
mark bad_undefined_exec
	s_and_saveexec_b64 s[4:5], vcc
	s_endpgm

	// An undefined bit under a defined 0 does not matter.
	begin masked_exec
	v_cmp_gt_u32 vcc, v7, v0
	s_and_b64 vcc, vcc, 0
	s_and_saveexec_b64 s[4:5], vcc
	s_endpgm

	// Lane 3 of v5 is written, lane 4 is not.
	begin undefined_readlane
	v_writelane_b32 v5, s2, 3
	v_readlane_b32 s6, v5, 3
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc1 1f
	v_readlane_b32 s6, v5, 4
	s_cmp_eq_u32 s6, 0
mark bad_undefined_readlane
	s_cbranch_scc1 1f
	s_nop 0
1:	s_endpgm

	// Bytes of LDS are undefined until written; an undefined register may go there and stay.
	begin defined_lds
	ds_write_b32 v1, v9 offset:1024
	ds_write2_b32 v1, v0, v1 offset0:0 offset1:128
	s_waitcnt lgkmcnt(0)
	ds_read2_b32 v[2:3], v1 offset0:0 offset1:128
	ds_add_rtn_u32 v4, v1, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32 v2, v2, v3
	v_add_u32 v2, v2, v4
	keep 2
	s_endpgm

	// A defined 0 under AND decides, lane by lane; so does -1 under OR.
	begin decided
	v_cmp_gt_u32 vcc, 16, v0
	v_cndmask_b32 v2, 0, -1, vcc
	v_cndmask_b32 v3, -1, 0, vcc
	s_mov_b64 exec, 0xffff
	v_mov_b32 v4, v0
	s_mov_b64 exec, -1
	v_and_b32 v5, v2, v4
	v_or_b32 v6, v3, v4
	keep 5
	keep 6
	s_endpgm

.if .amdgcn.gfx_generation_stepping == 10 || .amdgcn.gfx_generation_minor == 4 // from gfx90a on
	// Only the halves that op_sel and op_sel_hi pick count.
	begin packed_halves
	v_mov_b32 v2, 1.0
	v_pk_mul_f32 v[4:5], v[2:3], v[2:3] op_sel_hi:[0,0]
	keep 4
	keep 5
	v_mov_b32 v11, 1.0
	v_pk_add_f32 v[6:7], v[2:3], v[10:11] op_sel:[0,1] op_sel_hi:[0,1]
	keep 6
	keep 7
	v_pk_mov_b32 v[8:9], v[2:3], v[10:11] op_sel:[0,1]
	keep 8
	keep 9
	v_pk_mul_f32 v[12:13], v[2:3], v[2:3]
	keep 12
	s_mov_b32 s20, 1.0
	v_pk_fma_f32 v[14:15], v[2:3], s[20:21], v[2:3] op_sel_hi:[0,0,0]
	keep 15
	s_endpgm

	begin undefined_packed
	v_mov_b32 v2, 1.0
	v_pk_mul_f32 v[4:5], v[2:3], v[2:3]
	keep 4
mark bad_undefined_packed
	keep 5
	s_endpgm

	begin undefined_packed_low
	v_mov_b32 v2, 1.0
	v_pk_mul_f32 v[4:5], v[2:3], v[2:3] op_sel:[0,1] op_sel_hi:[0,0]
	keep 5
mark bad_undefined_packed_low
	keep 4
	s_endpgm

	begin undefined_packed_move
	v_mov_b32 v2, 1.0
	v_mov_b32 v4, 1.0
	v_pk_mov_b32 v[6:7], v[2:3], v[4:5] op_sel:[0,1]
	keep 6
mark bad_undefined_packed_move
	keep 7
	s_endpgm

	begin undefined_packed_scalar
	v_mov_b32 v2, 1.0
	v_mov_b32 v3, 1.0
	s_mov_b32 s20, 1.0
	v_pk_mul_f32 v[4:5], v[2:3], s[20:21]
	keep 4
mark bad_undefined_packed_scalar
	keep 5
	s_endpgm
.endif

.if .amdgcn.gfx_generation_minor == 4 // gfx942
	begin halves_of_a_move
	v_mov_b32 v3, 1.0
	v_mov_b64 v[4:5], v[2:3]
	keep 5
	s_endpgm

	begin undefined_move
	v_mov_b32 v3, 1.0
	v_mov_b64 v[4:5], v[2:3]
	keep 5
mark bad_undefined_move
	keep 4
	s_endpgm
.endif

	begin undefined_lds
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	ds_read2_b32 v[2:3], v1 offset0:0 offset1:128
	s_waitcnt lgkmcnt(0)
	keep 2
mark bad_undefined_lds
	keep 3
	s_endpgm

	begin undefined_through_lds
	ds_write_b32 v1, v9
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v2, v1
	s_waitcnt lgkmcnt(0)
mark bad_undefined_through_lds
	keep 2
	s_endpgm

// --- race ---
	// Every work-item reads the word of the one 64 before or behind it.
	begin exchange
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v2, 0x100, v1
	ds_read_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	keep 3
	s_endpgm

	begin no_barrier
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v2, 0x100, v1
mark bad_no_barrier
	ds_read_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	keep 3
	s_endpgm

	// The second write needs a barrier behind the read.
	begin write_after_read
	ds_write_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v2, 0x100, v1
	ds_read_b32 v3, v2
	s_waitcnt lgkmcnt(0)
mark bad_write_after_read
	ds_write_b32 v1, v3
	s_waitcnt lgkmcnt(0)
	s_endpgm

	// Both waves write one word, different values.
	begin both_write
	v_mov_b32 v2, 0
	v_readfirstlane_b32 s4, v0
	v_mov_b32 v3, s4
mark bad_both_write
	ds_write_b32 v2, v3 offset:8
	s_waitcnt lgkmcnt(0)
	s_endpgm

	// ... the same value, and atomics: no race. Neighbouring bytes: none either.
	begin no_race
	v_mov_b32 v2, 0
	v_mov_b32 v3, 1
	ds_write_b32 v2, v3 offset:8
	ds_add_u32 v2, v3 offset:16
	ds_add_rtn_u32 v4, v2, v3 offset:16
	ds_write_b8 v0, v3 offset:1024
	s_waitcnt lgkmcnt(0)
	s_endpgm

	// One wave: whatever order it likes.
	begin two_address
	ds_write2_b32 v1, v0, v0 offset0:0 offset1:128
	s_waitcnt lgkmcnt(0)
	v_xor_b32 v2, 0x100, v1
mark bad_two_address
	ds_read2st64_b32 v[4:5], v2 offset0:2 offset1:8
	s_waitcnt lgkmcnt(0)
	s_endpgm

// --- barrier ---
	begin all_meet
	s_barrier
	s_barrier
	s_endpgm

	begin half_exec
	v_cmp_gt_u32 vcc, 96, v0
	s_and_saveexec_b64 s[4:5], vcc
mark bad_half_exec
	s_barrier
	s_endpgm

	// Wave 0 at one barrier, wave 1 at another.
	begin two_places
	v_readfirstlane_b32 s4, v0
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc1 1f
mark bad_two_places
	s_barrier
	s_endpgm
1:	s_barrier
	s_endpgm

	begin one_ends
	v_readfirstlane_b32 s4, v0
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc0 1f
mark bad_one_ends
	s_barrier
1:	s_endpgm
