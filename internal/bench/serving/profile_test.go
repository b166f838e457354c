package serving

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"lukasa.dev"
	"lukasa.dev/internal/bench"
)

func TestProfilePacks(t *testing.T) {
	ctx := t.Context()
	r := &run{o: Options{Events: 10000, Progress: func(string, int, int) {}}, dir: t.TempDir(), report: &Report{}}
	if err := r.start(ctx); err != nil {
		t.Fatal(err)
	}
	defer r.node.Close()
	r.corpus = bench.NewCorpus(r.o.Events)
	if err := r.lines(ctx); err != nil {
		t.Fatal(err)
	}
	p, err := r.tenant().Pack(ctx, lukasa.PackOptions{Query: r.corpus.Question(), Budget: packBudget})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	var text []byte
	for range 100 {
		text, err = p.Pack.AppendJSON(nil)
	}
	fmt.Println("append", time.Since(start)/100, len(text), err, len(p.Pack.Entries))
	os.WriteFile("/tmp/serving/pack.json", text, 0o600)
	start = time.Now()
	for range 100 {
		text, err = json.Marshal(p.Pack)
	}
	fmt.Println("marshal", time.Since(start)/100, len(text), err)
	w, _ := dial(r.node.URL(), "/v1/pack", r.token, sendsJSON)
	defer w.close()
	h, _ := dial(r.node.URL(), "/v1/search", r.token, sendsJSON)
	defer h.close()
	var a, b, c []time.Duration
	var m0, m1, m2 runtime.MemStats
	var ha, la uint64
	for range 300 {
		q := r.corpus.Question()
		r.tenant().Pack(ctx, lukasa.PackOptions{Query: q, Budget: packBudget})
		runtime.ReadMemStats(&m0)
		start := time.Now()
		body, _ := json.Marshal(map[string]any{"query": q, "budget": packBudget})
		ans, err := w.post(body)
		if err != nil {
			t.Fatal(err)
		}
		a = append(a, time.Since(start))
		_ = ans
		runtime.ReadMemStats(&m1)
		start = time.Now()
		r.tenant().Pack(ctx, lukasa.PackOptions{Query: q, Budget: packBudget})
		b = append(b, time.Since(start))
		runtime.ReadMemStats(&m2)
		ha += m1.TotalAlloc - m0.TotalAlloc
		la += m2.TotalAlloc - m1.TotalAlloc
		start = time.Now()
		h.post([]byte(`{"query":5}`))
		c = append(c, time.Since(start))
	}
	fmt.Printf("http %+v\nlib %+v\nbad %+v\nalloc %d %d\n", bench.LatencyOf(a), bench.LatencyOf(b), bench.LatencyOf(c), ha/300, la/300)
}
