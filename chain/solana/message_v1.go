package solana

import (
	"encoding/binary"
	"slices"
)

// Bits of the mask of a v1 message (SIMD-0385). The fee has two, since each bit stands for four bytes of values.
const (
	maskFee    = 0b11
	maskUnits  = 0b100
	maskLoaded = 0b1000
	maskHeap   = 0b10000
	maskAll    = maskFee | maskUnits | maskLoaded | maskHeap
)

// messageV1 reads a v1 message behind its version.
//
//	81 | 01 00 01 | 0f000000 | blockhash | 01 02 | 2 keys | 4d00000000000000 88130000 40420f00 |
//	01 02 0c00 | 00 01 | 12 bytes
//
// is one instruction with two accounts and 12 bytes of data; its priority fee is 77 lamports, its limits are 5,000
// units and 1,000,000 bytes of accounts.
func (r *reader) messageV1() Message {
	m := Message{Version: V1, Header: r.header()}
	mask := r.u32("config.mask")
	m.Blockhash = r.address("blockhash")
	instructions, keys := int(r.byte("instructions")), int(r.byte("keys"))
	if keys*len(Address{}) > len(r.rest) {
		r.fail(refuse("keys", "%d of them, and %d bytes are left", keys, len(r.rest)))
	}
	m.Keys = r.addresses("keys", keys)
	m.Config = r.config(mask)
	headers := r.take("instructions", 4*instructions)
	for i := range len(headers) / 4 {
		m.Instructions = append(m.Instructions, r.payload(i, headers[4*i:4*i+4]))
	}
	return m
}

func (r *reader) payload(i int, header []byte) Compiled {
	return Compiled{
		Program:  header[0],
		Accounts: slices.Clone(r.take(at("instructions", i, "accounts"), int(header[1]))),
		Data:     slices.Clone(r.take(at("instructions", i, "data"), int(binary.LittleEndian.Uint16(header[2:])))),
	}
}

func (r *reader) config(mask uint32) (c Config) {
	if fee := mask & maskFee; mask&^maskAll != 0 || fee != 0 && fee != maskFee {
		r.fail(refuse("config.mask", "%#x has bits that mean nothing, or half of the fee's", mask))
		return Config{}
	}
	if mask&maskFee != 0 {
		n := r.u64("config.priorityFee")
		c.PriorityFee = &n
	}
	for _, v := range []struct {
		bit   uint32
		field string
		to    **uint32
	}{
		{maskUnits, "config.units", &c.Units},
		{maskLoaded, "config.loadedBytes", &c.LoadedBytes},
		{maskHeap, "config.heapBytes", &c.HeapBytes},
	} {
		if mask&v.bit != 0 {
			n := r.u32(v.field)
			*v.to = &n
		}
	}
	return c
}

func (m Message) encodeV1() []byte {
	mask, values := m.Config.encode()
	b := []byte{versioned | 1, m.Header.Signers, m.Header.ReadOnlySigners, m.Header.ReadOnly}
	b = binary.LittleEndian.AppendUint32(b, mask)
	b = append(b, m.Blockhash[:]...)
	b = append(b, byte(len(m.Instructions)), byte(len(m.Keys)))
	for _, k := range m.Keys {
		b = append(b, k[:]...)
	}
	b = append(b, values...)
	for _, c := range m.Instructions {
		b = append(b, c.Program, byte(len(c.Accounts)))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(c.Data)))
	}
	for _, c := range m.Instructions {
		b = append(append(b, c.Accounts...), c.Data...)
	}
	return b
}

func (c Config) encode() (mask uint32, values []byte) {
	if c.PriorityFee != nil {
		mask, values = maskFee, binary.LittleEndian.AppendUint64(nil, *c.PriorityFee)
	}
	for _, v := range []struct {
		bit   uint32
		value *uint32
	}{{maskUnits, c.Units}, {maskLoaded, c.LoadedBytes}, {maskHeap, c.HeapBytes}} {
		if v.value != nil {
			mask, values = mask|v.bit, binary.LittleEndian.AppendUint32(values, *v.value)
		}
	}
	return mask, values
}
