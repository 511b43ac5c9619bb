import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import type { SecretOperation } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { secretRoutes } from '@sandbox-jobs/contract/routes/secret-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import { keysFolder } from '../../../server/base/keys/keys.ts'
import { LocalKeys, secretKeysFolder } from '../../../server/secrets/keys/local-keys.ts'
import type { Answer } from '../answer.ts'
import type { CallOptions } from '../caller.ts'
import type { TestApi } from '../test-api.ts'

/** One pair for all APIs of a test file: making one takes a second. */
let transit: KeyObject | undefined
export const transitKey = (): KeyObject => {
  transit ??= generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey
  return transit
}

/** The envelope that a client makes of a value. */
export const encrypted = (value: string) =>
  encryptSecret(
    { public_key_pem: createPublicKey(transitKey()).export({ type: 'spki', format: 'pem' }).toString() },
    value,
  )

interface Address {
  scope: string
  id: string
  taskId: string
  slot: string
}

/** Operations on secrets through the API, whose keys it prepares. */
export class SecretSteps {
  /** Key-encryption keys, as files in `wrappingKeysFolder`. */
  readonly keys: LocalKeys
  readonly wrappingKeysFolder: string
  /** Has `transit-rsa.pem` and `secret-pepper.key`. */
  readonly keysFolder: string
  readonly #api: TestApi
  #intents = 0

  constructor(api: TestApi) {
    this.#api = api
    this.wrappingKeysFolder = secretKeysFolder(api.dataDir)
    this.keys = new LocalKeys(this.wrappingKeysFolder)
    this.keys.prepare()
    this.keysFolder = keysFolder(api.dataDir)
    const pem = transitKey().export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(join(this.keysFolder, 'transit-rsa.pem'), pem, { mode: 0o600 })
  }

  /** Calls a route, with a new idempotency key unless `headers` have one. */
  call<Body = Record<string, unknown>>(
    route: Route,
    principal: Principal,
    options: CallOptions = {},
  ): Promise<Answer<Body>> {
    this.#intents += 1
    const key = route.idempotent && { 'idempotency-key': `intent-${this.#intents}` }
    return this.#api.call<Body>(route, principal, { ...options, headers: { ...key, ...options.headers } })
  }

  /** Stores a value, which must succeed. */
  async set(principal: Principal, address: Address, value: string): Promise<SecretOperation> {
    const body = { ...addressBody(address), encrypted_value: await encrypted(value) }
    const answer = await this.call<SecretOperation>(secretRoutes.createSecret, principal, { body })
    if (answer.status !== 200) throw new Error(`the secret was not stored: ${answer.status} ${answer.text}`)
    return answer.body
  }
}

export const addressBody = (address: Address) => ({
  consumer_scope: address.scope,
  consumer_id: address.id,
  task_id: address.taskId,
  slot_name: address.slot,
})
