package api

import (
	"slices"
	"sync"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/memorytool"
	"lukasa.dev/internal/operation"
)

// table is the list of operations.
var table = sync.OnceValue(func() []*operation.Operation {
	return slices.Concat(
		eventOperations(),
		timelineOperations(),
		contextOperations(),
		searchOperations(),
		memoryOperations(),
		lookOperations(),
		memorytool.Operations(),
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
func Operations() []*operation.Operation { return slices.Clone(table()) }

// Lookup returns the operation with a name, or nil.
func Lookup(name string) *operation.Operation {
	for _, o := range table() {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// nothing is the request of an operation without fields.
type nothing struct{}

// reads and writes are the rights that most operations need.
const (
	reads  = auth.Read
	writes = auth.Write
)
