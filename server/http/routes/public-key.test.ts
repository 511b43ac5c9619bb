import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openKeys } from '../../base/keys.ts'
import { createLog } from '../../base/logging.ts'
import { createApp } from '../app.ts'
import { mounter } from '../mount.ts'
import { mountPublicKeyRoute } from './public-key.ts'

const log = createLog('test', 'silent')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const keyFile = () => join(folder, 'transit-rsa.pem')

/** A service over the folder, with nothing but these routes; it is asked without credentials. */
function start() {
  const keys = openKeys(folder)
  const app = createApp(log)
  const authenticate = () => expect.unreachable()
  mountPublicKeyRoute(mounter(app, { authenticate, enabled: true }), { keys, log })
  const ask = () => app.inject({ method: 'GET', url: allRoutes.readPublicKey.path })
  return { keys, ask }
}

it('gives a key of 3072 bits with which the service opens what clients encrypt', async () => {
  const { keys, ask } = start()
  const answer = await ask()
  expect([answer.statusCode, answer.json().algorithm]).toEqual([200, 'RSA-OAEP-SHA256'])
  expect(answer.body).not.toContain('PRIVATE')
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const sealed = publicEncrypt({ key: answer.json().public_key_pem, ...padding }, Buffer.from('hidden'))
  expect(sealed).toHaveLength(3072 / 8)
  expect(privateDecrypt({ key: await keys.transit(), ...padding }, sealed).toString()).toBe('hidden')
})

it('makes one key, when it is first asked for, for its owner alone', async () => {
  const [service, other] = [start(), start()]
  expect(readdirSync(folder).toSorted()).toEqual(['root.key', 'token-signing.pem'])
  const answers = await Promise.all([service.ask(), service.ask(), other.ask()])
  expect(new Set(answers.map((answer) => answer.body)).size).toBe(1)
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
  expect((await start().ask()).body).toBe(answers[0]?.body)
  expect(readdirSync(folder)).toHaveLength(3)
})

it.each([
  ['is no key', 'no key'],
  [
    'is of another kind',
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ],
])('answers 503 and keeps the file when what is there %s', async (_, content) => {
  writeFileSync(keyFile(), content)
  const { ask } = start()
  const answer = await ask()
  expect([answer.statusCode, answer.json().detail.code]).toEqual([503, 'public_key_unavailable'])
  expect(readFileSync(keyFile(), 'utf8')).toBe(content)
  rmSync(keyFile())
  expect((await ask()).statusCode).toBe(200)
})
