package action

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/text"
)

const (
	longestLine = 100
	longestText = 1_000
	longestURL  = 2_048
	mostParams  = 16
	mostOptions = 32
)

var (
	word     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	host     = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`) // no other is one to a browser
	solidity = regexp.MustCompile(`^(address|bool|string|bytes([1-9]|[12][0-9]|3[0-2])?|u?int([1-9][0-9]{0,2})?)$`)
	inputs   = []string{"text", "number", "boolean", "email", "url", "datetime", "textarea", "select", "radio"}
)

// line checks a text without line breaks.
func (c *check) line(field, s string, required bool) {
	c.prose(field, []string{s}, required, longestLine)
}

// text checks a text that may have several lines.
func (c *check) text(field, s string, required bool) {
	c.prose(field, strings.Split(s, "\n"), required, longestText)
}

// prose refuses characters that no reader sees, by which a text can be made to read otherwise than it is: "0xA…" can be
// shown with its end first.
func (c *check) prose(field string, lines []string, required bool, most int) {
	whole := strings.Join(lines, "\n")
	switch {
	case required && strings.TrimSpace(whole) == "":
		c.wrong(field, "is required")
	case utf8.RuneCountInString(whole) > most:
		c.wrong(field, fmt.Sprintf("must be at most %d characters", most))
	case slices.ContainsFunc(lines, func(line string) bool { return !text.Visible(line) }):
		c.wrong(field, text.Unseen)
	}
}

func (c *check) word(field, text string) {
	if !word.MatchString(text) {
		c.wrong(field, "must be a word of letters, digits, _ and -, of at most 64")
	}
}

// url refuses all but https. What a widget would run, such as javascript: and data:, is no such URL.
func (c *check) url(field, text string) {
	u, err := url.Parse(text)
	unplain := func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
	switch {
	case text == "":
		c.wrong(field, "is required")
	case len(text) > longestURL || strings.ContainsFunc(text, unplain) || err != nil || u.User != nil ||
		!host.MatchString(u.Host):
		c.wrong(field, "must be a URL in ASCII with a host and no user, of at most 2048 characters")
	case u.Scheme == "https", c.rules.Local && u.Scheme == "http" && loopback(u.Hostname()):
	default:
		c.wrong(field, "must begin with https://")
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// path is a URL, or what follows baseUrl.
func (c *check) path(field, text string) {
	switch {
	case !strings.HasPrefix(text, "/"):
		c.url(field, text)
	case !c.based:
		c.wrong(field, "must be a URL where there is no baseUrl")
	case strings.HasPrefix(text, "//"), strings.Contains(text, ".."):
		c.wrong(field, "must not lead away from baseUrl")
	default:
		c.url(field, "https://base.example"+text)
	}
}

func (c *check) source(at string, chains *Chains) chain.Network {
	if chains == nil {
		c.wrong(at+".chains", "is required")
		return chain.Network{}
	}
	return c.network(at+".chains.source", chains.Source)
}

func (c *check) network(field, name string) chain.Network {
	n, ok := chain.Named(c.rules.Networks, name)
	if !ok {
		c.wrong(field, chain.Unknown(c.rules.Networks))
	}
	return n
}

// onEVM refuses a network of another family, and says why.
func (c *check) onEVM(field string, n chain.Network, why string) {
	if n.Slug != "" && n.Kind != chain.EVM {
		c.wrong(field, "must be an EVM network: "+why)
	}
}

// address reads an address as its network spells them, and gives its canonical spelling.
func (c *check) address(field string, n chain.Network, text string) (canonical string) {
	family, ok := families.Of(n.Kind)
	if !ok {
		return "" // the network is wrong already
	}
	canonical, err := family.ParseAddress(text)
	if err != nil {
		c.wrong(field, "must be an address ("+family.Form().Typed+")")
	}
	return canonical
}

// payee refuses an address that nobody has the key of: what it gets is lost.
func (c *check) payee(field string, n chain.Network, text string) {
	at := c.address(field, n, text)
	if t, found := n.TokenByAddress(at); found && at != "" {
		c.wrong(field, "cannot be paid: it is that of the token "+t.Symbol)
	}
	c.somebody(field, n, at)
}

// token is the listed token at an address; of another one nothing is known.
func (c *check) token(field string, n chain.Network, text string) chain.Token {
	at := c.address(field, n, text)
	c.somebody(field, n, at)
	t, _ := n.TokenByAddress(at)
	return t
}

func (c *check) somebody(field string, n chain.Network, address string) {
	if family, ok := families.Of(n.Kind); ok && address != "" {
		if err := family.CheckPayee(address); err != nil {
			c.wrong(field, "cannot be paid: it "+err.Error())
		}
	}
}

// params checks what an action takes. Addresses are those of the network, if the action has one.
func (c *check) params(at string, n chain.Network, all []Param) {
	c.bounds(at+".params", len(all), mostParams)
	seen := map[string]bool{}
	for i, p := range all {
		field := fmt.Sprintf("%s.params[%d]", at, i)
		c.word(field+".name", p.Name)
		c.line(field+".label", p.Label, true)
		c.text(field+".description", p.Description, false)
		if seen[p.Name] {
			c.wrong(field+".name", "is the name of two parameters")
		}
		seen[p.Name] = true
		if !solidity.MatchString(p.Type) && !slices.Contains(inputs, p.Type) {
			c.wrong(field+".type", "is not a type of parameter")
		}
		c.value(field, n, p)
	}
}

func (c *check) value(field string, n chain.Network, p Param) {
	choice := p.Type == "select" || p.Type == "radio"
	switch {
	case p.Fixed && p.Value == nil:
		c.wrong(field+".value", "is required, since it is fixed")
	case choice != (len(p.Options) > 0):
		c.wrong(field+".options", "must be there for select and radio, and for no other type")
	}
	if p.Value != nil {
		c.scalar(field+".value", p.Value)
	}
	if text, is := p.Value.(string); is && p.Type == "address" {
		c.address(field+".value", n, text)
	}
	if choice {
		c.options(field, p.Options)
	}
}

func (c *check) options(at string, all []Option) {
	if len(all) == 0 {
		c.wrong(at+".options", "is required")
	}
	c.bounds(at+".options", len(all), mostOptions)
	for i, o := range all {
		field := fmt.Sprintf("%s.options[%d]", at, i)
		c.line(field+".label", o.Label, true)
		c.text(field+".description", o.Description, false)
		c.scalar(field+".value", o.Value)
	}
}

func (c *check) scalar(field string, value any) {
	switch v := value.(type) {
	case string:
		c.text(field, v, false)
	case bool, float64, json.Number:
	default:
		c.wrong(field, "must be a text, a number or a boolean")
	}
}
