package evm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/signer/core/apitypes"
	"pgregory.net/rapid"

	"github.com/railkit/railkit/chain"
)

// domainOf is a whole domain's type.
const domainOf = `"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},` +
	`{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}]`

// typedText is typed data of the token's domain on base.
func typedText(contract Address, types, primary, message string) string {
	return fmt.Sprintf(`{"types":{%s,%s},"primaryType":%q,"domain":{"name":"N","version":"1","chainId":84532,`+
		`"verifyingContract":"%s"},"message":%s}`,
		domainOf, types, primary, contract, message)
}

// members writes a type's list of "type name".
func members(name string, all ...string) string {
	var list []string
	for _, m := range all {
		kind, called, _ := strings.Cut(m, " ")
		list = append(list, fmt.Sprintf(`{"name":%q,"type":%q}`, called, kind))
	}
	return fmt.Sprintf("%q:[%s]", name, strings.Join(list, ","))
}

// oracleDigest is go-ethereum's.
func oracleDigest(raw []byte) ([]byte, error) {
	var d apitypes.TypedData
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, err
	}
	hash, _, err := apitypes.TypedDataAndHash(d)
	return hash, err
}

// drawTyped is a random type's text with a random value in JSON.
func drawTyped(t *rapid.T, structs []string, values map[string]string) (kind, value string) {
	kinds := append([]string{"address", "bool", "string", "bytes", "bytes1", "bytes4", "bytes32", "uint8", "uint160",
		"uint256", "int8", "int64", "int256"}, structs...)
	kind = rapid.SampledFrom(kinds).Draw(t, "type")
	one := func() string { return drawAtom(t, kind) }
	if v, ok := values[kind]; ok {
		one = func() string { return v }
	}
	switch rapid.IntRange(0, 3).Draw(t, "array") {
	case 0:
		n := rapid.IntRange(0, 3).Draw(t, "length")
		var all []string
		for range n {
			all = append(all, one())
		}
		if n > 0 && rapid.Bool().Draw(t, "fixed") {
			return fmt.Sprintf("%s[%d]", kind, n), "[" + strings.Join(all, ",") + "]"
		}
		return kind + "[]", "[" + strings.Join(all, ", ") + " ]"
	case 1:
		return kind + "[2][]", fmt.Sprintf("[[%s,%s],[%s,%s]]", one(), one(), one(), one())
	}
	return kind, one()
}

func drawAtom(t *rapid.T, kind string) string {
	raw := func(n int) string {
		return `"` + chain.Hex(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "raw")) + `"`
	}
	switch kind {
	case "address":
		return raw(20)
	case "bool":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case "string":
		text, _ := json.Marshal(rapid.StringN(0, 9, 30).Draw(t, "string"))
		return string(text)
	case "bytes":
		return raw(rapid.IntRange(0, 70).Draw(t, "size"))
	case "bytes1", "bytes4", "bytes32":
		n := map[string]int{"bytes1": 1, "bytes4": 4, "bytes32": 32}[kind]
		return raw(n)
	case "uint8":
		return fmt.Sprint(rapid.Uint8().Draw(t, "n"))
	case "int8":
		return fmt.Sprint(rapid.Int8().Draw(t, "n"))
	case "int64":
		return fmt.Sprintf(`"%d"`, rapid.Int64().Draw(t, "n"))
	case "int256":
		return `"-1` + drawBig(t, 30, "n").String() + `"`
	case "uint160":
		return `"` + drawBig(t, 20, "n").String() + `"`
	}
	return `"0x` + drawBig(t, 32, "n").Text(16) + `"`
}

