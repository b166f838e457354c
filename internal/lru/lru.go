// Package lru is a cache that keeps the most recently used values. It has no lock: its owner
// guards it together with related state.
package lru

import "container/list"

// Cache keeps a bounded number of values by key. Make one with [New].
type Cache[K comparable, V any] struct {
	most  int
	known map[K]*list.Element
	order *list.List // of entry, the most recently used first
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns a cache that keeps up to most values.
func New[K comparable, V any](most int) Cache[K, V] {
	return Cache[K, V]{most: most, known: make(map[K]*list.Element), order: list.New()}
}

// Get returns a value and counts as a use of it.
func (c *Cache[K, V]) Get(key K) (v V, ok bool) {
	e := c.known[key]
	if e == nil {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

// Put stores a value in place of the key's former one. If there are too many, it evicts the
// least recently used.
func (c *Cache[K, V]) Put(key K, v V) {
	if e := c.known[key]; e != nil {
		e.Value = entry[K, V]{key, v}
		c.order.MoveToFront(e)
		return
	}
	c.known[key] = c.order.PushFront(entry[K, V]{key, v})
	if c.order.Len() > c.most {
		last := c.order.Remove(c.order.Back()).(entry[K, V])
		delete(c.known, last.key)
	}
}

// Take returns a value and removes it.
func (c *Cache[K, V]) Take(key K) (v V, ok bool) {
	e := c.known[key]
	if e == nil {
		return v, false
	}
	delete(c.known, key)
	return c.order.Remove(e).(entry[K, V]).value, true
}
