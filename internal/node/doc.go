// Package node is one process that serves a board: configuration, listeners, consumers of
// brokers, metrics, and shutdown.
//
//	cfg, err := node.Load(node.Sources{File: "lukasa.toml", Lookup: os.LookupEnv})
//	n, err := node.Start(ctx, cfg, node.Options{})
//	if err != nil { … }
//	err = n.Run(ctx) // until ctx is done
//
// # What is guaranteed
//
//   - What was acknowledged before or during shutdown is on the disk. A call without
//     an answer was not acknowledged, and the client may send it again.
//   - Every call needs a credential, except on the listeners for metrics and
//     profiles, which are off unless an address is given.
//   - An unknown setting is refused, wherever it comes from.
//   - No secret is logged or printed.
//
// # What is not
//
// It does not decide about calls: internal/api authorizes them, and internal/transport defines
// their form.
package node
