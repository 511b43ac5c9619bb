import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeys } from '../../../base/keys/keys.ts'
import { createLog } from '../../../base/logging.ts'
import { createApp } from '../../app.ts'
import { mounter } from '../../mount.ts'
import { mountPublicKeyRoute } from './account.ts'

const log = createLog('test', 'silent')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const keyFile = () => join(folder, 'transit-rsa.pem')

/** A service over the folder with only these routes, called without credentials. */
function start() {
  const keys = openKeys(folder)
  const app = createApp(log)
  const authenticate = () => expect.unreachable()
  mountPublicKeyRoute(mounter(app, { authenticate, isEnabled: () => true }), { keys, log })
  const ask = () => app.inject({ method: 'GET', url: allRoutes.readPublicKey.path })
  return { keys, ask }
}

it('returns a 3072-bit key; the service can decrypt what clients encrypt with it', async () => {
  const { keys, ask } = start()
  const answer = await ask()
  expect([answer.statusCode, answer.json().algorithm]).toEqual([200, 'RSA-OAEP-SHA256'])
  expect(answer.body).not.toContain('PRIVATE')
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const sealed = publicEncrypt({ key: answer.json().public_key_pem, ...padding }, Buffer.from('hidden'))
  expect(sealed).toHaveLength(3072 / 8)
  expect(privateDecrypt({ key: (await keys.transit.live())[0], ...padding }, sealed).toString()).toBe(
    'hidden',
  )
})

it('creates one key on the first request, readable only by its owner', async () => {
  const [service, other] = [start(), start()]
  expect(readdirSync(folder).toSorted()).toEqual(['link-signing.pem', 'root.key', 'token-signing.pem'])
  const answers = await Promise.all([service.ask(), service.ask(), other.ask()])
  expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
  expect((await start().ask()).body).toBe(answers[0]?.body)
  expect(readdirSync(folder)).toHaveLength(4)
})

it.each([
  ['is not a key', 'no key'],
  [
    'is of another type',
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ],
])('responds 503 and keeps the file when its content %s', async (_, content) => {
  writeFileSync(keyFile(), content)
  const { ask } = start()
  const answer = await ask()
  expect([answer.statusCode, answer.json().detail.code]).toEqual([503, 'public_key_unavailable'])
  expect(readFileSync(keyFile(), 'utf8')).toBe(content)
  rmSync(keyFile())
  expect((await ask()).statusCode).toBe(200)
})
