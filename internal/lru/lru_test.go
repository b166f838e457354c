package lru

import "testing"

func TestCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := New[string, int](2)
	c.Put("a", 1)
	c.Put("b", 2)
	if v, ok := c.Get("a"); !ok || v != 1 {
		t.Fatalf("a is %d, %v", v, ok)
	}
	c.Put("a", 3) // replaces, evicts nothing
	c.Put("c", 4) // evicts b, the least recently used
	for key, want := range map[string]int{"a": 3, "b": 0, "c": 4} {
		if v, ok := c.Get(key); v != want || ok != (want != 0) {
			t.Errorf("%s is %d, %v; want %d", key, v, ok, want)
		}
	}
}

func TestTakeRemoves(t *testing.T) {
	t.Parallel()
	c := New[string, int](1)
	c.Put("a", 1)
	if v, ok := c.Take("a"); !ok || v != 1 {
		t.Fatalf("a is %d, %v", v, ok)
	}
	if _, ok := c.Take("a"); ok {
		t.Error("a value can be taken twice")
	}
	c.Put("b", 2)
	c.Put("b", 3)
	if v, _ := c.Get("b"); v != 3 {
		t.Errorf("b is %d", v)
	}
}
