package roster

import "math/bits"

// Count returns how many documents a mask lets be found, all of them if it is nil.
func (v *View) Count(mask Mask) (n int, err error) {
	for i := range v.rows.Chunks() {
		if mask != nil {
			m, err := mask(i)
			if err != nil {
				return 0, err
			}
			if m != nil {
				for _, w := range m {
					n += bits.OnesCount64(w)
				}
			}
			continue
		}
		c, err := v.rows.Chunk(i)
		if err != nil {
			return 0, err
		}
		if c != nil {
			n += c.Len()
		}
	}
	return n, nil
}
