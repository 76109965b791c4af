// How a kernel of gfx942 starts.
	.text

.macro kernel name, scratch=0, vgprs=8, agprsAt=8, lds=0
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_enable_private_segment \scratch
		.amdhsa_private_segment_fixed_size 64
		.amdhsa_group_segment_fixed_size \lds
		.amdhsa_next_free_vgpr \vgprs
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset \agprsAt
	.end_amdhsa_kernel
	.text
.endm

// preloaded(uint32_t *out, uint32_t value): the test has the descriptor ask for three dwords, behind
// the pointer in s[0:1]. Whoever starts at the entry is trapped.
	.globl preloaded
	.p2align 8
	.type preloaded,@function
preloaded:
	.rept 64
	s_trap 2
	.endr
	v_lshlrev_b32_e32 v1, 2, v0
	v_add_u32_e32 v2, s4, v0
	v_lshl_add_u32 v1, s5, 8, v1
	global_store_dword v1, v2, s[2:3]
	s_endpgm
	kernel preloaded

// scratch(uint32_t *out): FLAT_SCRATCH is the wave's base, and the id of the workgroup is in s2.
	.globl scratch
	.p2align 8
	.type scratch,@function
scratch:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_mov_b32 s6, 8
	v_mov_b32_e32 v1, 4
	v_add_u32_e32 v2, s2, v0
	scratch_store_dword v1, v2, s6 offset:16
	scratch_load_dword v3, off, off offset:28
	v_lshlrev_b32_e32 v4, 2, v0
	v_lshl_add_u32 v4, s2, 8, v4
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v4, v3, s[4:5] sc0 sc1
	buffer_wbl2 sc0 sc1
	s_endpgm
	kernel scratch, 1

// allocated(uint32_t *out): what the hardware registers say of 100 VGPRs, AGPRs from the 20th on, and 1000 bytes of LDS.
	.globl allocated
	.p2align 8
	.type allocated,@function
allocated:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_getreg_b32 s6, hwreg(HW_REG_GPR_ALLOC, 0, 18)
	s_getreg_b32 s7, hwreg(HW_REG_LDS_ALLOC, 12, 11)
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v2, s6
	v_mov_b32_e32 v3, s7
	s_waitcnt lgkmcnt(0)
	global_store_dwordx2 v0, v[2:3], s[4:5]
	s_endpgm
	kernel allocated, 0, 100, 20, 1000
