package wallet

import (
	"errors"
	"fmt"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/signer"
)

// ErrUnproved says that an address's row and the enclave's proof of its making do not agree.
var ErrUnproved = errors.New("the address is not one that the enclave proved to have made for the wallet")

// Proved checks the stored proof of an address's making against the pinned key of the enclave: the enclave, in this
// environment, made this very address, with its path and key, for this wallet of this sub-organization. Whoever only
// writes to the database cannot make another address pass.
func (a Address) Proved(w Wallet, key, environment string) error {
	st, err := signer.Proof(a.Proof).Open(key)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnproved, err)
	}
	if st.Kind != wire.KindResult || st.Outcome != "" || st.Result == nil || st.Environment != environment {
		return fmt.Errorf("%w: it is no result of this environment", ErrUnproved)
	}
	if st.OrganizationID != w.SubOrganizationID || a.WalletID != w.ID {
		return fmt.Errorf("%w: it is another owner's", ErrUnproved)
	}
	for _, made := range st.Result.Accounts {
		if made.Address == a.Address && made.WalletID == w.EnclaveID && made.Path == a.Path &&
			made.PublicKey == a.PublicKey && made.AddressFormat == a.AddressFormat {
			return nil
		}
	}
	return fmt.Errorf("%w: it names none such", ErrUnproved)
}
