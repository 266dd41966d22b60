package dev

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/demo"
)

// Learn takes over what the railkit dev that runs on the data folder says of itself, where no setting says otherwise;
// nil: none runs there. Its signer's key comes with its socket: of another signer it says nothing.
func Learn(l *config.Loaded) (*demo.Facts, error) {
	folder := cmp.Or(l.DataDir, config.SandboxFolder)
	f, err := ReadFacts(filepath.Join(folder, FactsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l.Suggest("data", folder)
	l.Suggest("environment", "sandbox")
	l.Suggest("addr", strings.TrimPrefix(f.BaseURL, "http://"))
	l.Suggest("enclave-socket", f.EnclaveSocket)
	if l.From["enclave-socket"] == config.FromDev {
		l.Suggest("enclave-key", f.EnclaveKey)
	}
	l.Suggest("rp-id", f.RPID)
	l.Suggest("ceremony-origin", f.CeremonyOrigin)
	l.Suggest("prices-url", f.PricesURL)
	l.Suggest("rpc", MainSlug+"="+f.EVMRPCURL)
	learnPartner(l, f)
	return &f, nil
}

// learnPartner takes over the partner, with the key in its folder.
func learnPartner(l *config.Loaded, f demo.Facts) {
	key, err := os.ReadFile(filepath.Join(l.DataDir, "partner", control.APIKeyFile))
	if err != nil {
		return
	}
	l.Suggest("partner-url", f.PartnerURL)
	l.Suggest("partner-key", strings.TrimSpace(string(key)))
	l.Suggest("partner-webhook-key-file", filepath.Join(l.DataDir, "partner", control.PublicKeyFile))
}
