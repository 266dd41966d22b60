// Package takeover is a suite of attacks on the signer by who has taken over
// everything else: the server's process, its database and clock, its node, its
// mail, its prices (not the price key), and the signer's socket. All that it has
// of the signer is that socket; all that it has of its users is what they stamp.
//
// Each attack runs against the real program and must end without a signature that
// nobody agreed to. What was agreed to is kept in a ledger of the users' own,
// which reads every signature that comes out with another library and knows
// nothing of how the signer decides. Each attack also runs against a signer that
// lacks the very check that stops it, and must succeed there.
package takeover
