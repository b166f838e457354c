//go:build !purego

#include "textflag.h"

// STEP adds eight products to an accumulator: the numbers of the row as int32, as
// float32, times the scale in Y15, and then the sum. Two roundings, as in Go.
#define STEP(offset, sum, t) \
	VPMOVSXBD offset(AX), t \
	VCVTDQ2PS t, t          \
	VMULPS    Y15, t, t     \
	VADDPS    t, sum, sum

// func fastAddRows(sum []float32, rows string, scales []float32, ids []int32)
//
// All rows are fetched first, as many at a time as the processor can. Then, for each
// block of 64 numbers, the sum stays in Y0 to Y7 over all pieces.
TEXT ·fastAddRows(SB), NOSPLIT, $0-88
	MOVQ sum_base+0(FP), DI
	MOVQ sum_len+8(FP), DX
	MOVQ rows_base+24(FP), SI
	MOVQ scales_base+40(FP), R8
	MOVQ ids_base+64(FP), R9
	MOVQ ids_len+72(FP), R10
	MOVQ DX, R11
	LEAQ (R9)(R10*4), R10
	CMPQ R9, R10
	JE   done
	TESTQ R11, R11
	JZ   done
	MOVQ R9, R12

fetch:
	MOVL       (R12), AX
	IMULQ      DX, AX
	ADDQ       SI, AX
	PREFETCHT0 0(AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	PREFETCHT0 192(AX)
	ADDQ       $4, R12
	CMPQ       R12, R10
	JB         fetch

block:
	VMOVUPS 0(DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7
	MOVQ R9, R12

piece:
	MOVL         (R12), AX
	VBROADCASTSS (R8)(AX*4), Y15
	IMULQ        DX, AX
	ADDQ         SI, AX
	STEP(0, Y0, Y8)
	STEP(8, Y1, Y9)
	STEP(16, Y2, Y10)
	STEP(24, Y3, Y11)
	STEP(32, Y4, Y8)
	STEP(40, Y5, Y9)
	STEP(48, Y6, Y10)
	STEP(56, Y7, Y11)
	ADDQ         $4, R12
	CMPQ         R12, R10
	JB           piece

	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ $256, DI
	ADDQ $64, SI
	SUBQ $64, R11
	JNZ  block

	VZEROUPPER

done:
	RET

// func fastDivide(v []float32, by float32)
TEXT ·fastDivide(SB), NOSPLIT, $0-28
	MOVQ         v_base+0(FP), DI
	MOVQ         v_len+8(FP), CX
	VBROADCASTSS by+24(FP), Y15
	SHRQ         $3, CX
	JZ           end

eight:
	VMOVUPS (DI), Y0
	VDIVPS  Y15, Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     eight

end:
	VZEROUPPER
	RET
