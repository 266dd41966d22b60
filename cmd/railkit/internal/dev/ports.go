package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
)

// ports are where the parts of a data folder listened last, and listen again: an agent whose limits name the shop's
// host buys there after a restart too, and what a person has bookmarked is still there.
type ports struct {
	file string
	at   map[string]string
	told io.Writer
}

func (d *dataDir) ports(told io.Writer) (*ports, error) {
	p := &ports{d.in("ports.json"), map[string]string{}, told}
	raw, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &p.at)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the ports of the last start (remove %s to have others): %w", p.file, err)
	}
	return p, nil
}

// listen listens where the part did before. Where another program does that now it says so, and takes another port,
// which is the part's from then on.
func (p *ports) listen(part string) (net.Listener, error) {
	before := p.at[part]
	if before != "" {
		if l, err := net.Listen("tcp", before); err == nil {
			return l, nil
		}
	}
	addr, err := FreePortAfter(0)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening for the %s: %w", part, err)
	}
	p.at[part] = l.Addr().String()
	if err := writeJSON(p.file, p.at); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if before != "" {
		fmt.Fprintf(p.told, "railkit dev: another program listens at %s, where the %s was: it is at %s from now on. "+
			"Change what names the old address, such as allowedHosts of agents, or free it and put it back into %s\n",
			before, part, addr, p.file)
	}
	return l, nil
}

// take is listen for a part that listens by itself, a moment later.
func (p *ports) take(part string) (string, error) {
	l, err := p.listen(part)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
