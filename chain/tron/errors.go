package tron

import (
	"errors"
	"fmt"
)

// FieldError refuses bytes, or a transaction that cannot be written, and names the field: "contract.Permission_id".
type FieldError struct{ Field, Problem string }

func (e FieldError) Error() string { return e.Field + ": " + e.Problem }

func refuse(field, format string, values ...any) error {
	return FieldError{field, fmt.Sprintf(format, values...)}
}

// ErrSignature refuses a signature that is not the owner's.
var ErrSignature = errors.New("the signature is not by the key of this address over this transaction")
