// Keccak-256, by which Ethereum names functions and checks the case of addresses.

const mask = (1n << 64n) - 1n;
const rotl = (x, n) => n === 0n ? x : ((x << n) | (x >> (64n - n))) & mask;

// The constants of the rounds and the rotations, by the generators that FIPS 202 gives for them.
const [rounds, turns] = (() => {
  const constants = [];
  let bits = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (bits & 1) constant |= 1n << BigInt(2 ** j - 1);
      bits = bits & 0x80 ? (bits << 1) ^ 0x171 : bits << 1;
    }
    constants.push(constant);
  }
  const offsets = Array(25).fill(0n);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t++) {
    offsets[x + 5 * y] = BigInt(((t + 1) * (t + 2) / 2) % 64);
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return [constants, offsets];
})();

function permute(a) {
  for (const constant of rounds) {
    const c = [0, 1, 2, 3, 4].map((x) => a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    for (let i = 0; i < 25; i++) a[i] ^= c[(i + 4) % 5] ^ rotl(c[(i + 1) % 5], 1n);
    const b = Array(25);
    for (let i = 0; i < 25; i++) {
      const [x, y] = [i % 5, Math.floor(i / 5)];
      b[y + 5 * ((2 * x + 3 * y) % 5)] = rotl(a[i], turns[i]);
    }
    for (let i = 0; i < 25; i++) {
      const row = i - (i % 5);
      a[i] = b[i] ^ (~b[row + (i + 1) % 5] & mask & b[row + (i + 2) % 5]);
    }
    a[0] ^= constant;
  }
}

export function keccak256(bytes) {
  const rate = 136;
  const padded = new Uint8Array((Math.floor(bytes.length / rate) + 1) * rate);
  padded.set(bytes);
  padded[bytes.length] ^= 0x01;
  padded[padded.length - 1] ^= 0x80;
  const state = Array(25).fill(0n);
  const view = new DataView(padded.buffer);
  for (let from = 0; from < padded.length; from += rate) {
    for (let i = 0; i < rate / 8; i++) state[i] ^= view.getBigUint64(from + 8 * i, true);
    permute(state);
  }
  const out = new DataView(new ArrayBuffer(32));
  for (let i = 0; i < 4; i++) out.setBigUint64(8 * i, state[i], true);
  return new Uint8Array(out.buffer);
}

export const utf8 = (text) => new TextEncoder().encode(text);

export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
