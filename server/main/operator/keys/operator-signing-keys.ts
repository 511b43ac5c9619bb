import type { PublicSigningKey } from '../../../base/keys/published-signing-keys.ts'
import { SigningKeyInUse, SigningKeys, signingKeysFolder } from '../../../base/keys/signing-keys.ts'
import { asOwnerOf } from '../as-owner-of.ts'
import { actOnService, type LocalService, type Outcome, onLocalService } from '../local-service.ts'

/** Public keys that verify images, oldest first. */
export const readSigningKeys = (): Outcome<PublicSigningKey[]> =>
  onLocalService(async (service) => onKeys(service, (keys) => keys.list()))

/** Creates the next image signing key and returns its id. */
export const rotateSigningKey = (): Outcome<string> =>
  actOnService({ act: 'signing_key_rotate' }, async (service) => onKeys(service, (keys) => keys.rotate()))

/** Ends the trust in an old key: images that it signed cannot run any more. */
export const retireSigningKey = (id: string): Outcome<'retired' | 'unknown' | 'in_use'> =>
  actOnService({ act: 'signing_key_retire', subject: id }, async (service) =>
    onKeys(service, (keys) => {
      try {
        return keys.retire(id) ? 'retired' : 'unknown'
      } catch (error) {
        if (error instanceof SigningKeyInUse) return 'in_use'
        throw error
      }
    }),
  )

const onKeys = <T>({ config: { dataDir } }: LocalService, work: (keys: SigningKeys) => T): T =>
  asOwnerOf(signingKeysFolder(dataDir), () => work(new SigningKeys(signingKeysFolder(dataDir))))
