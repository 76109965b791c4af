// Kernels of gfx1100, waves of 32 lanes, with one mistake each, and the same without it (check_test.cpp). Each gets a
// pointer to 4 KiB and runs as one workgroup of four waves. Labels bad_* mark the instruction that has to be found.
	.text
.include "check_rdna.inc"

// --- hazard: s_waitcnt has its counts elsewhere, both results of a pair come after it ---
	begin waits
	global_load_b32 v2, v1, s[2:3]
	global_load_b32 v3, v1, s[2:3]
	s_waitcnt vmcnt(1)
	v_add_nc_u32 v4, v2, v2
	s_waitcnt vmcnt(0)
	v_dual_mov_b32 v4, v4 :: v_dual_mov_b32 v5, v3
	keep 5
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s4, 0
	s_endpgm

	begin second_reads
	global_load_b32 v2, v1, s[2:3]
	s_waitcnt expcnt(0) lgkmcnt(0)
mark bad_second_reads
	v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v2
	s_endpgm

	begin answer
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
mark bad_answer
	s_cmp_eq_u32 s4, 0
	s_endpgm

// --- undefined: each half of a pair is judged by itself, and both read what was there before ---
	begin pairs
	v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, 5
	v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2
	keep 2
	keep 3
	v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v10
	keep 4
	v_dual_mov_b32 v5, v4 :: v_dual_add_f32 v6, v1, v4
	keep 5
	keep 6
	s_endpgm

	begin undefined_first
	v_dual_mov_b32 v4, v10 :: v_dual_mov_b32 v5, v1
	keep 5
mark bad_undefined_first
	keep 4
	s_endpgm

	begin undefined_second
	v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v10
	keep 4
mark bad_undefined_second
	keep 5
	s_endpgm

	// The second half does not read what the first writes.
	begin undefined_before
	v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v4
	keep 4
mark bad_undefined_before
	keep 5
	s_endpgm
