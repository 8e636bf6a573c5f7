package redis

import "context"

// Keys counts the keys under the prefix, and those that would never expire.
func (w *Window) Keys(ctx context.Context) (n, without int) {
	it := w.client.Scan(ctx, 0, w.prefix+":*", 1000).Iterator()
	for it.Next(ctx) {
		n++
		if w.client.TTL(ctx, it.Val()).Val() < 0 {
			without++
		}
	}
	return n, without
}
