package enclave

import (
	"testing"

	"github.com/railkit/railkit/chain"
)

// Journals from before there were families name none in their entries, which are signed again at each question.
func TestEntriesWithoutKindAreOfEVM(t *testing.T) {
	for kind, want := range map[chain.Kind]chain.Kind{"": chain.EVM, chain.EVM: chain.EVM, "unheard of": ""} {
		f, err := familyOf(kind)
		if (err == nil) != (want != "") || err == nil && f.Kind() != want {
			t.Errorf("%q: %v, %v", kind, f, err)
		}
	}
}
