// Kernels of gfx1201, waves of 32 lanes, with one mistake each, and the same without it (check_test.cpp). Each gets a
// pointer to 4 KiB and runs as one workgroup of four waves. Labels bad_* mark the instruction that has to be found.
	.text
.macro begin name
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_wavefront_size32 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 96
	.end_amdhsa_kernel
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_b64 s[2:3], s[0:1], 0x0
	v_lshlrev_b32 v1, 2, v0
	s_wait_kmcnt 0x0
.endm
.macro keep n
	global_store_b32 v1, v\n, s[2:3]
.endm
.macro mark name
	.globl \name
\name:
.endm

// --- hazard: each kind of memory has a counter ---
	begin waits
	global_load_b32 v2, v1, s[2:3]
	global_load_b32 v3, v1, s[2:3]
	s_wait_loadcnt 0x1
	v_add_nc_u32 v4, v2, v2
	ds_store_b32 v1, v4
	ds_load_b32 v5, v1
	s_wait_loadcnt_dscnt 0x0
	v_add_nc_u32 v4, v3, v5
	s_load_b32 s4, s[2:3], 0x0
	s_wait_kmcnt 0x0
	s_cmp_eq_u32 s4, 0
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
	s_wait_kmcnt 0x0
	s_cmp_eq_u32 s4, 0
	keep 4
	s_wait_storecnt 0x0
	v_mov_b32 v4, 0
	s_endpgm

	begin other_counter
	global_load_b32 v2, v1, s[2:3]
	s_wait_dscnt 0x0
	s_wait_kmcnt 0x0
	s_wait_storecnt_dscnt 0x0
mark bad_other_counter
	v_mov_b32 v4, v2
	s_endpgm

	begin scalar_load
	s_load_b32 s4, s[2:3], 0x0
	s_wait_loadcnt_dscnt 0x0
mark bad_scalar_load
	s_cmp_eq_u32 s4, 0
	s_endpgm

	begin local_load
	ds_store_b32 v1, v1
	ds_load_b32 v2, v1
	s_wait_loadcnt 0x0
	s_wait_kmcnt 0x0
mark bad_local_load
	v_mov_b32 v4, v2
	s_wait_dscnt 0x0
	s_endpgm

// --- undefined: scalar floats ---
	begin floats
	s_mov_b32 s4, 1.0
	s_add_f32 s5, s4, s4
	s_fmac_f32 s5, s4, s4
	v_s_rcp_f32 s6, s5
	s_cmp_gt_f32 s6, 0
	s_cbranch_scc1 floats_end
	keep 1
floats_end:
	s_endpgm

	begin undefined_fmac
	s_mov_b32 s4, 1.0
	s_fmac_f32 s20, s4, s4
	s_cmp_gt_f32 s20, 0
mark bad_undefined_fmac
	s_cbranch_scc1 undefined_fmac_end
	keep 1
undefined_fmac_end:
	s_endpgm
