// Scalar programs of gfx1100 that gfx1100_test.cpp runs on a wave of its own; results stay in SGPRs.
	.text
.include "rdna.inc"

// The hardware's registers, MODE's fields, and instructions that have nothing to do here.
	program registers
	s_set_inst_prefetch_distance 0x3
	s_version 0x2006
	s_clause 0x1
	s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)
	s_wait_event 0x1
	s_wait_idle
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_waitcnt_vmcnt null, 0x0
	s_waitcnt_lgkmcnt null, 0x0
	s_waitcnt_expcnt null, 0x0
	s_waitcnt_depctr 0xffe3
	s_round_mode 0x6
	s_denorm_mode 0x9
	s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
	s_mov_b32 s2, 0x11112222
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2
	s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI), 0x33334444
	s_getreg_b32 s21, hwreg(HW_REG_FLAT_SCR_LO)
	s_getreg_b32 s22, hwreg(HW_REG_FLAT_SCR_HI)
	s_getreg_b32 s23, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_cmp_eq_u32 s2, s2
	s_getreg_b32 s24, hwreg(HW_REG_STATUS, 0, 1)
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, 1
	s_getreg_b32 s25, hwreg(HW_REG_STATUS, 9, 2)
	s_getreg_b32 s26, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
	s_ttracedata_imm 0x1
	s_endpgm

// M0 and null have the codes that the other has on gfx1030.
	program nothing
	s_mov_b32 m0, 5
	s_mov_b32 null, 7
	s_mov_b32 s20, m0
	s_mov_b32 s21, null
	s_mov_b64 s[22:23], null
	s_mov_b32 s30, 100
	s_mov_b32 s35, 101
	s_movrels_b32 s24, s30
	s_endpgm

// Messages, with and without an answer.
	program messages
	s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_REALTIME)
	s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)
	s_mov_b32 s24, -1
	s_mov_b64 s[26:27], -1
	s_mov_b64 s[28:29], -1
	s_sendmsg_rtn_b32 s24, sendmsg(MSG_RTN_GET_DOORBELL)
	s_sendmsg_rtn_b64 s[26:27], sendmsg(MSG_RTN_GET_TBA)
	s_sendmsg_rtn_b64 s[28:29], sendmsg(MSG_RTN_GET_DDID)
	s_mov_b32 m0, 0x15
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm

// Branches on VCC whose upper half is another value in a wave of 32.
	program branches
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, 5
	s_movk_i32 s20, 1
	s_cbranch_vccz branches_zero
	s_movk_i32 s20, 2
branches_zero:
	s_movk_i32 s22, 1
	s_cbranch_vccnz branches_not
	s_movk_i32 s22, 2
branches_not:
	s_movk_i32 s23, 0
	s_mov_b32 exec_lo, 0
	s_mov_b32 exec_hi, 7
	s_cbranch_execz branches_off
	s_movk_i32 s23, 1
branches_off:
	s_mov_b32 s24, exec_hi
	s_endpgm

	common_programs

// Two operations in one instruction: a register each, and a swap.
	program pairs
	v_mov_b32 v0, 1.0
	v_mov_b32 v1, 2.0
	v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0
	v_dual_add_f32 v2, v0, v1 :: v_dual_fmamk_f32 v3, v1, 0x41200000, v0
	v_readfirstlane_b32 s20, v0
	v_readfirstlane_b32 s21, v1
	v_readfirstlane_b32 s22, v2
	v_readfirstlane_b32 s23, v3
	s_endpgm

	on_null
	s_mov_b64 null, s[10:11]
	s_load_b32 s24, null, s10
	s_endpgm
