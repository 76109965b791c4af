// Scalar programs of gfx1030 that gfx1030_test.cpp runs on a wave of its own; results stay in SGPRs.
	.text
.include "rdna.inc"

// The hardware's registers, MODE's fields, and instructions that have nothing to do here.
	program registers
	s_inst_prefetch 0x3
	s_version 0x2006
	s_clause 0x1
	s_waitcnt vmcnt(0) lgkmcnt(0)
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
	s_setreg_imm32_b32 hwreg(HW_REG_FLAT_SCR_HI, 4, 8), 0xab
	s_getreg_b32 s21, hwreg(HW_REG_FLAT_SCR_LO)
	s_getreg_b32 s22, hwreg(HW_REG_FLAT_SCR_HI)
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1
	s_getreg_b32 s23, hwreg(HW_REG_MODE, 27, 1)
	s_cmp_eq_u32 s2, s2
	s_getreg_b32 s24, hwreg(HW_REG_STATUS, 0, 1)
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, 1
	s_getreg_b32 s25, hwreg(HW_REG_STATUS, 9, 2)
	s_getreg_b32 s26, hwreg(HW_REG_SHADER_CYCLES, 0, 20)
	s_ttracedata_imm 0x1
	s_endpgm

// Branches on VCC whose upper half is another value in a wave of 32.
	program branches
	s_mov_b32 vcc_lo, 0
	s_mov_b32 vcc_hi, 5
	s_movk_i32 s20, 1
	s_cbranch_vccz branches_zero
	s_movk_i32 s20, 2
branches_zero:
	s_mov_b32 s21, src_vccz
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

// Register numbers in M0, one for each side.
	program relative
	s_mov_b32 s30, 100
	s_mov_b32 s31, 101
	s_mov_b32 s32, 102
	s_mov_b32 m0, 0x00050002
	s_movrelsd_2_b32 s20, s30
	s_mov_b32 m0, 1
	s_movrels_b32 s21, s30
	s_mov_b32 m0, 3
	s_movreld_b32 s20, s32
	s_endpgm

// Counts the passes and keeps what each had on.
	program subvector
	s_movk_i32 s20, 0
	s_movk_i32 s21, 0
	s_movk_i32 s22, 0
	s_subvector_loop_begin s8, subvector_end
subvector_again:
	s_add_u32 s20, s20, 1
	s_or_b32 s21, s21, exec_lo
	s_or_b32 s22, s22, exec_hi
	s_subvector_loop_end s8, subvector_again
subvector_end:
	s_endpgm

	common_programs

	on_null
	s_endpgm
