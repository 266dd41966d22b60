// Package bank checks bank details before anybody is asked about them: lengths,
// alphabets and check digits of account numbers, and which of them a currency
// needs. It is pure. Errors name the field and what it must be, never its value.
package bank

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
