// Package solana is Solana's own arithmetic: addresses, messages and transactions as bytes, what they do, and the
// messages that are no transaction. It is pure, runs inside the enclave and links no network code.
//
// Read family.go and transact.go first: they are what the rest of Railkit asks of Solana. Then message.go and
// transaction.go, effects.go for what the bytes do, and intent.go for what is written.
//
// # Wire forms
//
// A message is what the keys sign; a transaction is a message with its signatures. Three forms are read:
//
//	legacy  header (3 bytes), keys, blockhash, instructions; lists begin with their length as a shortvec
//	v0      0x80, then as legacy, then the lookup tables
//	v1      0x81, header, config mask (u32), blockhash, counts, keys, config values, instruction headers, payloads
//
// Signatures stand before a legacy or v0 message, after a shortvec, and the whole has at most 1,232 bytes. They stand
// after a v1 message, without a length, and the whole has at most 4,096 bytes.
//
// Each accepted sequence of bytes is the one encoding of what was read: Encode after Decode gives it back. Everything
// else is a FieldError, which names the field: trailing bytes, a length in more bytes than it needs, an index beyond
// the keys, a key twice, a header that leaves nobody to pay.
//
// # Sources
//
// Legacy and v0: the transaction pages of solana.com/docs, and SIMD-0160 for the 64 instructions. v1: SIMD-0385.
// Programs: the interfaces of the System, Token, Associated Token, Compute Budget and Memo programs as
// solana-program.com lists them. Off-chain messages: version 1 of the format that SIMD and @solana/kit 8.4.0 write.
// Tests hold all of it against @solana/web3.js 1.99.0, @solana/kit 8.4.0, @trustwallet/wallet-core 4.8.2 and, at night,
// solana-go v1.24.0.
package solana
