// Package takeover is a suite of attacks on the signer by who has taken over
// everything else: the server's process, its database and clock, its node, its
// mail, its prices (not the price key), and the signer's socket. All that it has
// of the signer is that socket; all that it has of its users is what they stamp,
// and of their agents what these sign. In some attacks it has the machine's clock.
//
// Each attack runs against the real program and must end without a signature that
// nobody agreed to. What was agreed to is kept in a ledger of the users' own,
// which reads every signature that comes out with another library, or on Solana and Tron with
// code of its own, and knows nothing of how the signer decides.
//
// Each attack also runs against a mutant: a signer that lacks the very check which
// stops it. There it must succeed. Mutants are in mutants/*.txt. To add one, say
// what it no longer checks, name the file, and give the text of the source and the
// text in its place, which asks whether this process is that mutant:
//
//	mutant fee: the host's fee may be above the highest that was stamped
//	file enclave/decide/transaction.go
//	- if tx.MaxFee.Cmp(i.maxFee) > 0 {
//	+ if tx.MaxFee.Cmp(i.maxFee) > 0 && !mutant("fee") {
//
// and add an attack with "fee" as its mutant:
//
//	{"A01", "a fee above the maximum", "fee", changed(wire.Volatile{MaxFeePerGas: "9000000000", …})},
//
// The old text has to be in the file exactly once; part of a line will do, and so
// will several lines, each after "- " with its tabs. A mutant may have several
// changes. Where two need the same text, two lines "mutant" stand above one change,
// which asks for both. Lines that begin with # are comments, and an empty line ends
// a mutant.
//
// All mutants are in one program, which go build -overlay makes out of the changed
// files and of a function mutant in each of their packages: nothing of it is in the
// tree. The environment says at start which mutant a process is, and how far the
// machine's clock is moved under it. An ordinary run tries a few, by the seed that
// it prints (RAILKIT_SEED); RAILKIT_NIGHTLY=1 all.
package takeover
