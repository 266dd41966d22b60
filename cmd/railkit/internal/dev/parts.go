package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/enclave/harden"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/internal/supervise"
)

const (
	rpID = "localhost"

	// MainSlug is the network that dev.json names.
	MainSlug = "base"
	// solanaSlug is the one whose chain is no EVM.
	solanaSlug = "solana"
	// tronSlug is that of Tron.
	tronSlug = "tron"
)

// Tools are the programs that a local platform consists of.
type Tools struct{ self, enclave, devnet, prices, partner, facilitator string }

// FindTools looks beside this program: that is where the build puts them.
func FindTools() (Tools, error) {
	self, err := os.Executable()
	if err != nil {
		return Tools{}, fmt.Errorf("finding this program: %w", err)
	}
	t := Tools{self: self}
	for name, path := range map[string]*string{
		"railkit-enclave": &t.enclave, "railkit-devnet": &t.devnet, "railkit-prices": &t.prices,
		"railkit-partner": &t.partner, "railkit-facilitator": &t.facilitator,
	} {
		*path = filepath.Join(filepath.Dir(self), name)
		if _, err := exec.LookPath(*path); err != nil {
			return t, fmt.Errorf("%s is missing in %s; make build puts it there", name, filepath.Dir(self))
		}
	}
	return t, nil
}

// seal makes the enclave's folder at the first start, and later adds to it what this program knows beyond it.
func seal(ctx context.Context, t Tools, d *dataDir, s sandboxFile) error {
	dir := d.in("enclave")
	if _, err := os.Stat(filepath.Join(dir, "genesis.age")); err == nil {
		return amendSealed(ctx, t, d, s)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for the enclave's genesis: %w", err)
	}
	cmd := exec.CommandContext(ctx, t.enclave, "init", "--data", dir, "--environment", "sandbox",
		"--rp-id", rpID, "--origin", s.origin(),
		"--unseal-file", d.unsealFile(), "--new-unseal-file",
		"--new-price-key-file", d.priceKeyFile())
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("making the enclave: %w: %s", err, lastLine(string(out)))
	}
	return nil
}

// amendSealed adds to an enclave of an earlier program the networks and tokens that this one lists, and the page's
// origin.
func amendSealed(ctx context.Context, t Tools, d *dataDir, s sandboxFile) error {
	cmd := exec.CommandContext(ctx, t.enclave, "amend", "--data", d.in("enclave"), "--unseal-file", d.unsealFile(),
		"--listed", "--origin", s.origin(), "--yes")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("adding to what the enclave was sealed for: %w: %s", err, lastLine(string(out)))
	}
	return nil
}

func (d *dataDir) priceKeyFile() string { return d.in("price.key") }

func (d *dataDir) unsealFile() string { return d.in(filepath.Join("enclave", "unseal.key")) }

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// platform is what the parts need to know of each other.
type platform struct {
	tools   Tools
	data    *dataDir
	ports   *ports
	sandbox sandboxFile
	addr    string
	mail    mailbox
	shops   *market
	local   []string // other places of this machine that the server may ask
	level   string   // of each part's log; "": its own
}

// startParts starts the children, each when those it depends on are ready.
func startParts(ctx context.Context, g *supervise.Group, p platform) (demo.Facts, error) {
	socket, err := p.data.socket()
	if err != nil {
		return demo.Facts{}, err
	}
	devnet, err := g.Start(ctx, p.devnetSpec())
	if err != nil {
		return demo.Facts{}, err
	}
	enclave, err := g.Start(ctx, p.enclaveSpec(socket))
	if err != nil {
		return demo.Facts{}, err
	}
	if err := p.checkSealed(enclave.Facts()); err != nil {
		return demo.Facts{}, err
	}
	prices, err := g.Start(ctx, p.pricesSpec())
	if err != nil {
		return demo.Facts{}, err
	}
	at := addresses{node: devnet.Facts().Text("addr"), prices: prices.Facts().Text("addr")}
	partner, err := g.Start(ctx, p.partnerSpec(at))
	if err != nil {
		return demo.Facts{}, err
	}
	at.partner = partner.Facts().Text("addr")
	// The server is told where the facilitator will be, which starts after it: an account of the signer pays its gas.
	if at.facilitator, err = p.ports.take("facilitator"); err != nil {
		return demo.Facts{}, err
	}
	if at.dashboard, err = p.ports.take("dashboard"); err != nil {
		return demo.Facts{}, err
	}
	server, err := g.Start(ctx, p.serverSpec(enclave.Facts(), at))
	if err != nil {
		return demo.Facts{}, err
	}
	at.server = server.Facts().Text("addr")
	if err := p.introduce(ctx, at); err != nil {
		return demo.Facts{}, err
	}
	if err := p.inviteFirst(ctx, at); err != nil {
		return demo.Facts{}, err
	}
	gas, err := p.gasAccount(ctx, enclave.Facts(), at)
	if err != nil {
		return demo.Facts{}, err
	}
	if _, err := g.Start(ctx, p.facilitatorSpec(enclave.Facts(), at, gas)); err != nil {
		return demo.Facts{}, err
	}
	return p.facts(enclave.Facts(), at), nil
}

