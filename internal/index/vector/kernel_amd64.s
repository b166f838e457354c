//go:build !purego

#include "textflag.h"

// func countAVX512(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)
//
// Z0 has the eight distances of a block. For each word of the code: eight words of
// the block, against the query's word, their bits counted, and added. Codes are read
// once and from afar, so they are asked for a page ahead, which the processor does not do
// by itself. What is asked for beyond the end is mostly the next chunk, and needs not be
// there.
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
	PREFETCHT0  4096(SI)
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

// ADD adds the numbers of bits of each byte in x to sum, which has bytes too. Y10 has the
// numbers of bits of half a byte, Y11 fifteen in each byte.
#define ADD(x, t, sum) \
	VPAND   Y11, x, t    \
	VPSRLQ  $4, x, x     \
	VPAND   Y11, x, x    \
	VPSHUFB t, Y10, t    \
	VPSHUFB x, Y10, x    \
	VPADDB  t, sum, sum  \
	VPADDB  x, sum, sum

// WORD adds the bits in which a word of the eight codes at SI differs from the query's, to
// Y2 and Y3.
#define WORD(at, query) \
	VPXOR at(SI), query, Y4      \
	VPXOR (32+at)(SI), query, Y5 \
	ADD(Y4, Y14, Y2)             \
	ADD(Y5, Y15, Y3)

// func countAVX2(distances *uint16, near *byte, blocks *uint64, count int, query *uint64, words, limit int)
//
// Y0 and Y1 have the distances of a block, four each. The bits of each byte are added up
// for up to sixteen words, which a byte has room for, before those of eight bytes are. The
// query of a code of four words, which is that of the built-in model, stays in registers.
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
	CMPQ R10, $4
	JNE  block2
	VPBROADCASTQ (R9), Y6
	VPBROADCASTQ 8(R9), Y7
	VPBROADCASTQ 16(R9), Y8
	VPBROADCASTQ 24(R9), Y9

four2:
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PREFETCHT0 4224(SI)
	PREFETCHT0 4288(SI)
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	WORD(0, Y6)
	WORD(64, Y7)
	WORD(128, Y8)
	WORD(192, Y9)
	ADDQ $256, SI
	VPSADBW Y12, Y2, Y0
	VPSADBW Y12, Y3, Y1
	JMP write2

block2:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  R9, DX
	MOVQ  R10, BX

group2:
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  $16, R11
	CMPQ  BX, R11
	CMOVQLT BX, R11
	SUBQ  R11, BX

word2:
	PREFETCHT0 4096(SI)
	VPBROADCASTQ (DX), Y6
	WORD(0, Y6)
	ADDQ $64, SI
	ADDQ $8, DX
	DECQ R11
	JNZ  word2

	VPSADBW Y12, Y2, Y2
	VPSADBW Y12, Y3, Y3
	VPADDQ  Y2, Y0, Y0
	VPADDQ  Y3, Y1, Y1
	TESTQ   BX, BX
	JNZ     group2

write2:
	// Distances above the limit.
	VPCMPGTQ  Y13, Y0, Y4
	VPCMPGTQ  Y13, Y1, Y5
	VMOVMSKPD Y4, AX
	VMOVMSKPD Y5, BX
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
	JZ   done2
	CMPQ R10, $4
	JE   four2
	JMP  block2

done2:
	VZEROUPPER
	RET

// func weightPOPCNT(words *uint64, planes *uint64, n int) (sum, ones int)
//
// The sum is that of all planes of a word, each counting twice what the one before does,
// from the last to the first.
TEXT ·weightPOPCNT(SB), NOSPLIT, $0-40
	MOVQ words+0(FP), SI
	MOVQ planes+8(FP), DI
	MOVQ n+16(FP), CX
	XORQ AX, AX
	XORQ BX, BX

