package demo

import (
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"time"
)

// screen is where the story is told. On a terminal a step is seen while it
// runs; elsewhere each step is one plain line.
type screen struct {
	out   io.Writer
	live  bool // a line may be written over
	color bool
}

func newScreen(out io.Writer, getenv func(string) string) screen {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	live := isTerminal(out) && getenv("TERM") != "dumb"
	return screen{out: out, live: live, color: live && getenv("NO_COLOR") == ""}
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// The colours, as SGR numbers.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	cyan  = "36"
)

func (s screen) paint(text, sgr string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (s screen) print(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }

func (s screen) title() {
	s.print("\n%s\n", s.paint("Railkit: a wallet that only its passkey can move", bold))
	s.print("%s\n\n", s.paint("Real server, real enclave process, real EVM node; banks are the sandbox's own.\n"+
		"The client believes what the enclave has signed, and asks the node for balances.", dim))
}

// Widths of the columns; a line has at most 80 of them.
const (
	whatWidth   = 37
	resultWidth = 29
)

// run tells one step: what, what came of it, how long it took. Number 0 is the
// prelude.
func (s screen) run(n int, what string, do func() (string, error)) error {
	number := fmt.Sprintf("%2d", n)
	if n == 0 {
		number = "  "
	}
	if s.live {
		s.print(" %s  %s", s.paint(number, dim), what)
	}
	began := time.Now()
	result, err := do()
	took := time.Since(began)
	if s.live {
		s.print("\r\x1b[K")
	}
	mark, sgr := number, green
	if err != nil {
		result, sgr = "failed", red
	}
	s.print(" %s  %s %s %s\n", s.paint(mark, sgr), pad(what, whatWidth),
		s.paint(pad(result, resultWidth), resultColor(err)),
		s.paint(fmt.Sprintf("%7s", duration(took)), dim))
	return err
}

func resultColor(err error) string {
	if err != nil {
		return red
	}
	return cyan
}

// pad counts characters, not bytes.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len([]rune(text))))
}

func duration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// short keeps the beginning and the end of an id or hash, which is what people compare.
func short(id string) string {
	head := 8
	if strings.HasPrefix(id, "0x") {
		head = 6
	}
	if len(id) <= head+5 {
		return id
	}
	return id[:head] + "…" + id[len(id)-4:]
}

// maskKey shows what the dashboard shows of a key: its prefix and last four characters.
func maskKey(key string) string {
	const prefix = "rk_client_key_v1_"
	if !strings.HasPrefix(key, prefix) || len(key) < len(prefix)+8 {
		return "rk_…"
	}
	return prefix[:10] + "…" + key[len(key)-4:]
}

// failure shows what is needed to see why a step failed.
func (s screen) failure(where string, err error, x *exchange, logs string) {
	s.print("\n%s %s\n  %s\n", s.paint("Failed:", red+";"+bold), where,
		apiKeys.ReplaceAllString(err.Error(), "rk_[cut]"))
	if x != nil {
		s.print("\n%s\n  %s %s\n", s.paint("Last request", bold), x.method, x.path)
		if x.body != "" {
			s.print("    %s\n", x.body)
		}
		if x.status == 0 {
			s.print("%s\n", s.paint("No answer", bold))
		} else {
			s.print("%s\n  %d\n    %s\n", s.paint("Answer", bold), x.status, x.answer)
		}
	}
	if tail := lastLines(logs, 40); tail != "" {
		s.print("\n%s\n%s\n", s.paint("Last lines of the processes", bold), tail)
	}
	s.print("\n")
}

func lastLines(logs string, n int) string {
	lines := strings.Split(strings.TrimRight(apiKeys.ReplaceAllString(logs, "rk_[cut]"), "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	if len(lines) == 1 && lines[0] == "" {
		return ""
	}
	return "  " + strings.Join(lines, "\n  ")
}

func (s screen) summary(st *story, took time.Duration) {
	s.print("\n%s\n",
		s.paint(fmt.Sprintf("All %d steps passed in %s.", len(st.told()), duration(took)), green+";"+bold))
	s.payouts(st)
	s.agent(st.agent)
	s.shopper(st.shopper)
	s.trader(st.trader)
	s.print("\n")
	fee, _ := new(big.Int).SetString(st.fee, 10)
	for _, row := range [][2]string{
		{"Sub-org", st.owner.SubOrganizationID},
		{"Wallet", st.wallet.WalletID},
		{"Address", st.account.Address + "  " + st.account.Path},
		{"Transaction", st.sent.TxHash},
		{"Receiver", st.receiver + "  " + formatUnits(st.received, decimals) + " " + token},
		{"Fee at most", formatUnits(orZero(fee), 18) + " ETH, stamped by the passkey"},
		{"Enclave key", st.facts.EnclaveKey},
	} {
		s.print("  %s%s\n", s.paint(pad(row[0], 12), dim), row[1])
	}
	s.goOn()
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// goOn prints lines that work when they are pasted.
func (s screen) goOn() {
	s.print("\n%s\n", s.paint("Go on: run it and keep it, then talk to it from a second terminal.", bold))
	s.print(`
  bin/railkit dev

  KEY=$(sed -n 's/.*"apiKey": *"\([^"]*\)".*/\1/p' railkit-data/dev.json)
  curl -s localhost:8080/v1/
  curl -s -H "Authorization: ApiKey $KEY" localhost:8080/v1/signing/wallets

  http://localhost:8080/docs   every endpoint
  docs/trust.md                what each part can do to you, and what it cannot

`)
}
