import {
  constants,
  createCipheriv,
  createPublicKey,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { EnvelopeUndecryptable, openEnvelope, openValue } from './open-envelope.ts'

const hex = (text: string) => Buffer.from(text, 'hex')

/*
 * Test cases 13 to 16 of "The Galois/Counter Mode of Operation (GCM)" (McGrew, Viega, 2005), appendix B: those of AES-256 with
 * a nonce of 96 bits.
 */
const longKey = 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308'
const longIv = 'cafebabefacedbaddecaf888'
const published = [
  {
    name: '13',
    key: '00'.repeat(32),
    iv: '00'.repeat(12),
    context: '',
    value: '',
    sealed: '530f8afbc74536b9a963b4f1c4cb738b',
  },
  {
    name: '14',
    key: '00'.repeat(32),
    iv: '00'.repeat(12),
    context: '',
    value: '00'.repeat(16),
    sealed: 'cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    name: '15',
    key: longKey,
    iv: longIv,
    context: '',
    value:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
    sealed:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015adb094dac5d93471bdec1a502270e3cc6c',
  },
  {
    name: '16',
    key: longKey,
    iv: longIv,
    context: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    value:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    sealed:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b',
  },
]

describe.each(published)('AES-256-GCM, published case $name', ({ key, iv, context, value, sealed }) => {
  const open = (bytes: Buffer, nonce: Buffer = hex(iv), aad: Buffer = hex(context)) =>
    openValue(hex(key), nonce, bytes, aad)

  it('opens to the published value', () => {
    expect(open(hex(sealed)).toString('hex')).toBe(value)
  })

  it('does not open with any bit of tag, nonce or ciphertext flipped', () => {
    for (let bit = 0; bit < (sealed.length / 2) * 8; bit += 1)
      expect(() => open(flipped(hex(sealed), bit))).toThrow()
    for (let bit = 0; bit < 96; bit += 1) expect(() => open(hex(sealed), flipped(hex(iv), bit))).toThrow()
  })

  it('does not open with a cut or emptied tag, other associated data, or a key of another length', () => {
    for (let cut = 1; cut <= 16; cut += 1) expect(() => open(hex(sealed).subarray(0, -cut))).toThrow()
    const zeroed = hex(sealed)
    zeroed.fill(0, zeroed.length - 16)
    expect(() => open(zeroed)).toThrow()
    expect(() => open(hex(sealed), hex(iv), Buffer.concat([hex(context), Buffer.alloc(1)]))).toThrow()
    for (const length of [0, 16, 24, 31, 33])
      expect(() => openValue(hex(key.padEnd(66, '0')).subarray(0, length), hex(iv), hex(sealed))).toThrow()
  })
})

function flipped(bytes: Buffer, bit: number): Buffer {
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return bytes
}

describe('RSA-OAEP', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const publicKey = createPublicKey(privateKey)
  const dataKey = randomBytes(32)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', dataKey, iv)
  const ciphertext = Buffer.concat([cipher.update('a value'), cipher.final(), cipher.getAuthTag()])
  const wrap = (options: Record<string, unknown> = {}, key: Buffer = dataKey) =>
    publicEncrypt({ key: publicKey, oaepHash: 'sha256', ...options }, key)
  const open = (wrapped: Buffer) =>
    openEnvelope([privateKey], {
      encrypted_key: wrapped.toString('base64'),
      iv: iv.toString('base64'),
      ciphertext: ciphertext.toString('base64'),
    })

  it('opens what was wrapped with SHA-256 and no label', async () => {
    expect((await open(wrap())).toString()).toBe('a value')
  })

  /** One that starts with a zero byte is the same number without it. */
  const wrappedLong = () => {
    for (let wrapped = wrap(); ; wrapped = wrap()) if (wrapped[0] !== 0) return wrapped
  }
  const one = Buffer.alloc(384)
  one[383] = 1
  it.each([
    ['SHA-1', () => wrap({ oaepHash: 'sha1' })],
    ['SHA-512', () => wrap({ oaepHash: 'sha512' })],
    ['a label', () => wrap({ oaepLabel: Buffer.from('label') })],
    ['the padding of PKCS#1 v1.5', () => wrap({ padding: constants.RSA_PKCS1_PADDING })],
    ['another key', () => publicEncrypt({ key: otherKey(), oaepHash: 'sha256' }, dataKey)],
    ['a data key of 16 bytes', () => wrap({}, randomBytes(16))],
    ['a data key of 33 bytes', () => wrap({}, randomBytes(33))],
    ['no data key', () => wrap({}, Buffer.alloc(0))],
    ['a flipped first bit', () => flipped(wrap(), 7)],
    ['a flipped last bit', () => flipped(wrap(), 384 * 8 - 1)],
    ['a byte less', () => wrappedLong().subarray(1)],
    ['a byte more', () => Buffer.concat([Buffer.alloc(1), wrap()])],
    ['zero', () => Buffer.alloc(384)],
    ['one', () => one],
    ['a number above the modulus', () => Buffer.alloc(384, 0xff)],
  ])('opens nothing that has %s, and says the same of all', async (_name, wrapped) => {
    const error = await open(wrapped()).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(EnvelopeUndecryptable)
    expect((error as Error).message).toBe('')
    expect((error as Error).cause).toBeUndefined()
  })
})

const otherKey = () => createPublicKey(generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey)
