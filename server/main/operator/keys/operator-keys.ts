import { passwordAddressLifetimeSeconds, signedLinkMaxSeconds } from '@sandbox-jobs/contract/limits.ts'
import { countKeysOffPepper } from '../../../access/keys/api-keys.ts'
import { countGatewayKeysOffPepper } from '../../../access/keys/gateway-keys.ts'
import { deleteAllSignIns } from '../../../access/sign-ins/sign-in-store.ts'
import { type Keys, keysFolder, openKeys } from '../../../base/keys/keys.ts'
import { FormerKeyLive } from '../../../base/keys/rotated-file.ts'
import { countDoorsOffPepper } from '../../../doors/catalogue/door-keys.ts'
import { countFormerLinks, endFormerLinks } from '../../../runs/downloads/former-links.ts'
import { asOwnerOf } from '../as-owner-of.ts'
import { actOnService, type LocalService, type Outcome, onLocalService } from '../local-service.ts'

/**
 * Creates the next key for login tokens and returns its id. `leaked` ends all tokens of the former key, and all sign-ins: everybody
 * must log in again.
 */
export const rotateTokenKey = (leaked: boolean): Outcome<string> =>
  actOnService({ act: 'token_key_rotate', details: { leaked } }, async ({ db, clock, config }) => {
    if (leaked) await deleteAllSignIns(db)
    return asOwnerOf(keysFolder(config.dataDir), () =>
      openKeys(keysFolder(config.dataDir)).tokens.rotate(clock.now(), {
        lifetimeSeconds: Math.max(config.accessTokenSeconds, passwordAddressLifetimeSeconds),
        leaked,
      }),
    )
  })

/** Makes the keys that the API makes at their first use, so that a copy of the folder of keys has all. */
export const makeKeys = (): Outcome<void> =>
  actOnService({ act: 'keys_make' }, async (service) =>
    onKeys(service, ({ transit, secretPepper }) => {
      transit.make()
      secretPepper.live()
    }),
  )

/** Creates the next key for expiring links and returns its id. `leaked` ends all links of the former key. */
export const rotateLinkKey = (leaked: boolean): Outcome<string> =>
  actOnService({ act: 'link_key_rotate', details: { leaked } }, async ({ clock, config }) =>
    asOwnerOf(keysFolder(config.dataDir), () =>
      openKeys(keysFolder(config.dataDir)).links.rotate(clock.now(), {
        lifetimeSeconds: signedLinkMaxSeconds,
        leaked,
      }),
    ),
  )

/** Creates the next pepper for stored API keys and returns its number. */
export const rotatePepper = (): Outcome<number | 'former_live'> =>
  actOnService({ act: 'pepper_rotate' }, async (service) =>
    onKeys(service, ({ peppers }) => unlessFormerLive(() => peppers.rotate())),
  )

/** The number of API keys that retiring the former pepper would invalidate; undefined: there is none. */
export const readFormerPepper = (): Outcome<{ number: number; keys: number } | undefined> =>
  onLocalService(async ({ db, clock, peppers }) => {
    const [, former] = peppers.live()
    if (!former) return undefined
    const keys = await countKeysOffPepper(db, peppers.present().number, clock.now())
    const gateways = await countGatewayKeysOffPepper(db, peppers.present().number)
    const doors = await countDoorsOffPepper(db, peppers.present().number)
    return { number: former.number, keys: keys + gateways + doors }
  })

/** Retires the former pepper, and thereby every API key that was not used since the rotation. */
export const retirePepper = (): Outcome<boolean> =>
  actOnService({ act: 'pepper_retire' }, async (service) =>
    onKeys(service, ({ peppers }) => peppers.retire()),
  )

/** Makes the next key that clients encrypt values with. */
export const rotateTransitKey = (): Outcome<Rotation> =>
  actOnService({ act: 'transit_key_rotate' }, async (service) =>
    onKeys(service, ({ transit }) => rotated(() => transit.rotate())),
  )

/** Ends the former key that clients encrypted values with. */
export const retireTransitKey = (): Outcome<boolean> =>
  actOnService({ act: 'transit_key_retire' }, async (service) =>
    onKeys(service, ({ transit }) => transit.retire()),
  )

/** Makes the next root key. */
export const rotateRootKey = (): Outcome<Rotation> =>
  actOnService({ act: 'root_key_rotate' }, async (service) =>
    onKeys(service, (keys) => rotated(() => keys.rotateRoot())),
  )

/** The number of permanent links that retiring the former root key would end; undefined: there is none. */
export const readFormerRootKey = (): Outcome<{ links: number } | undefined> =>
  onLocalService(async (service) => {
    const links = onKeys(service, (keys) => keys.derive('public-link'))
    if (links.live().length === 1) return undefined
    return { links: await countFormerLinks(service.db, links) }
  })

/** Ends the former root key, and with it all that was made under it. */
export const retireRootKey = (): Outcome<boolean> =>
  actOnService({ act: 'root_key_retire' }, async (service) => {
    const keys = onKeys(service, (opened) => opened)
    // First, so that no link is shown as live whose key is gone.
    await endFormerLinks(service.db, keys.derive('public-link'), service.clock.now())
    return onKeys(service, ({ root }) => root.retire())
  })

/** Makes the next pepper for comparing requests that write secrets. */
export const rotateSecretPepper = (): Outcome<Rotation> =>
  actOnService({ act: 'secret_pepper_rotate' }, async (service) =>
    onKeys(service, ({ secretPepper }) => rotated(() => secretPepper.rotate())),
  )

/** Ends the former pepper of requests. */
export const retireSecretPepper = (): Outcome<boolean> =>
  actOnService({ act: 'secret_pepper_retire' }, async (service) =>
    onKeys(service, ({ secretPepper }) => secretPepper.retire()),
  )

type Rotation = 'rotated' | 'former_live'

const rotated = (rotate: () => void): Rotation =>
  unlessFormerLive(() => {
    rotate()
    return 'rotated'
  })

function unlessFormerLive<T>(rotate: () => T): T | 'former_live' {
  try {
    return rotate()
  } catch (error) {
    if (error instanceof FormerKeyLive) return 'former_live'
    throw error
  }
}

const onKeys = <T>({ config: { dataDir } }: LocalService, work: (keys: Keys) => T): T =>
  asOwnerOf(keysFolder(dataDir), () => work(openKeys(keysFolder(dataDir))))
