package lukasa_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"lukasa.dev"
)

// The pack for a question, as the text that an agent reads.
func ExampleTenant_Pack() {
	dir, err := os.MkdirTemp("", "lukasa-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer board.Close()
	ctx := context.Background()
	acme := board.Tenant("acme", lukasa.Writer{Actor: "ops", Trust: lukasa.User})
	for _, m := range []*lukasa.Memory{
		{Type: "identity", Text: "You are the release engineer."},
		{Type: "constraint", Text: "Never release on a Friday.", Data: &lukasa.ConstraintData{Strength: "hard"}},
		{Type: "fact", Key: "release/cadence", Text: "Releases are cut every second Tuesday."},
	} {
		if _, err := acme.Remember(ctx, m); err != nil {
			log.Fatal(err)
		}
	}
	packed, err := acme.Pack(ctx, lukasa.PackOptions{Query: "When are releases cut?", Budget: 500})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range packed.Pack.Entries {
		fmt.Printf("%s: %s\n", e.Section, e.Content)
	}
	proof, err := acme.VerifyPack(ctx, packed.Pack, lukasa.VerifyPackOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(proof.Entries), "proven")
	// Output:
	// core: You are the release engineer.
	// constraints: (hard) Never release on a Friday.
	// facts: Releases are cut every second Tuesday.
	// 3 proven
}

// A short block about a topic.
func ExampleTenant_PackContext() {
	dir, err := os.MkdirTemp("", "lukasa-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer board.Close()
	ctx := context.Background()
	acme := board.Tenant("acme", lukasa.Writer{Actor: "ops", Trust: lukasa.User})
	if _, err := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Releases are cut every second Tuesday."}); err != nil {
		log.Fatal(err)
	}
	text, err := acme.PackContext(ctx, lukasa.PackContextOptions{BlockRequest: lukasa.BlockRequest{Topic: "releases"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// ## Context for 'releases' (1 memory, ~28 tokens)
	//
	// - **release/cadence**: Releases are cut every second Tuesday.
}
