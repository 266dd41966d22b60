package tron_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/railkit/railkit/chain/tron"
)

var (
	alice = mustParse("TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC")
	bob   = mustParse("THTR75o8xXAgCTQqpiot2AFRAjvW1tSbVV")
	usdt  = mustParse("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
)

func mustParse(text string) tron.Address {
	a, err := tron.ParseAddress(text)
	if err != nil {
		panic(text)
	}
	return a
}

// number and field write a field of protocol buffers, whatever it holds.
func number(field int, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), n)
}

func field(field int, parts ...[]byte) []byte {
	value := slices.Concat(parts...)
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|2), uint64(len(value)))
	return append(b, value...)
}

// parts are those of a transfer of TRX, or of a call, to be put together with a mistake.
type parts struct {
	ref, hash, expiration, timestamp, fee []byte
	kind, url                             []byte
	value                                 [][]byte
	after                                 map[string][]byte // what stands behind a part: "contract", "any", "raw"
}

const anyName = "type.googleapis.com/protocol."

func transfer() parts {
	return parts{
		ref: field(1, []byte{0x7b, 0x3b}), hash: field(4, make([]byte, 7), []byte{9}),
		expiration: number(8, 1_800_000_600_000), timestamp: number(14, 1_800_000_000_000),
		kind: number(1, 1), url: field(1, []byte(anyName+"TransferContract")),
		value: [][]byte{field(1, alice.Bytes()), field(2, bob.Bytes()), number(3, 2_000_000)},
		after: map[string][]byte{},
	}
}

func trigger() parts {
	p := transfer()
	p.kind, p.url = number(1, 31), field(1, []byte(anyName+"TriggerSmartContract"))
	p.value = [][]byte{field(1, alice.Bytes()), field(2, usdt.Bytes()), number(3, 5), field(4, []byte{1, 2, 3, 4})}
	p.fee = number(18, 30_000_000)
	return p
}

func (p parts) raw() []byte {
	parameter := field(2, p.url, field(2, p.value...), p.after["any"])
	return slices.Concat(p.ref, p.hash, p.expiration, p.after["expiration"],
		field(11, p.kind, parameter, p.after["contract"]), p.after["contracts"], p.timestamp, p.fee, p.after["raw"])
}

// Both types are read as they are, and written as the same bytes.
func TestDecode(t *testing.T) {
	t.Parallel()
	want := tron.Raw{
		RefBytes: [2]byte{0x7b, 0x3b}, RefHash: [8]byte{7: 9},
		Expiration: 1_800_000_600_000, Timestamp: 1_800_000_000_000, Owner: alice, To: bob, Amount: 2_000_000,
	}
	call := want
	call.To, call.Amount, call.Data, call.FeeLimit = usdt, 5, []byte{1, 2, 3, 4}, 30_000_000
	for name, c := range map[string]struct {
		raw  []byte
		want tron.Raw
	}{"transfer": {transfer().raw(), want}, "call": {trigger().raw(), call}} {
		got, err := tron.Decode(c.raw)
		if err != nil || !same(got, c.want) {
			t.Errorf("%s: %+v, want %+v: %v", name, got, c.want, err)
		}
		if again, err := got.Encode(); err != nil || !bytes.Equal(again, c.raw) {
			t.Errorf("%s is %x, and written %x: %v", name, c.raw, again, err)
		}
	}
}

func same(a, b tron.Raw) bool {
	data := bytes.Equal(a.Data, b.Data)
	a.Data, b.Data = nil, nil
	return data && a.RefBytes == b.RefBytes && a.RefHash == b.RefHash && a.Expiration == b.Expiration &&
		a.Timestamp == b.Timestamp && a.FeeLimit == b.FeeLimit && a.Owner == b.Owner && a.To == b.To &&
		a.Amount == b.Amount
}

