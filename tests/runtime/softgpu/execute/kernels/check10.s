// Kernels of gfx1030, waves of 32 lanes, with one mistake each, and the same without it (check_test.cpp). Each gets a
// pointer to 4 KiB and runs as one workgroup of four waves. Labels bad_* mark the instruction that has to be found.
	.text
.include "check_rdna.inc"

// --- hazard: stores count in vscnt, and each counter has a wait of its own ---
	begin waits
	global_load_dword v2, v1, s[2:3]
	global_load_dword v3, v1, s[2:3]
	keep 1
	s_waitcnt_vmcnt null, 0x1
	v_add_nc_u32 v4, v2, v2
	s_waitcnt_vmcnt null, 0x0
	v_add_nc_u32 v4, v4, v3
	keep 4
	s_endpgm

	begin store_between
	global_load_dword v2, v1, s[2:3]
	keep 1
	s_waitcnt vmcnt(1)
mark bad_store_between
	v_add_nc_u32 v4, v2, v2
	s_endpgm

	begin waits_for_stores
	global_load_dword v2, v1, s[2:3]
	s_waitcnt_vscnt null, 0x0
mark bad_waits_for_stores
	v_add_nc_u32 v4, v2, v2
	s_endpgm

// --- undefined: masks of one SGPR, moves between lanes, M0's registers ---
	begin defined
	v_mov_b32 v2, v1
	v_cmp_gt_u32 vcc_lo, 16, v2
	s_cbranch_vccz 1f
1:	s_and_saveexec_b32 s4, vcc_lo
	v_mov_b32 v3, 5
	s_mov_b32 exec_lo, s4
	v_cndmask_b32 v4, 0, v3, vcc_lo
	keep 4
	v_add_co_u32 v5, s6, v0, v0
	v_add_co_ci_u32_e64 v5, null, v0, v0, s6
	keep 5
	v_cmpx_gt_u32 16, v0
	v_mov_b32_dpp v6, v0 dpp8:[7,6,5,4,3,2,1,0]
	keep 6
	v_mov_b32_dpp v7, v0 row_xmask:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
	keep 7
	s_mov_b32 s8, 0x76543210
	v_permlane16_b32 v8, v0, s8, s8
	keep 8
	s_mov_b32 m0, 4
	v_movreld_b32 v5, v0
	keep 9
	s_endpgm

	// The SGPR behind a mask is another value.
	begin neighbour
	v_cmp_gt_u32 s6, 16, v0
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc1 1f
	s_cmp_eq_u32 s7, 0
mark bad_neighbour
	s_cbranch_scc1 1f
	s_nop 0
1:	s_endpgm

	begin undefined_exec
	v_cmp_gt_u32 vcc_lo, v9, v0
mark bad_undefined_exec
	s_and_saveexec_b32 s4, vcc_lo
	s_endpgm

	begin undefined_moved
	s_mov_b32 m0, 4
	v_movreld_b32 v5, v0
mark bad_undefined_moved
	keep 5
	s_endpgm

	// Lane 1 of a quad takes the value of lane 3, which nobody wrote in the first one.
	begin undefined_dpp
	s_mov_b32 exec_lo, 0x0000fff7
	v_mov_b32 v5, v0
	s_mov_b32 exec_lo, 0x0000ffff
	v_mov_b32_dpp v6, v5 quad_perm:[0,3,2,1] row_mask:0xf bank_mask:0xf fi:1
mark bad_undefined_dpp
	keep 6
	s_endpgm
