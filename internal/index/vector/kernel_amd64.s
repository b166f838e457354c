//go:build !purego

#include "textflag.h"

DATA fifteens<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL fifteens<>(SB), RODATA|NOPTR, $8

// BYTE looks up a byte of 32 codes, which are at SI, and adds what the table at DX says of
// its two halves to Y2.
#define BYTE(at) \
	VMOVDQU        at(SI), Y4      \
	VPSRLW         $4, Y4, Y5      \
	VPAND          Y11, Y4, Y4     \
	VPAND          Y11, Y5, Y5     \
	VBROADCASTI128 at(DX), Y6      \
	VBROADCASTI128 (16+at)(DX), Y7 \
	VPSHUFB        Y4, Y6, Y4      \
	VPSHUFB        Y5, Y7, Y5      \
	VPADDB         Y4, Y2, Y2      \
	VPADDB         Y5, Y2, Y2

// func lookAVX2(distances *uint16, near, blocks *byte, count int, table *byte, width, limit int)
//
// A byte has room for the sum of four bytes of a code, eight halves. Those sums are added
// up as words: Y1 has those of the odd codes, and Y0 those of the even ones with those of
// the odd ones in their upper halves, which are taken away in the end. Codes are read once
// and from afar, so they are asked for a page ahead, which the processor does not do by
// itself. What is asked for beyond the end is mostly the next chunk, and needs not be
// there.
TEXT ·lookAVX2(SB), NOSPLIT, $0-56
	MOVQ distances+0(FP), DI
	MOVQ near+8(FP), R8
	MOVQ blocks+16(FP), SI
	MOVQ count+24(FP), CX
	MOVQ table+32(FP), R9
	MOVQ width+40(FP), R10
	SHRQ $2, R10
	MOVQ limit+48(FP), AX
	VMOVQ AX, X13
	VPBROADCASTW X13, Y13
	VPBROADCASTQ fifteens<>(SB), Y11

look:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  R9, DX
	MOVQ  R10, BX

bytes4:
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	VPXOR  Y2, Y2, Y2
	BYTE(0)
	BYTE(32)
	BYTE(64)
	BYTE(96)
	VPADDW Y2, Y0, Y0
	VPSRLW $8, Y2, Y2
	VPADDW Y2, Y1, Y1
	ADDQ   $128, SI
	ADDQ   $128, DX
	DECQ   BX
	JNZ    bytes4

	VPSLLW       $8, Y1, Y2
	VPSUBW       Y2, Y0, Y0
	VPUNPCKLWD   Y1, Y0, Y4
	VPUNPCKHWD   Y1, Y0, Y5
	VMOVDQU      X4, (DI)
	VMOVDQU      X5, 16(DI)
	VEXTRACTI128 $1, Y4, 32(DI)
	VEXTRACTI128 $1, Y5, 48(DI)

	// Distances above the limit.
	VPCMPGTW  Y13, Y4, Y4
	VPCMPGTW  Y13, Y5, Y5
	VPACKSSWB Y5, Y4, Y4
	VPMOVMSKB Y4, AX
	NOTL      AX
	MOVL      AX, (R8)

	ADDQ $64, DI
	ADDQ $4, R8
	DECQ CX
	JNZ  look
	VZEROUPPER
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