// addresses are where the parts listen.
type addresses struct{ node, prices, partner, server, facilitator, dashboard string }

func (p platform) devnetSpec() supervise.Spec {
	return p.spec("devnet", p.tools.devnet, func(prev supervise.Facts) []string {
		return []string{"--data", p.data.in("devnet"), "--addr", p.again("devnet", prev)}
	})
}

// pricesSpec is the price signer, with the sandbox's own table for a feed.
func (p platform) pricesSpec() supervise.Spec {
	return p.spec("prices", p.tools.prices, func(prev supervise.Facts) []string {
		return []string{"run", "--environment", "sandbox", "--key-file", p.data.priceKeyFile(),
			"--addr", p.again("prices", prev)}
	})
}

// partnerSpec is the sandbox's partner. It makes its own keys, in files.
func (p platform) partnerSpec(at addresses) supervise.Spec {
	return p.spec("partner", p.tools.partner, func(prev supervise.Facts) []string {
		return []string{"--data", p.data.in("partner"), "--devnet-url", "http://" + at.node,
			"--addr", p.again("partner", prev)}
	})
}

// partnerFile is a file of the partner's that the server reads.
func (p platform) partnerFile(name string) string { return p.data.in(filepath.Join("partner", name)) }

// introduce tells the partner where the server takes its notices. The partner
// keeps that.
func (p platform) introduce(ctx context.Context, at addresses) error {
	key, err := os.ReadFile(p.partnerFile(control.KeyFile))
	if err != nil {
		return fmt.Errorf("reading the partner's key: %w", err)
	}
	c := control.New("http://"+at.partner, strings.TrimSpace(string(key)))
	if err := c.SetWebhookURL(ctx, "http://"+at.server+control.NoticePath); err != nil {
		return fmt.Errorf("telling the partner where the server is: %w", err)
	}
	return nil
}

// again is the address that a part had before it died, or at the last start.
func (p platform) again(part string, prev supervise.Facts) string {
	if addr := prev.Text("addr"); addr != "" {
		return addr
	}
	addr, err := p.ports.take(part)
	if err != nil {
		return "127.0.0.1:0" // the part says why it cannot listen
	}
	return addr
}

func (p platform) enclaveSpec(socket string) supervise.Spec {
	s := p.spec("enclave", p.tools.enclave, func(supervise.Facts) []string {
		return []string{"run", "--data", p.data.in("enclave"), "--unseal-file", p.data.unsealFile(),
			"--socket", socket, "--accept-time"}
	})
	s.Env = []string{harden.Environment}
	return s
}

func (p platform) serverSpec(enclave supervise.Facts, at addresses) supervise.Spec {
	s := p.spec("server", p.tools.self, func(prev supervise.Facts) []string {
		addr := p.addr
		if prev != nil || portOf(addr) == 0 {
			addr = p.again("server", prev)
		}
		args := []string{"serve", "--addr", addr, "--data", p.data.path, "--environment", "sandbox",
			"--sandbox-file", p.data.sandboxFile(),
			"--enclave-socket", enclave.Text("socket"), "--enclave-key", enclave.Text("identityKey"),
			"--rp-id", enclave.Text("rpId"), "--ceremony-origin", p.sandbox.origin(), "--ceremony-addr",
			p.sandbox.CeremonyAddr,
			"--devnet-url", "http://" + at.node, "--prices-url", "http://" + at.prices, "--watch-every", "500ms",
			"--partner-url", "http://" + at.partner, "--partner-webhook-key-file", p.partnerFile(control.PublicKeyFile),
			"--fetch-local", strings.Join(append(p.shops.places(), p.local...), " "),
			"--facilitator-url", "http://" + at.facilitator, "--dashboard-addr", at.dashboard,
			"--mail-from", "Railkit sandbox <railkit@localhost.localdomain>"}
		for _, n := range chain.Networks(chain.Sandbox) {
			args = append(args, "--rpc", n.Slug+"="+chainURL(at.node, n.Slug))
		}
		return args
	})
	s.Env = []string{
		"RAILKIT_SMTP_URL=" + p.mail.smtpURL, "RAILKIT_PARTNER_KEY_FILE=" + p.partnerFile(control.APIKeyFile),
		"RAILKIT_PARTNER_CONTROL_KEY_FILE=" + p.partnerFile(control.KeyFile),
	}
	return s
}

