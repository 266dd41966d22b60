//go:build !amd64 && !arm64

package harden

// auditArch is unknown here: there is no filter, and Confine says so.
const auditArch = 0

var allowedHere []uint32
