import { statSync } from 'node:fs'
import { join } from 'node:path'
import { configuredKeys } from '../../../secrets/keys/configured-keys.ts'
import { LocalKeys, secretKeysFolder } from '../../../secrets/keys/local-keys.ts'
import { KeysUnavailable } from '../../../secrets/keys/wrapping-keys.ts'
import { countWrappedUnder } from '../../../secrets/rewrap-store.ts'
import { type RotationProgress, rotateSecretKeys } from '../../../secrets/rotate-keys.ts'
import { asOwnerOf } from '../as-owner-of.ts'
import { actOnService, type Outcome } from '../local-service.ts'

/** Makes the key that stored secrets are encrypted under from now on, and wraps all of them anew. */
export const rotateSecrets = (
  report: (progress: RotationProgress) => void,
): Outcome<RotationProgress | 'keys_unavailable'> =>
  actOnService({ act: 'secret_key_rotate' }, async ({ db, config }) => {
    const keys = configuredKeys(config, 'operator')
    const makeKey = () =>
      keys.prefix === 'local'
        ? asOwnerOf(secretKeysFolder(config.dataDir), () => keys.rotate())
        : keys.rotate()
    try {
      return await rotateSecretKeys({ db, keys, makeKey }, report)
    } catch (error) {
      if (error instanceof KeysUnavailable) return 'keys_unavailable'
      throw error
    }
  })

/** A request that read the former key before a rotation has ended by then. */
const settledMs = 60_000

/** Removes the files of former keys under which no value is any more, and answers their numbers. */
export const retireSecretKeys = (): Outcome<number[] | 'too_soon'> =>
  actOnService({ act: 'secret_key_retire' }, async ({ db, config, clock }) => {
    const folder = secretKeysFolder(config.dataDir)
    const keys = new LocalKeys(folder)
    const [present, ...former] = keys.numbers()
    if (present === undefined || former.length === 0) return []
    const ageMs = clock.now().getTime() - statSync(join(folder, `${present}.key`)).mtimeMs
    if (ageMs < settledMs) return 'too_soon'
    const retired: number[] = []
    for (const number of former) {
      if ((await countWrappedUnder(db, `local:${number}`)) > 0) continue
      asOwnerOf(folder, () => keys.remove(number))
      retired.push(number)
    }
    return retired
  })
