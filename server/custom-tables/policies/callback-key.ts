import { createHmac } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CodedError } from '../../base/errors/coded-error.ts'
import { KeyFileDamaged, makeHexKey, readHexKey } from '../../base/keys/hex-key.ts'
import type { Log } from '../../base/logging.ts'

/** Beside the keys that both API and worker read. */
export const callbackKeyPath = (dataDir: string): string => join(dataDir, 'keys/secrets/callback-tokens.key')

/** The group is that of API and worker. */
const keyMode = 0o640

/** The key under which secrets of callbacks are hashed. The worker makes it, the API reads it; both read it at each use. */
export class CallbackKey {
  readonly #path: string
  readonly #log: Log

  constructor(path: string, log: Log) {
    this.#path = path
    this.#log = log
  }

  /** Makes the key where there is none: for the process that owns the folder. */
  prepare(): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    makeHexKey(this.#path, keyMode)
  }

  /** Throws `sandbox_writeback_key_unavailable`. */
  hash(secret: string): Buffer {
    try {
      return createHmac('sha256', readHexKey(this.#path)).update(secret).digest()
    } catch (error) {
      if (!(error instanceof KeyFileDamaged)) throw error
      this.#log.error({ error: error.message }, 'the key of callbacks cannot be used')
      throw new CodedError('sandbox_writeback_key_unavailable')
    }
  }

  /** Throws `sandbox_writeback_key_unavailable`. */
  require(): void {
    this.hash('')
  }
}