// Each mistake in the bytes is refused by the name of its field.
func TestDecode_Refused(t *testing.T) {
	t.Parallel()
	url := func(name string) []byte { return field(1, []byte(anyName+name)) }
	zero, long := number(18, 0), slices.Concat(number(14, 1<<40)[:7], []byte{0x80, 0})
	long[6] |= 0x80
	for name, c := range map[string]struct {
		of     func() parts
		change func(*parts)
		field  string
	}{
		"nothing":             {transfer, func(p *parts) { *p = parts{} }, "ref_block_bytes"},
		"no ref block":        {transfer, func(p *parts) { p.ref = nil }, "ref_block_bytes"},
		"three bytes of it":   {transfer, func(p *parts) { p.ref = field(1, make([]byte, 3)) }, "ref_block_bytes"},
		"no hash":             {transfer, func(p *parts) { p.hash = nil }, "ref_block_hash"},
		"a long hash":         {transfer, func(p *parts) { p.hash = field(4, make([]byte, 32)) }, "ref_block_hash"},
		"no expiration":       {transfer, func(p *parts) { p.expiration = nil }, "expiration"},
		"never expires":       {transfer, func(p *parts) { p.expiration = number(8, 1<<63-1) }, "expiration"},
		"negative expiration": {transfer, func(p *parts) { p.expiration = number(8, 1<<63) }, "expiration"},
		"expiration of bytes": {transfer, func(p *parts) { p.expiration = field(8, []byte{1}) }, "expiration"},
		"no timestamp":        {transfer, func(p *parts) { p.timestamp = nil }, "timestamp"},
		"a long number":       {transfer, func(p *parts) { p.timestamp = long }, "timestamp"},
		"number of the block": {transfer, func(p *parts) { p.ref = slices.Concat(p.ref, number(3, 1)) },
			"ref_block_hash"},
		"auths": {transfer, func(p *parts) { p.after["expiration"] = field(9, []byte{1}) }, "auths"},
		"a memo": {transfer, func(p *parts) { p.after["expiration"] = field(10, []byte("hello")) },
			"data, a memo,"},
		"scripts": {transfer, func(p *parts) { p.after["contracts"] = field(12, []byte{1}) }, "scripts"},
		"two contracts": {transfer, func(p *parts) { p.after["contracts"] = field(11, []byte{1}) },
			"a second contract"},
		"two timestamps": {transfer, func(p *parts) { p.timestamp = slices.Concat(p.timestamp, p.timestamp) },
			"raw_data"},
		"out of order":        {transfer, func(p *parts) { p.after["raw"] = number(13, 1) }, "raw_data"},
		"an unknown field":    {transfer, func(p *parts) { p.after["raw"] = field(99, []byte{1}) }, "raw_data"},
		"half a field":        {transfer, func(p *parts) { p.after["raw"] = []byte{0x80} }, "raw_data"},
		"a fee limit of zero": {transfer, func(p *parts) { p.fee = zero }, "fee_limit"},
		"no fee limit":        {trigger, func(p *parts) { p.fee = nil }, "fee_limit"},
		"a negative one":      {trigger, func(p *parts) { p.fee = number(18, 1<<63) }, "fee_limit"},
		"too high a one":      {trigger, func(p *parts) { p.fee = number(18, tron.MaxFeeLimit+1) }, "fee_limit"},
		"no contract": {transfer, func(p *parts) { p.kind, p.url, p.value = nil, nil, nil },
			"contract.type"},
		"provider": {transfer, func(p *parts) { p.after["contract"] = field(3, []byte{1}) }, "contract.provider"},
		"a name":   {transfer, func(p *parts) { p.after["contract"] = field(4, []byte{1}) }, "contract.ContractName"},
		"permission": {transfer, func(p *parts) { p.after["contract"] = number(5, 2) },
			"contract.Permission_id"},
		"permission of a call": {trigger, func(p *parts) { p.after["contract"] = number(5, 2) },
			"contract.Permission_id"},
		"beside the any": {transfer, func(p *parts) { p.after["any"] = number(3, 1) }, "contract.parameter"},
		"TRC-10": {transfer, func(p *parts) { p.kind, p.url = number(1, 2), url("TransferAssetContract") },
			"contract.type"},
		"permission update": {transfer, func(p *parts) {
			p.kind, p.url = number(1, 46), url("AccountPermissionUpdateContract")
		}, "contract.type"},
		"freeze": {transfer, func(p *parts) { p.kind, p.url = number(1, 54), url("FreezeBalanceV2Contract") },
			"contract.type"},
		"another name": {transfer, func(p *parts) { p.url = url("TriggerSmartContract") },
			"contract.parameter.type_url"},
		"a name elsewhere": {transfer, func(p *parts) { p.url = field(1, []byte("evil/protocol.TransferContract")) },
			"contract.parameter.type_url"},
		"a call by name": {transfer, func(p *parts) { p.url = url("AccountPermissionUpdateContract") },
			"contract.parameter.type_url"},
		"no name":  {transfer, func(p *parts) { p.url = nil }, "contract.parameter.type_url"},
		"no owner": {transfer, func(p *parts) { p.value[0] = nil }, "contract.owner_address"},
		"owner of EVM": {transfer, func(p *parts) { p.value[0] = field(1, alice[:]) },
			"contract.owner_address"},
		"owner of another chain": {transfer, func(p *parts) { p.value[0] = field(1, []byte{0xa0}, alice[:]) },
			"contract.owner_address"},
		"no payee": {transfer, func(p *parts) { p.value[1] = nil }, "contract.to_address"},
		"to himself": {transfer, func(p *parts) { p.value[1] = field(2, alice.Bytes()) },
			"contract.to_address"},
		"nothing is paid":    {transfer, func(p *parts) { p.value[2] = nil }, "contract.amount"},
		"a zero":             {transfer, func(p *parts) { p.value[2] = number(3, 0) }, "contract.amount"},
		"a negative amount":  {transfer, func(p *parts) { p.value[2] = number(3, 1<<63) }, "contract.amount"},
		"data of a transfer": {transfer, func(p *parts) { p.value = trigger().value }, "contract.parameter.value"},
		"two payees": {transfer, func(p *parts) { p.value = slices.Insert(p.value, 2, p.value[1]) },
			"contract.parameter.value"},
		"call without data": {trigger, func(p *parts) { p.value[3] = nil }, "contract.data"},
		"empty data":        {trigger, func(p *parts) { p.value[3] = field(4) }, "contract.data"},
		"tokens along": {trigger, func(p *parts) { p.value = append(p.value, number(5, 1), number(6, 1_000_001)) },
			"contract.call_token_value"},
		"the id of tokens": {trigger, func(p *parts) { p.value = append(p.value, number(6, 1_000_001)) },
			"contract.token_id"},
		"a lot of data": {trigger, func(p *parts) { p.value[3] = field(4, make([]byte, 128<<10+1)) },
			"contract.data"},
		"longer than any": {trigger, func(p *parts) { p.value[3] = field(4, make([]byte, 1<<20)) }, "raw_data"},
		"a length beyond all": {transfer, func(p *parts) { p.ref = []byte{1<<3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 1} },
			"ref_block_bytes"},
	} {
		p := c.of()
		c.change(&p)
		_, err := tron.Decode(p.raw())
		var refused tron.FieldError
		if !errors.As(err, &refused) || refused.Field != c.field || refused.Problem == "" {
			t.Errorf("%s: %v, want one of %s", name, err, c.field)
		}
	}
}