weigh:
	MOVQ    (SI), DX
	POPCNTQ DX, R8
	ADDQ    R8, BX
	MOVQ    40(DI), R8
	MOVQ    32(DI), R9
	MOVQ    24(DI), R10
	MOVQ    16(DI), R11
	MOVQ    8(DI), R12
	MOVQ    (DI), R13
	ANDQ    DX, R8
	ANDQ    DX, R9
	ANDQ    DX, R10
	ANDQ    DX, R11
	ANDQ    DX, R12
	ANDQ    DX, R13
	POPCNTQ R8, R8
	POPCNTQ R9, R9
	POPCNTQ R10, R10
	POPCNTQ R11, R11
	POPCNTQ R12, R12
	POPCNTQ R13, R13
	LEAQ    (R9)(R8*2), R8
	LEAQ    (R10)(R8*2), R8
	LEAQ    (R11)(R8*2), R8
	LEAQ    (R12)(R8*2), R8
	LEAQ    (R13)(R8*2), R8
	ADDQ    R8, AX
	ADDQ    $64, SI
	ADDQ    $48, DI
	DECQ    CX
	JNZ     weigh

	MOVQ AX, sum+24(FP)
	MOVQ BX, ones+32(FP)
	RET

// func timesAVX2(sums *float32, values *byte, n int, scale, factor float32)
//
// Two products and a sum, each rounded: the bits are those of one number after the other.
TEXT ·timesAVX2(SB), NOSPLIT, $0-32
	MOVQ         sums+0(FP), DI
	MOVQ         values+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y2
	VBROADCASTSS factor+28(FP), Y3

times:
	VPMOVSXBD (SI), Y0
	VCVTDQ2PS Y0, Y0
	VMULPS    Y2, Y0, Y0
	VMULPS    Y3, Y0, Y0
	VADDPS    (DI), Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $8, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JNZ       times
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

// Which numbers of eight are taken away: every other, every other two, every other four.
DATA minus1<>+0(SB)/8, $0xffffffff00000001
DATA minus1<>+8(SB)/8, $0xffffffff00000001
DATA minus1<>+16(SB)/8, $0xffffffff00000001
DATA minus1<>+24(SB)/8, $0xffffffff00000001
GLOBL minus1<>(SB), RODATA|NOPTR, $32

DATA minus2<>+0(SB)/8, $0x0000000100000001
DATA minus2<>+8(SB)/8, $0xffffffffffffffff
DATA minus2<>+16(SB)/8, $0x0000000100000001
DATA minus2<>+24(SB)/8, $0xffffffffffffffff
GLOBL minus2<>(SB), RODATA|NOPTR, $32

DATA minus4<>+0(SB)/8, $0x0000000100000001
DATA minus4<>+8(SB)/8, $0x0000000100000001
DATA minus4<>+16(SB)/8, $0xffffffffffffffff
DATA minus4<>+24(SB)/8, $0xffffffffffffffff
GLOBL minus4<>(SB), RODATA|NOPTR, $32

// func turnAVX2(v, flips *int32, n int)
//
// First eight numbers at a time, within a register: each is added to its partner, or
// taken away from it. Then whole registers, whose partners are farther and farther away.
TEXT ·turnAVX2(SB), NOSPLIT, $0-24
	MOVQ    v+0(FP), SI
	MOVQ    flips+8(FP), DI
	MOVQ    n+16(FP), CX
	SHLQ    $2, CX
	LEAQ    (SI)(CX*1), R8 // the end
	VMOVDQU minus1<>(SB), Y10
	VMOVDQU minus2<>(SB), Y11
	VMOVDQU minus4<>(SB), Y12
	MOVQ    SI, DX

within:
	VMOVDQU    (DX), Y0
	VMOVDQU    (DI), Y1
	VPXOR      Y1, Y0, Y0
	VPSUBD     Y1, Y0, Y0
	VPSHUFD    $0xb1, Y0, Y1
	VPSIGND    Y10, Y0, Y0
	VPADDD     Y1, Y0, Y0
	VPSHUFD    $0x4e, Y0, Y1
	VPSIGND    Y11, Y0, Y0
	VPADDD     Y1, Y0, Y0
	VPERM2I128 $0x01, Y0, Y0, Y1
	VPSIGND    Y12, Y0, Y0
	VPADDD     Y1, Y0, Y0
	VMOVDQU    Y0, (DX)
	ADDQ       $32, DX
	ADDQ       $32, DI
	CMPQ       DX, R8
	JLT        within

	MOVQ $32, BX // how far away the partner is

