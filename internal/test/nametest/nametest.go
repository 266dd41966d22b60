// Package nametest is a name server of a test, whose answers may change from question to question.
package nametest

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// Resolver asks a name server that answers each name with the next of these lists of addresses, and then with the last.
func Resolver(t *testing.T, answers [][]string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { _ = server.Close(); serving.Wait() })
	serving.Go(func() {
		asked, buf := map[uint16]int{}, make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			kind := binary.BigEndian.Uint16(buf[questionEnd(buf[:n])-4:])
			list := answers[min(asked[kind], len(answers)-1)]
			asked[kind]++
			_, _ = server.WriteTo(answer(buf[:n], kind, list), from)
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// questionEnd is where a message's one question ends, with its type and class as the last 4 bytes.
func questionEnd(message []byte) int {
	at := 12
	for message[at] != 0 {
		at += int(message[at]) + 1
	}
	return at + 5
}

// answer answers a question for addresses of a kind: 1 of IPv4, 28 of IPv6.
func answer(question []byte, kind uint16, list []string) []byte {
	out := append([]byte{}, question[:questionEnd(question)]...)
	out[2], out[3] = 0x81, 0x80
	clear(out[6:12])
	count := uint16(0)
	for _, text := range list {
		ip := netip.MustParseAddr(text).AsSlice()
		if (kind == 28) != strings.Contains(text, ":") {
			continue
		}
		count++
		out = append(out, 0xc0, 12)
		out = binary.BigEndian.AppendUint16(out, kind)
		out = append(out, 0, 1, 0, 0, 0, 0, 0, byte(len(ip)))
		out = append(out, ip...)
	}
	binary.BigEndian.PutUint16(out[6:], count)
	return out
}
