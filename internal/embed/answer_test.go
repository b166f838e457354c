package embed

import (
	"math"
	"testing"

	"lukasa.dev/internal/fault"
)

// For any answer, each text gets a valid vector or an error.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[0.5,-2e-3]}]}`,
		`{"data":[{"index":0,"embedding":[null,"NaN"]},{"index":1,"embedding":[1,2,3]}]}`,
		`{"data":[{"index":0,"embedding":"AAAA"},{"index":0,"embedding":[]}]}`,
		`{"error":{"message":"no"}}`, `[]`, ``,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := NewRemote(Options{BaseURL: "http://localhost", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		results := make([]Result, 2)
		b := batch{[]string{"one", "two"}, []*Result{&results[0], &results[1]}}
		if trouble := r.take(body, b); trouble != nil {
			if trouble.MayBeRequest() || fault.CodeOf(trouble.OfServer()) == fault.Canceled || results[0].Vector != nil || results[1].Vector != nil {
				t.Fatalf("%+v, %v", trouble, results)
			}
			return
		}
		for _, result := range results {
			if (result.Vector == nil) == (result.Err == nil) {
				t.Fatalf("%+v", result)
			}
			if result.Vector == nil {
				continue
			}
			var length float64
			for _, x := range result.Vector {
				length += float64(x) * float64(x)
			}
			if len(result.Vector) != r.Dimensions() || length == 0 || math.IsInf(length, 0) || math.IsNaN(length) {
				t.Fatalf("%v, %d dimensions", result.Vector, r.Dimensions())
			}
		}
	})
}