stage:
	CMPQ BX, CX
	JGE  turned
	MOVQ SI, DX

pair:
	LEAQ (DX)(BX*1), R9 // the first of the partners
	MOVQ R9, R10

both:
	VMOVDQU (DX), Y0
	VMOVDQU (R9), Y1
	VPADDD  Y1, Y0, Y2
	VPSUBD  Y1, Y0, Y3
	VMOVDQU Y2, (DX)
	VMOVDQU Y3, (R9)
	ADDQ    $32, DX
	ADDQ    $32, R9
	CMPQ    DX, R10
	JLT     both

	MOVQ R9, DX
	CMPQ DX, R8
	JLT  pair
	SHLQ $1, BX
	JMP  stage

turned:
	VZEROUPPER
	RET

// func signsAVX2(code *uint64, v *int32, n int)
TEXT ·signsAVX2(SB), NOSPLIT, $0-24
	MOVQ  code+0(FP), DI
	MOVQ  v+8(FP), SI
	MOVQ  n+16(FP), CX
	VPXOR Y1, Y1, Y1

eight:
	VMOVDQU   (SI), Y0
	VPCMPGTD  Y1, Y0, Y0
	VMOVMSKPS Y0, AX
	MOVB      AX, (DI)
	ADDQ      $32, SI
	INCQ      DI
	SUBQ      $8, CX
	JNZ       eight
	VZEROUPPER
	RET

DATA unsigned<>+0(SB)/4, $0x7fffffff
GLOBL unsigned<>(SB), RODATA|NOPTR, $4

// func largestAVX2(vector *float32, n int) uint32
//
// Without their signs, floating-point numbers are in the order of their bits.
TEXT ·largestAVX2(SB), NOSPLIT, $0-20
	MOVQ         vector+0(FP), SI
	MOVQ         n+8(FP), CX
	VPBROADCASTD unsigned<>(SB), Y1
	VPXOR        Y0, Y0, Y0

largest:
	VPAND   (SI), Y1, Y2
	VPMAXUD Y2, Y0, Y0
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNZ     largest

	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXUD      X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

DATA sign<>+0(SB)/8, $0x8000000000000000
GLOBL sign<>(SB), RODATA|NOPTR, $8

DATA half<>+0(SB)/8, $0x3fe0000000000000
GLOBL half<>(SB), RODATA|NOPTR, $8

// func nearestAVX2(to *int8, squares *float64, vector *float32, n int, top, limit float64)
//
// Four numbers at a time. Half of one is added with the number's sign, and then the
// fraction is cut off.
TEXT ·nearestAVX2(SB), NOSPLIT, $0-48
	MOVQ         to+0(FP), DI
	MOVQ         squares+8(FP), DX
	MOVQ         vector+16(FP), SI
	MOVQ         n+24(FP), CX
	VBROADCASTSD top+32(FP), Y8
	VBROADCASTSD limit+40(FP), Y9
	VBROADCASTSD sign<>(SB), Y10
	VBROADCASTSD half<>(SB), Y11

four:
	VCVTPS2PD   (SI), Y0
	VDIVPD      Y8, Y0, Y0
	VMULPD      Y0, Y0, Y1
	VMOVUPD     Y1, (DX)
	VMULPD      Y9, Y0, Y0
	VANDPD      Y10, Y0, Y1
	VORPD       Y11, Y1, Y1
	VADDPD      Y1, Y0, Y0
	VCVTTPD2DQY Y0, X0
	VPACKSSDW   X0, X0, X0
	VPACKSSWB   X0, X0, X0
	VMOVD       X0, (DI)
	ADDQ        $16, SI
	ADDQ        $32, DX
	ADDQ        $4, DI
	SUBQ        $4, CX
	JNZ         four
	VZEROUPPER
	RET

// func fetchLines(values *byte, n int)
TEXT ·fetchLines(SB), NOSPLIT, $0-16
	MOVQ values+0(FP), SI
	MOVQ n+8(FP), CX
	ADDQ SI, CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	CMPQ       SI, CX
	JLT        line
	RET
