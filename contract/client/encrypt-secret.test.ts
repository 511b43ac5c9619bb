import { createDecipheriv, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { EncryptedValue } from '../resources/secrets/secret-binding.ts'
import { encryptSecret } from './encrypt-secret.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 3072 })
const public_key_pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

function opened({ encrypted_key, iv, ciphertext }: EncryptedValue): string {
  const key = privateDecrypt({ key: privateKey, oaepHash: 'sha256' }, Buffer.from(encrypted_key, 'base64'))
  const sealed = Buffer.from(ciphertext, 'base64')
  const cipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'))
  cipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]).toString()
}

test.each(['abcd', '密码 🔑', 'x'.repeat(65_536)])(
  'the owner of the key can decrypt the envelope',
  async (value) => {
    const envelope = await encryptSecret({ public_key_pem }, value)
    expect(new Ajv2020({ strict: false }).compile(EncryptedValue)(envelope)).toBe(true)
    expect(opened(envelope)).toBe(value)
  },
)

test('two envelopes of the same value differ', async () => {
  const [one, other] = [
    await encryptSecret({ public_key_pem }, 'text'),
    await encryptSecret({ public_key_pem }, 'text'),
  ]
  for (const part of ['encrypted_key', 'iv', 'ciphertext'] as const) expect(one[part]).not.toBe(other[part])
})
