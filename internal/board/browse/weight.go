package browse

import (
	"context"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/record"
)

// Weight returns the total size of the payloads of a tenant from a position on, and
// the position after them. Erased payloads count as zero.
func (b *Browser) Weight(ctx context.Context, tenant string, from uint64) (bytes int64, to uint64, err error) {
	err = b.core.Read(ctx, tenant, func(s board.State) error {
		for to = from; to < s.Tenant.Size; to++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := b.core.FrameAt(s, to)
			if err != nil {
				return err
			}
			bytes += int64(max(len(f.Body)-record.SaltSize, 0))
		}
		return nil
	})
	return bytes, to, err
}
