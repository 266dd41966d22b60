// Package tron is Tron's own arithmetic: addresses, transactions as bytes, what they do, and the messages that are no
// transaction. It is pure, runs inside the enclave and links no network code. Curve, hashes and the words of a call are
// those of EVM, so it asks chain/evm for them.
//
// Read family.go and transact.go first: they are what the rest of Railkit asks of Tron. Then raw.go for a transaction
// as bytes, protobuf.go for how bytes are read, and effects.go for what they do.
//
// # Wire form
//
// What a key signs is the SHA-256 of raw_data, a message of protocol buffers, which is the transaction's id as well:
//
//	1   ref_block_bytes  2 bytes: the end of a recent block's number
//	4   ref_block_hash   8 bytes of that block's id
//	8   expiration       millisecond since 1970 from which on no block takes it
//	11  contract         type, and a google.protobuf.Any with the type's name and its message
//	14  timestamp        millisecond since 1970, which no node looks at
//	18  fee_limit        sun that the energy of a call may cost; not of a transfer of TRX
//
// What is broadcast is raw_data as field 1 and one signature as field 2: r, s and 27 or 28.
//
// Two types of contract are read, TransferContract and TriggerSmartContract, and the one encoding of each: Encode after
// Decode gives it back. Everything else is a FieldError, which names the field: a field that is not in the list above,
// or twice, or out of order; a number in more bytes than it needs; zeros that are written; a type_url of another type
// than the contract's; a second contract; Permission_id, by which another key than the owner's signs; a memo, which
// costs a TRX; tokens of TRC-10; each other type, such as AccountPermissionUpdateContract, which gives an account away.
//
// # Sources
//
// The messages and what a node checks of them: protocol/src/main/protos of github.com/tronprotocol/java-tron, and its
// Manager, BandwidthProcessor, TransferActuator and VMActuator. Messages for people: TIP-191 as tronweb writes it
// (signMessageV2). Tests hold all of it against tronweb 6.5.1, @trustwallet/wallet-core 4.8.2 and, at night,
// gotron-sdk v0.25.1. Nothing of it has met a network: no node of Tron can be had where it is built.
package tron
