package lukasa_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"lukasa.dev"
)

// What was useful on one board ranks first on another.
func ExampleTenant_ImportFingerprint() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	open := func() (*lukasa.Tenant, func()) {
		dir, err := os.MkdirTemp("", "lukasa")
		check(err)
		board, err := lukasa.Open(dir, lukasa.Options{})
		check(err)
		return board.Tenant("acme", lukasa.Writer{Actor: "ann", Trust: lukasa.User}), func() { _ = board.Close(); _ = os.RemoveAll(dir) }
	}
	shop, closeShop := open()
	defer closeShop()
	put, err := shop.Remember(ctx, &lukasa.Memory{Type: "fact", Text: "A parcel weighs 30 kg at most.", Tags: []string{"limits"}})
	check(err)
	_, err = shop.Put(ctx, &lukasa.Feedback{AgentID: "packer", Outcome: "success", Cited: []lukasa.URI{put.URI.Head()}}, lukasa.AnyVersion())
	check(err)
	put, err = shop.Remember(ctx, &lukasa.Memory{Type: "fact", Text: "Gift wrapping is blue.", Tags: []string{"style"}})
	check(err)
	_, err = shop.Put(ctx, &lukasa.Feedback{AgentID: "packer", Outcome: "failure", Cited: []lukasa.URI{put.URI.Head()}}, lukasa.AnyVersion())
	check(err)
	f, err := shop.Fingerprint(ctx, lukasa.FingerprintOptions{})
	check(err)

	depot, closeDepot := open()
	defer closeDepot()
	_, err = depot.Remember(ctx, &lukasa.Memory{Type: "fact", Text: "The ramp takes parcels until six.", Tags: []string{"limits"}})
	check(err)
	_, err = depot.Remember(ctx, &lukasa.Memory{Type: "fact", Text: "Parcels with paint are marked green.", Tags: []string{"style"}})
	check(err)
	_, err = depot.ImportFingerprint(ctx, f, lukasa.VisibleTenant)
	check(err)
	packed, err := depot.Pack(ctx, lukasa.PackOptions{Query: "what about parcels", Strategy: lukasa.FingerprintGuided})
	check(err)
	fmt.Println(packed.Pack.Entries[0].Content)
	// Output: The ramp takes parcels until six.
}
