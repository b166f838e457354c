package api

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"lukasa.dev/internal/auth"
)

// The groups under which operations are documented.
const (
	groupEvents    = "Events"
	groupContext   = "Context"
	groupMemories  = "Memories"
	groupKnowledge = "Knowledge"
	groupProof     = "Proof and care"
	groupAdmin     = "Administration"
)

// table is the list of operations.
var table = sync.OnceValue(func() []*Operation {
	return slices.Concat(
		eventOperations(),
		timelineOperations(),
		contextOperations(),
		searchOperations(),
		memoryOperations(),
		lookOperations(),
		memoryToolOperations(),
		artifactOperations(),
		conflictOperations(),
		graphOperations(),
		seeingOperations(),
		fingerprintOperations(),
		proofOperations(),
		adminOperations(),
		storageOperations(),
	)
})

// Operations returns the operations in the order of their documentation. They are shared and
// must not be changed.
func Operations() []*Operation { return slices.Clone(table()) }

// Lookup returns the operation with a name, or nil.
func Lookup(name string) *Operation {
	for _, o := range table() {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// define completes an operation with the types of its function.
func define[In, Out any](o Operation, run func(ctx context.Context, c *Call, in *In) (*Out, error)) *Operation {
	o.In, o.Out = reflect.TypeFor[In](), reflect.TypeFor[Out]()
	if run != nil {
		o.Run = func(ctx context.Context, c *Call, in any) (any, error) {
			out, err := run(ctx, c, in.(*In))
			if err != nil {
				return nil, err // and not a typed nil
			}
			return out, nil
		}
	}
	return &o
}

// nothing is the request of an operation without fields.
type nothing struct{}

// reads and writes are the rights that most operations need.
const (
	reads  = auth.Read
	writes = auth.Write
)
