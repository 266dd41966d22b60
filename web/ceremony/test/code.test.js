import assert from "node:assert/strict";
import { verify, createPublicKey } from "node:crypto";
import test from "node:test";

import { vectors } from "./vectors.js";
import { base64url, fromHex, hex } from "../page/bytes.js";
import { CodeError, newRecoveryKey, readCode, signWith, writeCode } from "../page/code.js";
import { compress, decompress, publicOf } from "../page/curve.js";

test("a code is spelled as Go spells it, and read back", async () => {
  for (const { secret, code, public: key } of vectors.codes) {
    assert.equal(await writeCode(fromHex(secret)), code);
    assert.equal(hex(await readCode(code)), secret);
    assert.equal(compress(...publicOf(secret)), key);
  }
});

test("what people make of it is understood", async () => {
  for (const { secret, code } of vectors.codes) {
    const read = async (text) => hex(await readCode(text));
    assert.equal(await read(code.toLowerCase()), secret);
    assert.equal(await read(` ${code.replaceAll("-", " ")}\n`), secret);
    assert.equal(await read(code.replaceAll("-", "")), secret);
    assert.equal(await read(code.replaceAll("-", "\u2013")), secret, "a word processor's dashes");
    for (const [digit, others] of [["1", "IiLl"], ["0", "Oo"], ["V", "Uu"]]) {
      for (const other of others) assert.equal(await read(code.replaceAll(digit, other)), secret, other);
    }
  }
});

test("what is no code is refused in words", async () => {
  const [{ code }] = vectors.codes;
  const wrong = (at) => code.slice(0, at) + (code[at] === "7" ? "8" : "7") + code.slice(at + 1);
  for (const [text, why] of [
    ["", /These are 0/], [code.slice(1), /These are 55/], [code + "0", /These are 57/], [code.replace(/.$/, "!"), /not “!”/],
    [wrong(0), /not right/], [wrong(35), /not right/], [wrong(code.length - 1), /not right/],
  ]) await assert.rejects(readCode(text), (error) => error instanceof CodeError && why.test(error.message), text);
  for (const secret of ["00".repeat(32), "ff".repeat(32)]) await assert.rejects(writeCode(fromHex(secret)).then(readCode), CodeError, "no private key");
});

test("a new key has a code, and signs with it what its public half verifies", async () => {
  const { publicKey, code } = await newRecoveryKey();
  const secret = await readCode(code);
  assert.equal(compress(...publicOf(hex(secret))), publicKey);
  const signature = await signWith(secret, "some text\nof two lines");
  const point = decompress(publicKey);
  const jwk = { kty: "EC", crv: "P-256", x: base64url(point.slice(1, 33)), y: base64url(point.slice(33)) };
  const key = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
  assert.ok(verify("sha256", "some text\nof two lines", key, Buffer.from(signature, "base64url")));
});