// A transaction that no network takes is not written.
func TestEncode_Refused(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*tron.Raw){
		"expiration":      func(r *tron.Raw) { r.Expiration = 0 },
		"timestamp":       func(r *tron.Raw) { r.Timestamp = -1 },
		"fee_limit":       func(r *tron.Raw) { r.FeeLimit = -1 },
		"contract.amount": func(r *tron.Raw) { r.Amount = -1 },
		"contract.data":   func(r *tron.Raw) { r.Data = make([]byte, 128<<10+1) },
	} {
		r, err := tron.Decode(trigger().raw())
		if err != nil {
			t.Fatal(err)
		}
		change(&r)
		_, err = r.Encode()
		var refused tron.FieldError
		if !errors.As(err, &refused) || refused.Field != field {
			t.Errorf("%v, want one of %s", err, field)
		}
	}
}

// What is broadcast has one signature, in one spelling, and nothing else.
func TestDecodeSigned(t *testing.T) {
	t.Parallel()
	secret := secretOf(t, "2d8f68944bdbfbc0769542fba8fc2d2a3de67393334471624364c7006da2aa54")
	raw, err := tron.Decode(transfer().raw())
	if err != nil {
		t.Fatal(err)
	}
	digest := raw.Digest()
	tx := tron.Signed{Raw: raw, Signature: [65]byte(sign(secret, digest[:]))}
	signed, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := tron.DecodeSigned(signed)
	if err != nil || got.Signature != tx.Signature || !same(got.Raw, raw) || got.Verify() != nil {
		t.Errorf("%+v, want %+v: %v %v", got, tx, err, got.Verify())
	}
	if last := signed[len(signed)-1]; last != 27+tx.Signature[64] {
		t.Errorf("the signature ends with %d", last)
	}
	data, signature := field(1, transfer().raw()), field(2, signed[len(signed)-65:])
	small, low := bytes.Clone(signature), bytes.Clone(signature)
	small[66], low[66] = 0, 29
	for name, c := range map[string]struct {
		raw   []byte
		field string
	}{
		"no signature":     {data, "signature"},
		"two signatures":   {slices.Concat(data, signature, signature), "a second signature"},
		"a result":         {slices.Concat(data, signature, field(5, []byte{8, 1})), "ret"},
		"a short one":      {slices.Concat(data, field(2, make([]byte, 64))), "signature"},
		"a parity of 0":    {slices.Concat(data, small), "signature"},
		"a parity of 29":   {slices.Concat(data, low), "signature"},
		"no transaction":   {signature, "ref_block_bytes"},
		"another one":      {slices.Concat(field(1, trigger().raw(), []byte{0}), signature), "raw_data"},
		"unsigned":         {transfer().raw(), "signature"},
		"an unknown field": {slices.Concat(data, signature, number(7, 1)), "transaction"},
	} {
		_, err := tron.DecodeSigned(c.raw)
		var refused tron.FieldError
		if !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: %v, want one of %s", name, err, c.field)
		}
	}
}