func (p platform) spec(name, path string, args func(supervise.Facts) []string) supervise.Spec {
	leveled := func(prev supervise.Facts) []string {
		if p.level == "" {
			return args(prev)
		}
		return append(args(prev), "--log-level", p.level)
	}
	return supervise.Spec{Name: name, Path: path, Args: leveled, Hold: []*os.File{p.data.held}}
}

// chainURL is where the devnet answers for one of its chains.
func chainURL(node, slug string) string { return "http://" + node + "/" + slug }

// checkSealed compares what the enclave was sealed with to what we are about to
// tell the world: a page of another origin would get no stamp accepted.
func (p platform) checkSealed(enclave supervise.Facts) error {
	origins, _ := enclave["origins"].([]any)
	if !slices.Contains(origins, any(p.sandbox.origin())) {
		return fmt.Errorf("the enclave was not sealed for %s: "+
			"sandbox.json and the enclave's folder do not belong together",
			p.sandbox.origin())
	}
	return nil
}

func (p platform) facts(enclave supervise.Facts, at addresses) demo.Facts {
	n, _ := chain.BySlug(chain.Sandbox, MainSlug)
	f := demo.Facts{
		BaseURL: "http://" + asLocalhost(at.server),
		APIKey:  p.sandbox.APIKey, InternalKey: p.sandbox.InternalKey,
		AdminKey: p.sandbox.AdminKey, BenchKey: p.sandbox.BenchKey,
		WorkspaceID: p.sandbox.WorkspaceID,
		Environment: string(chain.Sandbox),
		EVMRPCURL:   chainURL(asLocalhost(at.node), MainSlug), ChainID: n.ChainID, Tokens: map[string]string{},
		SolanaRPCURL:  chainURL(asLocalhost(at.node), solanaSlug),
		TronURL:       chainURL(asLocalhost(at.node), tronSlug),
		EnclaveSocket: enclave.Text("socket"), EnclaveKey: enclave.Text("identityKey"),
		RPID: enclave.Text("rpId"), CeremonyOrigin: p.sandbox.origin(),
		DashboardURL: "http://" + asLocalhost(at.dashboard), MailURL: p.mail.viewURL,
		PricesURL: "http://" + asLocalhost(at.prices), PartnerURL: "http://" + asLocalhost(at.partner),
		FacilitatorURL: "http://" + asLocalhost(at.facilitator),
	}
	for _, t := range n.Tokens {
		f.Tokens[t.Symbol] = t.Address
	}
	return f
}

// announce tells a person what a program reads from dev.json.
func announce(w io.Writer, d *dataDir, f demo.Facts, took time.Duration) {
	fmt.Fprintf(w, "railkit dev is ready after %v\n\n", took.Round(time.Millisecond))
	rows := [][2]string{
		{"base address", f.BaseURL},
		{"API key", f.APIKey},
		{"API docs", f.BaseURL + "/docs"},
		{"widgets", f.BaseURL + "/widget (a gallery; docs/widgets.md)"},
		{"dashboard", f.DashboardURL + " (the first login is in the mail to " + firstMember + ")"},
		{"EVM node", fmt.Sprintf("%s (chain id %d)", f.EVMRPCURL, f.ChainID)},
		{"Solana node", f.SolanaRPCURL + ""},
		{"Tron node", f.TronURL + " (/wallet and /walletsolidity)"},
	}
	for _, symbol := range slices.Sorted(maps.Keys(f.Tokens)) {
		rows = append(rows, [2]string{symbol, f.Tokens[symbol]})
	}
	rows = append(rows, [][2]string{
		{"enclave key", f.EnclaveKey + " (software: nothing attests this process)"},
		{"passkey page", f.CeremonyOrigin + " (sealed as the passkeys' origin; a link of each prepare opens it)"},
		{"prices", f.PricesURL + " (fixed ones of the sandbox's own; signed, and handed to the enclave each minute)"},
		{"partner", f.PartnerURL + " (holds and pays no real money; docs/partner.md)"},
		{"facilitator", f.FacilitatorURL + " (settles payments of x402; docs/x402.md)"},
		{"shops", f.ShopURL + " (honest), " + f.LyingShopURL + " (a lie at each path)"},
		{"mail", f.MailURL + " (nothing is delivered; invitations are there)"},
		{"all of this", d.factsFile()},
	}...)
	for _, r := range rows {
		fmt.Fprintf(w, "  %-15s %s\n", r[0], r[1])
	}
	fmt.Fprint(w, "\nCtrl-C stops it; the same --data starts again where it was.\n")
}
