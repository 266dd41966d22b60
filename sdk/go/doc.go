// Package railkit is the Go client of the Railkit API.
//
// The client does not trust the server. It pins the identity key of the
// enclave ([Config].EnclaveKey) and checks every preview and every result
// against it: that the body a passkey is asked to stamp does what the caller
// asked for and nothing else, that a result belongs to the body that was
// stamped, and that an account is owned by the passkeys the caller knows and by
// nobody else. Whatever does not hold is a [TamperError] and the call fails.
//
// What it has seen of the enclave's journal it keeps in its [Memory], and before
// it believes a preview it asks the enclave for it again ([Client.CheckJournal]):
// one whose folder was put back to an older copy answers otherwise.
//
// The high-level calls ([Client.CreateSubOrganization], [Client.CreateWallet],
// [Client.CreateAccount], [Client.SendTransaction]) prepare, verify, stamp and
// confirm. The calls below them map one to one to endpoints, verify the same
// way, and leave the stamping to the caller, for example to a browser.
//
// A key of the caller's own, in no wallet, signs by itself:
// [Client.PrepareExternal] checks the very bytes, [Client.ConfirmSigned] hands
// them in. No enclave vouches for those.
//
// Payouts go to bank accounts: [Client.CreateWithdrawAddress] gives the address
// that leads to one, [Client.QuotePayout] and [Client.ExecutePayout] hold a price,
// and [Client.WaitDeposit], [Client.WaitOrder] and [Client.WaitRefund] wait for
// what becomes of it, as long as the context lets them. No enclave vouches for
// what the server says of orders; the chain, and the bank, do.
//
// A client remembers the passkeys of the sub-organizations that it registered.
// After a restart, tell it what it may trust with [Client.TrustOwners]; the
// server is not asked, since the server is what is being checked.
//
// Calls are retried on network errors, 429, 502 and 503. Every mutation carries
// an Idempotency-Key that is kept over its retries, so a retry never does
// anything twice. Redirects are not followed.
package railkit