func TestTypedDigestsEqualGoEthereum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var structs, types []string
		values := map[string]string{}
		for i := range rapid.IntRange(1, 4).Draw(t, "types") {
			name := fmt.Sprintf("%c%d", 'Z'-i, i)
			var list, object []string
			for j := range rapid.IntRange(1, 4).Draw(t, "members") {
				kind, value := drawTyped(t, structs, values)
				list = append(list, fmt.Sprintf("%s m%d", kind, j))
				object = append(object, fmt.Sprintf(` "m%d" : %s`, j, value))
			}
			types, structs = append(types, members(name, list...)), append(structs, name)
			values[name] = "{" + strings.Join(object, ",") + "}"
		}
		last := structs[len(structs)-1]
		text := typedText(carol, strings.Join(types, ","), last, values[last])
		d, err := ParseTypedData([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		want, err := oracleDigest([]byte(text))
		if err != nil || string(want) != string(d.Digest[:]) {
			t.Fatalf("%s: %x, go-ethereum %x, %v", text, d.Digest, want, err)
		}
		if d.ChainID != 84532 || d.Contract != carol || d.Primary != last || len(d.Fields) == 0 {
			t.Fatalf("%+v", d)
		}
	})
}

const (
	personText = `"Person":[{"name":"name","type":"string"},{"name":"wallet","type":"address"}]`
	bobText    = `{"name":"Bob","wallet":"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"}`
)

// typedWith is typed data of a type with one member.
func typedWith(member, value string) string {
	_, name, _ := strings.Cut(member, " ")
	return typedText(carol, members("T", member), "T", fmt.Sprintf(`{%q:%s}`, name, value))
}

func refusedTyped(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		if d, err := ParseTypedData([]byte(text)); !errors.Is(err, ErrTypedData) {
			t.Errorf("%s: %v %+v", name, err, d)
		}
	}
}

// E12: typed data that two readers could take for two things is refused.
func TestSigning_E12_RefusedTypedData(t *testing.T) {
	good := typedText(carol, personText, "Person", bobText)
	if _, err := ParseTypedData([]byte(good)); err != nil {
		t.Fatal(err)
	}
	change := func(old, with string) string {
		changed := strings.Replace(good, old, with, 1)
		if changed == good {
			t.Fatalf("%s is not in it", old)
		}
		return changed
	}
	untyped := func(old, with string) string {
		return strings.Replace(change(old, with), domainOf+",", "", 1)
	}
	refusedTyped(t, map[string]string{
		"nothing":                    "",
		"null":                       "null",
		"a tail":                     good + "{}",
		"a byte order mark":          "\ufeff" + good,
		"unknown primary type":       change(`"primaryType":"Person"`, `"primaryType":"Animal"`),
		"the domain as primary type": change(`"primaryType":"Person"`, `"primaryType":"EIP712Domain"`),
		"no primary type":            change(`"primaryType":"Person",`, ""),
		"no message":                 change(`,"message":`+bobText, ""),
		"no domain":                  change(`"domain":{`, `"domain":null,"message":{`),
		"another member":             change(`"message":`, `"extra":1,"message":`),
		"a member twice":             change(`"message":`, `"message":{},"message":`),
		"a value twice":              change(`{"name":"Bob",`, `{"name":"Eve","name":"Bob",`),
		"a value missing":            change(`"name":"Bob",`, ""),
		"a value more":               change(`{"name":"Bob",`, `{"more":1,"name":"Bob",`),
		"a value under another name": change(`"name":"Bob"`, `"Name":"Bob"`),
		"a value of null":            change(`"Bob"`, "null"),
		"a number for text":          change(`"Bob"`, "7"),
		"text for an address":        change(`"0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"`, `"bob.eth"`),
		"a wrong checksum": change("0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB",
			"0xBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbBb"),
		"lone surrogate":           change(`"Bob"`, `"\ud800"`),
		"chain id in words":        change("84532", `"base"`),
		"chain id with a zero":     change("84532", `"084532"`),
		"chain id with a space":    change("84532", `" 84532"`),
		"chain id text of zero":    change("84532", `"0x0"`),
		"chain id text too large":  change("84532", `"9007199254740993"`),
		"chain id hex too large":   change("84532", `"0x10000000000014a34"`),
		"chain id true":            change("84532", "true"),
		"chain id missing":         change(`"chainId":84532,`, ""),
		"chain id null":            change("84532", "null"),
		"chain id zero":            change("84532", "0"),
		"chain id negative":        change("84532", "-1"),
		"chain id fraction":        change("84532", "84532.0"),
		"chain id exponent":        change("84532", "8e4"),
		"chain id too large":       change("84532", "9007199254740993"),
		"chain id not in the type": change(`{"name":"chainId","type":"uint256"},`, ""),
		"chain id of another type": change(`"chainId","type":"uint256"`, `"chainId","type":"uint64"`),
		"domain in another order": change(`{"name":"name","type":"string"},{"name":"version","type":"string"}`,
			`{"name":"version","type":"string"},{"name":"name","type":"string"}`),
		"domain with more":          change(`"domain":{`, `"domain":{"salt":"0x00",`),
		"no type, no chain id":      untyped(`"chainId":84532,`, ""),
		"no type, chain id as text": untyped("84532", `"84532"`), // viem derives a domain without it
		"no type, empty version":    untyped(`"version":"1"`, `"version":""`),
		"no type, unknown member":   untyped(`"domain":{`, `"domain":{"x":1,`),
		"no type, domain null":      untyped(`"domain":{`, `"domain":null,"message":{`),
		"an empty type":             change(domainOf, `"EIP712Domain":[]`),
		"domain of arrays":          change(`"chainId","type":"uint256"`, `"chainId","type":"uint256[]"`),
		"deep JSON":                 change(`"Bob"`, strings.Repeat("[", 20000)+strings.Repeat("]", 20000)),
	})
}

