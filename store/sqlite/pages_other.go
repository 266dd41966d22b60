//go:build !linux

package sqlite

// adviseHuge does nothing: only Linux is asked.
func adviseHuge([]byte) {}
