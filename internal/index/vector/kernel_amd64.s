//go:build !purego

#include "textflag.h"

// func countAVX512(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)
//
// Z0 has the eight distances of a block. For each word of the code: eight words of
// the block, against the query's word, their bits counted, and added.
TEXT ·countAVX512(SB), NOSPLIT, $0-56
	MOVQ distances+0(FP), DI
	MOVQ near+8(FP), R8
	MOVQ blocks+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ query+32(FP), R9
	MOVQ words+40(FP), R10
	VPBROADCASTQ limit+48(FP), Z2

block512:
	VPXORQ Z0, Z0, Z0
	MOVQ   R9, DX
	MOVQ   R10, BX

word512:
	VMOVDQU64   (SI), Z1
	VPXORQ.BCST (DX), Z1, Z1
	VPOPCNTQ    Z1, Z1
	VPADDQ      Z1, Z0, Z0
	ADDQ        $64, SI
	ADDQ        $8, DX
	DECQ        BX
	JNZ         word512

	VPMOVQW Z0, (DI)
	VPCMPQ  $2, Z2, Z0, K1 // distance <= limit
	KMOVB   K1, AX
	MOVB    AX, (R8)
	ADDQ    $16, DI
	INCQ    R8
	DECQ    CX
	JNZ     block512
	VZEROUPPER
	RET

// The numbers of bits of 0 to 15, twice.
DATA nibbles<>+0(SB)/8, $0x0302020102010100
DATA nibbles<>+8(SB)/8, $0x0403030203020201
DATA nibbles<>+16(SB)/8, $0x0302020102010100
DATA nibbles<>+24(SB)/8, $0x0403030203020201
GLOBL nibbles<>(SB), RODATA|NOPTR, $32

DATA fifteens<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL fifteens<>(SB), RODATA|NOPTR, $8

// COUNT adds the bits of each of the four words in x to sum. Y10 has the numbers of
// bits of half a byte, Y11 fifteen in each byte, Y12 zero.
#define COUNT(x, t, sum) \
	VPAND   Y11, x, t    \
	VPSRLQ  $4, x, x     \
	VPAND   Y11, x, x    \
	VPSHUFB t, Y10, t    \
	VPSHUFB x, Y10, x    \
	VPADDB  t, x, x      \
	VPSADBW Y12, x, x    \
	VPADDQ  x, sum, sum

// func countAVX2(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)
//
// Y0 and Y1 have the distances of a block, four each.
TEXT ·countAVX2(SB), NOSPLIT, $0-56
	MOVQ distances+0(FP), DI
	MOVQ near+8(FP), R8
	MOVQ blocks+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ query+32(FP), R9
	MOVQ words+40(FP), R10
	VPBROADCASTQ limit+48(FP), Y13
	VMOVDQU nibbles<>(SB), Y10
	VPBROADCASTQ fifteens<>(SB), Y11
	VPXOR Y12, Y12, Y12

block2:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  R9, DX
	MOVQ  R10, BX

word2:
	VPBROADCASTQ (DX), Y2
	VPXOR (SI), Y2, Y3
	VPXOR 32(SI), Y2, Y4
	COUNT(Y3, Y5, Y0)
	COUNT(Y4, Y6, Y1)
	ADDQ $64, SI
	ADDQ $8, DX
	DECQ BX
	JNZ  word2

	// Distances above the limit.
	VPCMPGTQ  Y13, Y0, Y3
	VPCMPGTQ  Y13, Y1, Y4
	VMOVMSKPD Y3, AX
	VMOVMSKPD Y4, BX
	SHLL      $4, BX
	ORL       BX, AX
	NOTL      AX
	MOVB      AX, (R8)

	// The low parts of the distances, side by side.
	VPSHUFD   $0x08, Y0, Y0
	VPSHUFD   $0x08, Y1, Y1
	VPERMQ    $0x08, Y0, Y0
	VPERMQ    $0x08, Y1, Y1
	VPACKUSDW X1, X0, X0
	VMOVDQU   X0, (DI)

	ADDQ $16, DI
	INCQ R8
	DECQ CX
	JNZ  block2
	VZEROUPPER
	RET

// func productAVX2(values *byte, query *int16, n int) int32
//
// Sixteen values as int16, times the query's, pairs added as int32.
TEXT ·productAVX2(SB), NOSPLIT, $0-28
	MOVQ  values+0(FP), SI
	MOVQ  query+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0

step:
	VPMOVSXBW (SI), Y1
	VPMADDWD  (DI), Y1, Y1
	VPADDD    Y1, Y0, Y0
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       step

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+24(FP)
	VZEROUPPER
	RET
