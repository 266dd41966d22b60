package keystore

import (
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding"
	"hash"

	"github.com/cosmos/go-bip39"
)

// scratch is a piece of locked memory in which one key at a time is derived.
// HMAC is done here and not by crypto/hmac, which keeps its keys on the heap.
type scratch struct {
	entropy []byte // of the mnemonic
	words   []byte // the mnemonic
	seed    []byte
	node    []byte // key and chain code together, as HMAC gives them
	key     []byte // of the node that is derived
	chain   []byte // its chain code
	work    []byte // one block for HMAC, then the message
	inner   []byte // the hash after HMAC's inner block of the key
	outer   []byte // and after its outer block
	area    []byte // all of the above
	hash    resumable
	short   hash.Hash // SHA-256, for agents
}

// resumable is a hash whose state can be kept elsewhere.
type resumable interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

const (
	blockSize   = sha512.BlockSize
	wordsSize   = 24 * 9 // no word has more than 8 letters
	stateSize   = 256    // of a hash, as it is kept
	scratchSize = 32 + wordsSize + 64 + 64 + 2*stateSize + 2*blockSize
)

func newScratch(area []byte) *scratch {
	s := &scratch{area: area, hash: sha512.New().(resumable), short: sha256.New()}
	s.entropy, area = area[:32:32], area[32:]
	s.words, area = area[:0:wordsSize], area[wordsSize:]
	s.seed, area = area[:64:64], area[64:]
	s.node, area = area[:64:64], area[64:]
	s.key, s.chain = s.node[:32:32], s.node[32:]
	s.inner, area = area[:0:stateSize], area[stateSize:]
	s.outer, area = area[:0:stateSize], area[stateSize:]
	s.work = area
	return s
}

// wipe clears the locked memory, and what is left in the hash.
func (s *scratch) wipe() {
	clear(s.area)
	s.hash.Reset()
	s.hash.Write(s.work[:blockSize-1])
	s.hash.Sum(s.work[:0])
	s.hash.Reset()
	s.short.Reset()
	s.short.Write(s.work[:sha256.BlockSize-1])
	s.short.Sum(s.work[:0])
	s.short.Reset()
	clear(s.area)
}

// message is the place for the next message of mac.
func (s *scratch) message() []byte { return s.work[blockSize:] }

// mac computes HMAC-SHA512 of the first n bytes of message. The key has at most
// a block; out may be the key.
func (s *scratch) mac(out, key []byte, n int) {
	s.hold(key)
	s.again(out, n)
}

// hold hashes the key's two blocks and keeps what comes of it: PBKDF2 needs one
// key 2048 times, and the blocks are half of the work.
func (s *scratch) hold(key []byte) {
	s.inner = s.after(s.inner, key, 0x36)
	s.outer = s.after(s.outer, key, 0x5c)
}

func (s *scratch) after(state, key []byte, with byte) []byte {
	block := s.work[:blockSize]
	pad(block, key, with)
	s.hash.Reset()
	s.hash.Write(block)
	state, err := s.hash.AppendBinary(state[:0])
	if err != nil || len(state) > stateSize {
		panic("keystore: this Go keeps the state of SHA-512 otherwise") // tests would see it, whatever the key
	}
	return state
}

// again is mac with the key that is held.
func (s *scratch) again(out []byte, n int) {
	s.resume(s.inner, s.message()[:n], s.message()[:0])
	s.resume(s.outer, s.message()[:sha512.Size], out[:0])
}

func (s *scratch) resume(state, of, out []byte) {
	if err := s.hash.UnmarshalBinary(state); err != nil {
		panic("keystore: this Go does not take up a state of SHA-512 that it gave")
	}
	s.hash.Write(of)
	s.hash.Sum(out)
}

func (s *scratch) sum(out, of []byte) {
	s.hash.Reset()
	s.hash.Write(of)
	s.hash.Sum(out)
}

func pad(block, key []byte, with byte) {
	for i := range block {
		block[i] = with
	}
	subtle.XORBytes(block, block, key)
}

// spell writes the BIP-39 mnemonic of entropy: eleven bits a word, the last bits
// being a checksum.
func (s *scratch) spell(entropy []byte) {
	checksum := firstByteOfSHA256(entropy)
	bit := func(i int) int {
		if i < 8*len(entropy) {
			return int(entropy[i/8]>>(7-i%8)) & 1
		}
		return int(checksum>>(7-(i-8*len(entropy)))) & 1
	}
	s.words = s.words[:0]
	for at := 0; at < 8*len(entropy); at += 11 {
		index := 0
		for i := range 11 {
			index = index<<1 | bit(at+i)
		}
		if at > 0 {
			s.words = append(s.words, ' ')
		}
		s.words = append(s.words, bip39.EnglishWordList[index]...)
	}
}

// stretch makes the BIP-39 seed of the mnemonic: PBKDF2 with 2048 rounds. One
// block of output is all that is needed.
func (s *scratch) stretch(passphrase string) {
	password := s.words
	if len(password) > blockSize {
		s.sum(s.words[:0], s.words)
		password = s.words[:sha512.Size]
	}
	n := copy(s.message(), "mnemonic"+passphrase+"\x00\x00\x00\x01")
	round := s.message()[:sha512.Size]
	s.mac(round, password, n)
	copy(s.seed, round)
	for range 2047 {
		s.again(round, len(round))
		subtle.XORBytes(s.seed, s.seed, round)
	}
}
