//go:build !crashpoints

package crash

// At marks a place: what is being done, and how far it has come.
func At(_, _ string) {}