func TestSigning_E12_RefusedTypes(t *testing.T) {
	refusedTyped(t, map[string]string{
		"a member with more": typedText(carol,
			`"T":[{"name":"n","type":"uint8","indexed":true}]`, "T", `{"n":1}`),
		"a type within itself":      typedText(carol, members("T", "T t"), "T", `{"t":{}}`),
		"types within each other":   typedText(carol, members("T", "U[] u")+","+members("U", "T t"), "T", `{"u":[]}`),
		"a type that is not there":  typedWith("Missing m", "{}"),
		"uint without a size":       typedWith("uint n", "1"),
		"a strange size":            typedWith("uint12 n", "1"),
		"bytes33":                   typedWith("bytes33 b", `"0x"`),
		"a type called as its text": typedText(carol, `"T(uint8 n)":[]`, "T(uint8 n)", "{}"),
		"a type called uint256": typedText(carol,
			members("uint256", "uint8 n")+","+members("T", "uint256 n"), "T", `{"n":{"n":1}}`),
		"a member called as two": typedText(carol,
			`"T":[{"name":"n,uint8 m","type":"uint8"}]`, "T", `{"n,uint8 m":1}`),
		"a member's type as two":   typedText(carol, `"T":[{"name":"n","type":"uint8 m,uint8"}]`, "T", `{"n":1}`),
		"a member twice in a type": typedText(carol, members("T", "uint8 n", "uint8 n"), "T", `{"n":1}`),
		"a member without a name":  typedText(carol, members("T", "uint8 "), "T", `{"":1}`),
	})
	many := make([]string, 0, maxTypedTypes)
	for i := range maxTypedTypes {
		many = append(many, members(fmt.Sprintf("T%d", i), "uint8 n"))
	}
	if _, err := ParseTypedData([]byte(typedText(carol, strings.Join(many, ","), "T1", `{"n":1}`))); !errors.Is(
		err, ErrTypedData,
	) {
		t.Errorf("too many types: %v", err)
	}
}

