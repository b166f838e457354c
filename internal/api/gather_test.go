package api

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// A list that is read page by page has everything once and in order, and no page has much
// more than it may, whatever the sizes.
func TestGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{1, 1000, pageBytes / 4, pageBytes}), 0, 60).Draw(t, "sizes")
		limit, most := rapid.IntRange(1, 70).Draw(t, "limit"), rapid.IntRange(1, 20).Draw(t, "most")
		part := func(limit int, after string) ([]int, string, error) {
			from, _ := strconv.Atoi(after) // nothing is 0
			to := min(from+limit, len(sizes))
			if to == len(sizes) {
				return sizes[from:to], "", nil
			}
			return sizes[from:to], strconv.Itoa(to), nil
		}
		var all []int
		for after := ""; ; {
			list, next, err := gather(limit, most, after, part, func(n *int) int { return *n })
			if err != nil || list == nil || len(list) > limit || next != "" && len(list) == 0 {
				t.Fatalf("%v, %q, %v", list, next, err)
			}
			sum := 0
			for _, n := range list[:max(len(list)-most, 0)] {
				sum += n
			}
			if sum >= pageBytes {
				t.Fatalf("a page of %d bytes goes on", sum)
			}
			if next != "" && len(list) < limit {
				for _, n := range list[max(len(list)-most, 0):] {
					sum += n
				}
				if sum < pageBytes {
					t.Fatalf("a page of %d of %d ends with %d bytes", len(list), limit, sum)
				}
			}
			all = append(all, list...)
			if after = next; after == "" {
				break
			}
		}
		if len(all) != len(sizes) {
			t.Fatalf("%d of %d", len(all), len(sizes))
		}
		for i, n := range sizes {
			if all[i] != n {
				t.Fatalf("%v became %v", sizes, all)
			}
		}
	})
}
