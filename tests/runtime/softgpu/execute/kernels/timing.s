// Microbenchmarks for the timing model: the time of each follows from the rules of docs/timing-model.md.
.macro kernel name
	.globl \name
	.p2align 8
	.type \name,@function
.endm
.if .amdgcn.gfx_generation_stepping == 10
.macro descriptor name
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 24
	.end_amdhsa_kernel
	.text
.endm
.else
.macro descriptor name
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.text
.endm
.endif
// NAME_1 holds 100 times BODY between HEAD and the end, NAME_2 200 times: their difference is the cost of 100.
.macro pair name, head, body
	kernel \name\()_1
\name\()_1:
	\head
	.rept 100
	\body
	.endr
	s_waitcnt 0
	s_endpgm
	descriptor \name\()_1
	kernel \name\()_2
\name\()_2:
	\head
	.rept 200
	\body
	.endr
	s_waitcnt 0
	s_endpgm
	descriptor \name\()_2
.endm
.macro nothing
.endm
.macro lds_consecutive
	v_lshlrev_b32 v1, 2, v0
	s_mov_b32 m0, -1
.endm
.macro lds_strided
	v_and_b32 v1, 63, v0
	v_lshlrev_b32 v1, 7, v1
	s_mov_b32 m0, -1
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
.macro load_next
	global_load_dword v2, v1, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32 v1, 0x1000, v1
.endm
.macro valu_salu
	v_add_u32 v2, v2, v3
	s_add_u32 s4, s4, s5
.endm
.macro compare_salu
	v_cmp_eq_u32 vcc, v2, v3
	s_and_b64 s[4:5], s[4:5], vcc
.endm
.macro compare_branch
	s_cmp_eq_u32 s4, s4
	s_cbranch_scc0 0
.endm
.macro compare_vcc
	v_cmp_eq_u32 vcc, v2, v2
	s_cbranch_vccz 0
.endm
.macro far_branch
	s_cmp_eq_u32 s4, s4
	s_nop 0
	s_cbranch_scc0 0
.endm
	.text
	pair valu, nothing, "v_add_u32 v2, v2, v3"
	pair trans, nothing, "v_rcp_f32 v2, v2"
	pair mulhi, nothing, "v_mul_hi_u32 v2, v2, v3"
	pair f64, nothing, "v_add_f64 v[2:3], v[2:3], v[4:5]"
	pair salu, nothing, "s_add_u32 s4, s4, s5"
	pair both, nothing, valu_salu
	pair branch_not, "s_cmp_eq_u32 s4, s4", "s_cbranch_scc0 0"
	pair branch_taken, nothing, "s_branch 0"
	pair nop, nothing, "s_nop 0"
	pair lds_read, lds_consecutive, "ds_read_b32 v2, v1"
	pair lds_write, lds_consecutive, "ds_write_b32 v1, v2"
	pair lds_write128, "v_mov_b32 v1, 0", "ds_write_b128 v1, v[4:7]"
	pair lds_conflict, lds_strided, "ds_read_b32 v2, v1"
	pair load_hit, argument, load_same
	pair load_miss, argument, load_next
	pair store, argument, "global_store_dword v1, v2, s[2:3]"
	// A wave that does nothing; workgroups of which every eighth works long.
	kernel empty
empty:
	s_endpgm
	descriptor empty
	kernel uneven
uneven:
	s_and_b32 s3, s2, 7
	s_cmp_lg_u32 s3, 0
	s_cbranch_scc1 uneven_end
	.rept 200
	v_rcp_f32 v2, v2
	.endr
uneven_end:
	s_endpgm
	descriptor uneven
	pair compare_salu, nothing, compare_salu
	pair save_exec, nothing, "s_and_saveexec_b64 s[4:5], exec"
	pair compare_branch, nothing, compare_branch
	pair compare_vcc, nothing, compare_vcc
	pair far_branch, nothing, far_branch
	// LOOP_1 goes twice round a body of so many 4-byte instructions, LOOP_2 three times.
.macro rounds name, instructions, times
	kernel \name
\name:
	s_movk_i32 s4, \times
\name\()_head:
	.rept \instructions
	v_mov_b32 v2, v3
	.endr
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 \name\()_head
	s_endpgm
	descriptor \name
.endm
	rounds loop_4k_1, 1024, 2
	rounds loop_4k_2, 1024, 3
	rounds loop_64k_1, 16384, 2
	rounds loop_64k_2, 16384, 3
	// Each work-item has a word of its own: workgroups of 256.
.macro item_address
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_lshl_b32 s3, s2, 8
	v_add_u32 v1, s3, v0
	v_lshlrev_b32 v1, 2, v1
	s_waitcnt 0
.endm
	kernel stream_store
stream_store:
	item_address
	global_store_dword v1, v2, s[4:5]
	s_endpgm
	descriptor stream_store
	kernel stream_load
stream_load:
	item_address
	global_load_dword v2, v1, s[4:5]
	s_waitcnt 0
	s_endpgm
	descriptor stream_load
	// Each workgroup loads 1 KiB of its own by scalar loads, a line each.
	kernel scalar_stream
scalar_stream:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_lshl_b32 s2, s2, 10
	s_waitcnt 0
	s_add_u32 s4, s4, s2
	s_addc_u32 s5, s5, 0
	.irp offset, 0, 64, 128, 192, 256, 320, 384, 448, 512, 576, 640, 704, 768, 832, 896, 960
	s_load_dword s6, s[4:5], \offset
	.endr
	s_waitcnt 0
	s_endpgm
	descriptor scalar_stream