// E10, E12: a value has one form.
func TestSigning_E12_RefusedValues(t *testing.T) {
	refusedTyped(t, map[string]string{
		"256 in 8 bits":         typedWith("uint8 n", "256"),
		"below zero":            typedWith("uint8 n", "-1"),
		"below int8":            typedWith("int8 n", "-129"),
		"above int8":            typedWith("int8 n", "128"),
		"leading zero":          typedWith("uint256 n", `"01"`),
		"plus":                  typedWith("uint256 n", `"+1"`),
		"minus zero":            typedWith("int256 n", `"-0"`),
		"space":                 typedWith("uint256 n", `" 1"`),
		"underscore":            typedWith("uint256 n", `"1_0"`),
		"empty number":          typedWith("uint256 n", `""`),
		"2^53 as a JSON number": typedWith("uint256 n", "9007199254740992"),
		"exponent":              typedWith("uint256 n", "1e3"),
		"257 bits": typedWith("uint256 n",
			`"115792089237316195423570985008687907853269984665640564039457584007913129639936"`),
		"65 hex digits": typedWith("uint256 n",
			`"0x10000000000000000000000000000000000000000000000000000000000000000"`),
		"truth as text":          typedWith("bool b", `"true"`),
		"truth as a number":      typedWith("bool b", "1"),
		"text for bytes32":       typedWith("bytes32 b", `"hello"`),
		"31 bytes for bytes32":   typedWith("bytes32 b", `"0x`+strings.Repeat("00", 31)+`"`),
		"bytes without 0x":       typedWith("bytes b", `"00"`),
		"half a byte":            typedWith("bytes b", `"0x0"`),
		"bytes as a number":      typedWith("bytes4 b", "1"),
		"one for an array":       typedWith("uint8[] a", "1"),
		"an object for an array": typedWith("uint8[] a", `{"0":1}`),
		"two for three":          typedWith("uint8[3] a", "[1,2]"),
		"an array for one":       typedWith("uint8 a", "[1]"),
		"size zero":              typedWith("uint8[0] a", "[]"),
		"size 01":                typedWith("uint8[01] a", "[1]"),
		"five dimensions":        typedWith("uint8[][][][][] a", "[]"),
		"too many values":        typedWith("uint8[] a", "["+strings.Repeat("1,", maxTypedValues)+"1]"),
		"too large":              typedWith("string s", `"`+strings.Repeat("x", maxTyped)+`"`),
		"too deep":               deepTyped(maxTypedDepth + 1),
	})
	if _, err := ParseTypedData([]byte(deepTyped(maxTypedDepth))); err != nil {
		t.Errorf("as deep as may be: %v", err)
	}
}

// deepTyped is n structs within each other.
func deepTyped(n int) string {
	types, message := []string{members("T0", "uint8 n")}, `{"n":1}`
	for i := 1; i < n; i++ {
		types = append(types, members(fmt.Sprintf("T%d", i), fmt.Sprintf("T%d n", i-1)))
		message = `{"n":` + message + `}`
	}
	return typedText(carol, strings.Join(types, ","), fmt.Sprintf("T%d", n-1), message)
}

func TestTypedFieldsAreWhatIsSigned(t *testing.T) {
	text := typedText(carol, personText+","+members(
		"Hyper:Order", "Person[] to", "bytes b", "int8 n", "bool on", "string[] none", "Empty e", "uint256 x",
	)+","+`"Empty":[]`,
		"Hyper:Order", ` { "x" : "0xff", "none":[], "e":{}, "on" : true, "n":-5,"b":"0xAB","to":[`+bobText+
			`,{"wallet":"0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826","name":"a\"\n\u202e"}]}`)
	d, err := ParseTypedData([]byte(text))
	want := []string{
		`to[0].name: "Bob"`, "to[0].wallet: 0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB",
		`to[1].name: "a\"\n\u202e"`, "to[1].wallet: 0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826",
		"b: 0xab", "n: -5", "on: true", "none: []", "e: {}", "x: 255",
	}
	if err != nil || !slices.Equal(d.Fields, want) {
		t.Errorf("%q %v", d.Fields, err)
	}
	if d.Domain != `name: "N", version: "1", chainId: 84532, verifyingContract: `+carol.String() {
		t.Error(d.Domain)
	}
}

// Whatever is read has go-ethereum's digest, and says what it signs.
func FuzzTypedData(f *testing.F) {
	f.Add([]byte(typedText(carol, personText, "Person", bobText)))
	f.Add([]byte(typedText(permit2, members("P", "uint8[2][] n", "int8 m", "bytes32 b"), "P",
		`{"n":[[1,2]],"m":-1,"b":"0x`+strings.Repeat("00", 32)+`"}`)))
	f.Add([]byte(deepTyped(5)))
	f.Add([]byte(`{"types":{},"primaryType":"","domain":{},"message":{}}`))
	net, _ := base(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseTypedData(raw)
		if err != nil {
			if !errors.Is(err, ErrTypedData) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		checkEffects(t, d.Effects(alice, net))
		if want, err := oracleDigest(raw); err == nil && string(want) != string(d.Digest[:]) {
			t.Errorf("%x, go-ethereum %x", d.Digest, want)
		}
	})
}
