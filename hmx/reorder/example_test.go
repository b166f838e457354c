package reorder_test

import (
	"fmt"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/hmx/reorder"
)

func Example() {
	buffer, err := reorder.New(reorder.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 3, 14, 3, 0, 0, 0, time.UTC)
	show := func(list []reorder.Release) {
		for _, r := range list {
			fmt.Println(r.Event.Sequence, r.Disposition, r.Missing.Len(), "missing")
		}
	}
	for _, sequence := range []int64{0, 2, 1, 5} {
		show(buffer.Push(now, &hmx.Event{TenantID: "t", SessionID: "s", Sequence: sequence}))
	}
	at, _ := buffer.Deadline() // when a timer would fire
	show(buffer.Advance(at))
	show(buffer.Push(at, &hmx.Event{TenantID: "t", SessionID: "s", Sequence: 4}))
	// Output:
	// 0 in_order 0 missing
	// 1 in_order 0 missing
	// 2 in_order 0 missing
	// 5 after_gap 2 missing
	// 4 late 0 missing
}
