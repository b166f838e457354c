// Package documents has the commands about HMX documents. They need no board and keep no state.
package documents
