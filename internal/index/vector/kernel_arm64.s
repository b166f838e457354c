//go:build !purego

#include "textflag.h"

// BYTE looks up a byte of 32 codes, which are at R1, and adds what the table at R5 says of
// its two halves to V20 and V21.
#define BYTE \
	VLD1.P 32(R1), [V0.B16, V1.B16]  \
	VLD1.P 32(R5), [V2.B16, V3.B16]  \
	VAND   V31.B16, V0.B16, V4.B16   \
	VAND   V31.B16, V1.B16, V5.B16   \
	VUSHR  $4, V0.B16, V0.B16        \
	VUSHR  $4, V1.B16, V1.B16        \
	VTBL   V4.B16, [V2.B16], V4.B16  \
	VTBL   V5.B16, [V2.B16], V5.B16  \
	VTBL   V0.B16, [V3.B16], V0.B16  \
	VTBL   V1.B16, [V3.B16], V1.B16  \
	VADD   V4.B16, V20.B16, V20.B16  \
	VADD   V5.B16, V21.B16, V21.B16  \
	VADD   V0.B16, V20.B16, V20.B16  \
	VADD   V1.B16, V21.B16, V21.B16

// func lookNEON(distances *uint16, blocks *byte, count int, table *byte, width int)
//
// A byte has room for the sum of four bytes of a code, eight halves. Those sums are added
// up as words, of eight codes each in V16 to V19.
TEXT ·lookNEON(SB), NOSPLIT, $0-40
	MOVD  distances+0(FP), R0
	MOVD  blocks+8(FP), R1
	MOVD  count+16(FP), R2
	MOVD  table+24(FP), R3
	MOVD  width+32(FP), R4
	LSR   $2, R4, R4
	VMOVI $15, V31.B16

look:
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	MOVD R3, R5
	MOVD R4, R6

bytes4:
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	BYTE
	BYTE
	BYTE
	BYTE
	VUADDW  V20.B8, V16.H8, V16.H8
	VUADDW2 V20.B16, V17.H8, V17.H8
	VUADDW  V21.B8, V18.H8, V18.H8
	VUADDW2 V21.B16, V19.H8, V19.H8
	SUBS    $1, R6, R6
	BNE     bytes4

	VST1.P [V16.H8, V17.H8, V18.H8, V19.H8], 64(R0)
	SUBS   $1, R2, R2
	BNE    look
	RET
