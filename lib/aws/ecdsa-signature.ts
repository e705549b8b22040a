/** How many bytes a number of a signature has, by the curve's id of COSE: P-256, P-384, P-521. */
const bytesOfCurve = new Map([
  [1, 32],
  [2, 48],
  [3, 66],
]);

/**
 * The two numbers of an ECDSA signature in DER, each in as many bytes as the curve has, one after the other: as WebCrypto takes them. Throws
 * where it is anything but one sequence of two positive numbers (RFC 3279, 2.2.3; X.690, 8.3). Bundles have it in place of the module of
 * the same export in @simplewebauthn/server, which needs a library for all of ASN.1.
 */
export const unwrapEC2Signature = (signature: Uint8Array, curve: number): Uint8Array => {
  const size = bytesOfCurve.get(curve);
  if (size === undefined) throw new Error(`The curve ${curve} is unknown.`);
  const sequence = readValue(signature, 0x30);
  const r = readValue(sequence.value, 0x02);
  const s = readValue(r.rest, 0x02);
  if (sequence.rest.length > 0 || s.rest.length > 0) throw new Error('The signature goes on behind its end.');
  const numbers = new Uint8Array(2 * size);
  numbers.set(padded(r.value, size), 0);
  numbers.set(padded(s.value, size), size);
  return numbers;
};

/** The value of a tag, and what follows it. The length has one byte, or two of which the first is 0x81. */
function readValue(bytes: Uint8Array, tag: number): { value: Uint8Array; rest: Uint8Array } {
  const [found, first = 0, second = 0] = bytes;
  const isLong = first === 0x81;
  const length = isLong ? second : first;
  const start = isLong ? 3 : 2;
  const isMinimal = isLong ? length >= 0x80 : first < 0x80;
  if (found !== tag || !isMinimal || bytes.length < start + length) throw new Error('The signature is no sequence of two numbers.');
  return { value: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

/** A positive number with as many zeros in front as it lacks; the one that only shows its sign goes. */
function padded(value: Uint8Array, size: number): Uint8Array {
  const [first = 0x80, second = 0] = value;
  const digits = first === 0 && second >= 0x80 ? value.subarray(1) : value;
  if (first >= 0x80 || digits.length > size) throw new Error('A number of the signature is negative or too large.');
  const number = new Uint8Array(size);
  number.set(digits, size - digits.length);
  return number;
}
