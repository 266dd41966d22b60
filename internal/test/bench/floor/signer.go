package floor

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/cosmos/go-bip39"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// What the second process can do. A request is the byte and 32 bytes of digest,
// an answer always 65 bytes.
const (
	signDigest byte = iota
	newWallet
	signDurably // for the signer alone: verify before, and one synced line after
	answerSize  = 65
)

// Signer calls the second process over its Unix socket, each caller on a
// connection of its own.
type Signer struct{ idle chan net.Conn }

// Dial opens as many connections as there may be callers.
func Dial(socket string, callers int) (*Signer, error) {
	s := &Signer{idle: make(chan net.Conn, callers)}
	for range callers {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			return nil, fmt.Errorf("dialing the signer: %w", err)
		}
		s.idle <- conn
	}
	return s, nil
}

// Do has the signer do one thing.
func (s *Signer) Do(op byte, digest [32]byte) ([]byte, error) {
	conn := <-s.idle
	defer func() { s.idle <- conn }()
	if _, err := conn.Write(append([]byte{op}, digest[:]...)); err != nil {
		return nil, fmt.Errorf("asking the signer: %w", err)
	}
	out := make([]byte, answerSize)
	_, err := io.ReadFull(conn, out)
	return out, err
}

// SignDurably is the floor of the enclave alone.
func (s *Signer) SignDurably(digest [32]byte, signature []byte) error {
	conn := <-s.idle
	defer func() { s.idle <- conn }()
	message := append([]byte{signDurably}, digest[:]...)
	message = append(append(message, byte(len(signature))), signature...)
	if _, err := conn.Write(message); err != nil {
		return fmt.Errorf("asking the signer: %w", err)
	}
	_, err := io.ReadFull(conn, make([]byte, answerSize))
	return err
}

// process is the second process: a raw key in memory, and a file.
type process struct {
	key   *secp256k1.PrivateKey
	seal  cipher.AEAD
	owner *ecdsa.PublicKey
	file  *os.File
}

// Sign answers on the socket until the context ends.
func Sign(ctx context.Context, l net.Listener, owner *ecdsa.PublicKey, file *os.File) error {
	key, err := secp256k1.GeneratePrivateKey()
	if err != nil {
		return fmt.Errorf("making a key: %w", err)
	}
	secret := key.Key.Bytes()
	block, err := aes.NewCipher(secret[:])
	if err != nil {
		return fmt.Errorf("making a cipher: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return fmt.Errorf("making a cipher: %w", err)
	}
	p := &process{key, seal, owner, file}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return nil
		}
		go p.serve(conn)
	}
}

func (p *process) serve(conn net.Conn) {
	defer conn.Close()
	head := make([]byte, 33)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		out, err := p.do(conn, head[0], head[1:])
		if err != nil {
			return
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}

func (p *process) do(conn io.Reader, op byte, digest []byte) ([]byte, error) {
	switch op {
	case signDigest:
		return k1.SignCompact(p.key, digest, false), nil
	case newWallet:
		return p.wallet()
	}
	return p.durably(conn, digest)
}

func (p *process) durably(conn io.Reader, digest []byte) ([]byte, error) {
	size := make([]byte, 1)
	if _, err := io.ReadFull(conn, size); err != nil {
		return nil, err
	}
	signature := make([]byte, size[0])
	if _, err := io.ReadFull(conn, signature); err != nil {
		return nil, err
	}
	if !ecdsa.VerifyASN1(p.owner, digest, signature) {
		return nil, errors.New("the signature does not verify")
	}
	out := k1.SignCompact(p.key, digest, false)
	if _, err := p.file.Write(out); err != nil {
		return nil, err
	}
	return out, p.file.Sync()
}

// wallet makes a BIP-39 seed, derives one key of it, and seals the entropy.
func (p *process) wallet() ([]byte, error) {
	entropy := make([]byte, 16)
	_, _ = rand.Read(entropy) // never fails
	words, err := bip39.NewMnemonic(entropy)
	if err != nil {
		return nil, err
	}
	public := derive(bip39.NewSeed(words, ""), 44|1<<31, 60|1<<31, 1<<31, 0, 0)
	out := p.seal.Seal(nil, nil, entropy, public)
	return append(out, make([]byte, answerSize-len(out))...), nil
}

// derive is BIP-32 on secp256k1, down to a public key.
func derive(seed []byte, path ...uint32) []byte {
	node := mac([]byte("Bitcoin seed"), seed)
	for _, step := range path {
		parent := secp256k1.PrivKeyFromBytes(node[:32])
		message := append([]byte{0}, node[:32]...)
		if step < 1<<31 {
			message = parent.PubKey().SerializeCompressed()
		}
		child := mac(node[32:], binary.BigEndian.AppendUint32(message, step))
		var tweak secp256k1.ModNScalar
		tweak.SetByteSlice(child[:32])
		key := tweak.Add(&parent.Key).Bytes()
		node = append(key[:], child[32:]...)
	}
	return secp256k1.PrivKeyFromBytes(node[:32]).PubKey().SerializeCompressed()
}

func mac(key, message []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(message)
	return h.Sum(nil)
}
