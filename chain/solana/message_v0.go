package solana

// messageV0 reads a legacy message, or a v0 one behind its version.
func (r *reader) messageV0(v Version) Message {
	m := Message{Version: v, Header: r.header()}
	m.Keys = r.addresses("keys", r.list("keys", len(Address{})))
	m.Blockhash = r.address("blockhash")
	for i := range r.list("instructions", 3) {
		m.Instructions = append(m.Instructions, Compiled{
			Program:  r.byte(at("instructions", i, "program")),
			Accounts: r.listed(at("instructions", i, "accounts")),
			Data:     r.listed(at("instructions", i, "data")),
		})
	}
	if v == Legacy {
		return m
	}
	for i := range r.list("lookups", len(Address{})+2) {
		m.Lookups = append(m.Lookups, Lookup{
			Table:   r.address(at("lookups", i, "table")),
			Written: r.listed(at("lookups", i, "written")),
			Read:    r.listed(at("lookups", i, "read")),
		})
	}
	return m
}

func (r *reader) header() Header {
	return Header{
		r.byte("header.signers"), r.byte("header.readOnlySigners"), r.byte("header.readOnly"),
	}
}

func (m Message) encodeV0() []byte {
	var b []byte
	if m.Version == V0 {
		b = append(b, versioned)
	}
	b = append(b, m.Header.Signers, m.Header.ReadOnlySigners, m.Header.ReadOnly)
	b = appendShortVec(b, len(m.Keys))
	for _, k := range m.Keys {
		b = append(b, k[:]...)
	}
	b = append(b, m.Blockhash[:]...)
	b = appendShortVec(b, len(m.Instructions))
	for _, c := range m.Instructions {
		b = appendListed(append(b, c.Program), c.Accounts)
		b = appendListed(b, c.Data)
	}
	if m.Version == Legacy {
		return b
	}
	b = appendShortVec(b, len(m.Lookups))
	for _, l := range m.Lookups {
		b = appendListed(append(b, l.Table[:]...), l.Written)
		b = appendListed(b, l.Read)
	}
	return b
}

func appendListed(b, list []byte) []byte { return append(appendShortVec(b, len(list)), list...) }
