/* The parts of DER that a certificate has (X.690). */

/** A value with its tag and length. */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content])
}

function lengthOf(count: number): Buffer {
  if (count < 0x80) return Buffer.of(count)
  if (count < 0x100) return Buffer.of(0x81, count)
  return Buffer.of(0x82, count >> 8, count & 0xff)
}

export const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
export const set = (...parts: Buffer[]): Buffer => der(0x31, ...parts)
export const octets = (bytes: Buffer): Buffer => der(0x04, bytes)
export const bits = (bytes: Buffer, unused = 0): Buffer => der(0x03, Buffer.of(unused), bytes)
export const boolean = (value: boolean): Buffer => der(0x01, Buffer.of(value ? 0xff : 0))
export const utf8 = (text: string): Buffer => der(0x0c, Buffer.from(text, 'utf8'))

/** Not negative: a first bit of 1 gets a zero byte before it. */
export const unsigned = (bytes: Buffer): Buffer =>
  der(0x02, ...((bytes[0] ?? 0) >= 0x80 ? [Buffer.of(0)] : []), bytes)

/** An object identifier from its dotted form, whose first two numbers are below 3 and 40. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.of(40 * first + second), ...rest.map(base128))
}

function base128(value: number): Buffer {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f))
  return Buffer.from(digits)
}

/** Until 2049 in the short form, as certificates have to write it. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : der(0x18, Buffer.from(digits, 'latin1'))
}

export const pem = (label: string, bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
