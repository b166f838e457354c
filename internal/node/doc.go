// Package node is one process that serves a board: configuration, listeners,
// consumers of brokers, metrics, and the way down.
//
//	cfg, err := node.Load(node.Sources{File: "lukasa.toml", Lookup: os.LookupEnv})
//	n, err := node.Start(ctx, cfg, node.Options{})
//	if err != nil { … }
//	err = n.Run(ctx) // until ctx is done
//
// # What is guaranteed
//
//   - What was acknowledged before or during the way down is on the disk. Callers
//     that were not answered were not acknowledged, and may send the same again.
//   - Nobody is served without a credential, on no listener but those for metrics and
//     profiles, which are off unless an address is given.
//   - A setting that is not known is refused, wherever it comes from.
//   - No secret is logged or printed.
//
// # What is not
//
// It decides nothing about calls: who may do what is in internal/api, how it is asked for
// in internal/transport.
package node
