// Package signer is the kit's port to the enclave, which the docs call the signer: what the kit asks of it, how bodies
// are written for it, and how its proofs are kept and read again.
package signer
