package bench

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	if os.Getenv("PROBE") == "" {
		t.Skip()
	}
	r, err := Journal(context.Background(), Options{Dir: "/work", Turn: time.Second, Turns: 3, Events: 500000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Comparisons {
		t.Logf("%+v", c)
	}
	t.Logf("%+v", *r.Ingest)
}
