// Microbenchmarks for the timing model on GFX10.3: the time of each follows from the rules of docs/timing-model.md.
// As timing.s; with WAVE64 = 1 in waves of 64 lanes. A workgroup is placed on one compute unit (NAME) or on both of a pair (NAME_pair).
.macro kernel name
	.globl \name
	.p2align 8
	.type \name,@function
.endm
.macro descriptor name, wgp
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1 - WAVE64
		.amdhsa_workgroup_processor_mode \wgp
	.end_amdhsa_kernel
	.text
.endm
// NAME_1 holds 100 times BODY between HEAD and the end, NAME_2 200 times: their difference is the cost of 100.
.macro one name, head, body, times, wgp
	kernel \name
\name:
	\head
	.rept \times
	\body
	.endr
	s_waitcnt 0
	s_waitcnt_vscnt null, 0
	s_endpgm
	descriptor \name, \wgp
.endm
.macro pair name, head, body
	one \name\()_1, "\head", "\body", 100, 0
	one \name\()_2, "\head", "\body", 200, 0
	one \name\()_pair_1, "\head", "\body", 100, 1
	one \name\()_pair_2, "\head", "\body", 200, 1
.endm
.macro nothing
.endm
.macro lds_consecutive
	v_lshlrev_b32 v1, 2, v0
.endm
.macro lds_strided
	v_and_b32 v1, 31, v0
	v_lshlrev_b32 v1, 7, v1
.endm
.macro argument
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt 0
	v_and_b32 v1, 63, v0
	v_lshlrev_b32 v1, 2, v1
.endm
.macro load_same
	global_load_dword v2, v1, s[2:3]
	s_waitcnt vmcnt(0)
.endm
.macro load_behind_store
	global_store_dword v1, v2, s[2:3] offset:512
	global_load_dword v3, v1, s[2:3]
	s_waitcnt vmcnt(0)
.endm
.macro store_wait
	global_store_dword v1, v2, s[2:3]
	s_waitcnt_vscnt null, 0
.endm
.macro store_wrong_wait
	global_store_dword v1, v2, s[2:3]
	s_waitcnt vmcnt(0)
.endm
	.text
	pair valu, nothing, "v_add_nc_u32 v2, v3, v4"
	pair chain, nothing, "v_add_nc_u32 v2, v2, v4"
.if WAVE64
	pair mask, nothing, "v_cndmask_b32 v2, v3, v4, s[4:5]"
.else
	pair mask, nothing, "v_cndmask_b32 v2, v3, v4, s4"
.endif
	pair trans, nothing, "v_rcp_f32 v2, v3"
	pair mulhi, nothing, "v_mul_hi_u32 v2, v3, v4"
	pair f64, nothing, "v_add_f64 v[2:3], v[6:7], v[4:5]"
	pair salu, nothing, "s_add_u32 s4, s6, s5"
	pair lds_read, lds_consecutive, "ds_read_b32 v2, v1"
	pair lds_conflict, lds_strided, "ds_read_b32 v2, v1"
	pair load_hit, argument, load_same
	pair store_wait, argument, store_wait
	pair store_wrong_wait, argument, store_wrong_wait
	pair load_behind_store, argument, load_behind_store
