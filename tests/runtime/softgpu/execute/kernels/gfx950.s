// A kernel of gfx950: assembled for its predecessor, which more compilers know, what is new as words.
	.text

// more(uint32_t *out), one wave: the last 256 bytes of 160 KiB of LDS, a number of v_prng_b32, a product
// of two dwords of scales and two of operands. 128 products of 1 and a scale of 2 make 256.
	.globl more
	.p2align 8
	.type more,@function
more:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_add_u32_e32 v2, 0x27f00, v1
	.long 0x7e06b100 // v_prng_b32 v3, v0
	ds_write_b32 v2, v3
	s_waitcnt lgkmcnt(0)
	ds_read_b32 v4, v2
	.irp r, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
	v_mov_b32_e32 v\r, 0x38383838
	.endr
	.irp r, 24, 25, 26, 27
	v_mov_b32_e32 v\r, 0
	.endr
	v_mov_b32_e32 v28, 0x80808080
	v_mov_b32_e32 v29, 0x7f7f7f7f
	s_nop 7
	// v_mfma_scale_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[24:27], v28, v29 op_sel_hi:[0,0,0]
	.long 0xd3ac0000, 0x00023b1c, 0xd3ad0818, 0x04622108
	s_nop 15
	s_nop 15
	v_cvt_u32_f32_e32 v24, v24
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v4, v4, v24
	global_store_dword v1, v4, s[4:5]
	s_endpgm

	.section .rodata
	.p2align 6
	.amdhsa_kernel more
		.amdhsa_group_segment_fixed_size 163840
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 32
	.end_amdhsa_kernel
