import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { holdsPublicKey } from './verify-image.ts'

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

test.each([
  ['a key', pem, true],
  ['a key among other text', `# keys of the service\n${pem}`, true],
  ['nothing', '', false],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', false],
  ['a damaged key', pem.replace(/^M.{20}/m, ''), false],
  ['a key and a damaged one', `${pem}${pem.replace(/^M.{20}/m, '')}`, false],
])('a public key is looked for in %s', (_what, text, expected) => {
  expect(holdsPublicKey(text)).toBe(expected)
})
