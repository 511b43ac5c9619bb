import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepFirst, readOrMake, removeFile, replaceFile, syncFolder } from './key-files.ts'

/*
 * The keys of login tokens: Ed25519.
 *
 *   FOLDER/token-signing.pem                the key that signs; a rotation overwrites it
 *   FOLDER/former-tokens/KEYID.SECONDS.pem  public key of an earlier one, which verifies until then (seconds since 1970)
 *
 * A rotation by another process needs no restart: each use checks whether the file has changed since it was read.
 */

export interface TokenKeys {
  signing(): { id: string; key: KeyObject }
  /** The public key with that id, while its tokens are valid. */
  verifying(id: string, now: Date): KeyObject | undefined
}

interface Former {
  key: KeyObject
  untilSeconds: number
}

const formerName = /^(?<id>[0-9a-f]{16})\.(?<until>\d{1,15})\.pem$/
/** Allowance for a token that is signed while the key changes. */
const slackSeconds = 60

export class StoredTokenKeys implements TokenKeys {
  readonly #path: string
  readonly #formerFolder: string
  #version = ''
  #present: { id: string; key: KeyObject; publicKey: KeyObject } | undefined
  #former = new Map<string, Former>()

  /** Creates the first key if there is none. `link` selects the keys of expiring links. */
  constructor(folder: string, purpose: 'token' | 'link' = 'token') {
    this.#path = join(folder, `${purpose}-signing.pem`)
    this.#formerFolder = join(folder, `former-${purpose}s`)
    readOrMake(this.#path, newKey)
    this.#reload()
  }

  signing() {
    return this.#reload()
  }

  verifying(id: string, now: Date): KeyObject | undefined {
    const present = this.#reload()
    if (present.id === id) return present.publicKey
    const former = this.#former.get(id)
    return former && now.getTime() < former.untilSeconds * 1000 ? former.key : undefined
  }

  /**
   * Creates the next key. Tokens of the last key stay valid for their full lifetime, or become invalid at once if it
   * leaked.
   */
  rotate(now: Date, { lifetimeSeconds, leaked }: { lifetimeSeconds: number; leaked: boolean }): string {
    const { id, publicKey } = this.#reload()
    const nowSeconds = Math.ceil(now.getTime() / 1000)
    mkdirSync(this.#formerFolder, { recursive: true, mode: 0o700 })
    const untilSeconds = nowSeconds + lifetimeSeconds + slackSeconds
    for (const name of readdirSync(this.#formerFolder)) {
      const until = Number(formerName.exec(name)?.groups?.until ?? 0)
      if (leaked || until < nowSeconds) removeFile(join(this.#formerFolder, name))
    }
    if (!leaked) keepFirst(join(this.#formerFolder, `${id}.${untilSeconds}.pem`), pemOf(publicKey))
    syncFolder(dirname(this.#path))
    // Last, so that a process that sees the new key also sees the state of the former ones.
    replaceFile(this.#path, newKey())
    return this.#reload().id
  }

  #reload() {
    const { ino, mtimeMs } = statSync(this.#path)
    const version = `${ino} ${mtimeMs}`
    if (this.#present && version === this.#version) return this.#present
    const key = createPrivateKey(readFileSync(this.#path))
    const publicKey = createPublicKey(key)
    this.#former = readFormer(this.#formerFolder)
    this.#version = version
    this.#present = { id: idOf(publicKey), key, publicKey }
    return this.#present
  }
}

function readFormer(folder: string): Map<string, Former> {
  const found = new Map<string, Former>()
  if (!existsSync(folder)) return found
  for (const name of readdirSync(folder)) {
    const { id, until } = formerName.exec(name)?.groups ?? {}
    if (!id) continue
    const key = createPublicKey(readFileSync(join(folder, name)))
    const untilSeconds = Math.max(Number(until), found.get(id)?.untilSeconds ?? 0)
    if (idOf(key) === id) found.set(id, { key, untilSeconds })
  }
  return found
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
const idOf = (key: KeyObject): string =>
  createHmac('sha256', 'key-id')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)
