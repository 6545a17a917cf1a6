package access

// Buckets is how many principals are counted apart.
func (l *Limits) Buckets() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}
