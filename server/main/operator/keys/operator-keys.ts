import { signedLinkMaxSeconds, turnReceiptLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import { countKeysOffPepper } from '../../../access/keys/api-keys.ts'
import { countGatewayKeysOffPepper } from '../../../access/keys/gateway-keys.ts'
import { keysFolder, openKeys } from '../../../base/keys/keys.ts'
import { PepperInUse } from '../../../base/keys/peppers.ts'
import { TransitKeyLive, TransitKeys } from '../../../base/keys/transit-keys.ts'
import { countDoorsOffPepper } from '../../../doors/catalogue/door-keys.ts'
import { asOwnerOf } from '../as-owner-of.ts'
import { actOnService, type LocalService, type Outcome, onLocalService } from '../local-service.ts'

/**
 * Creates the next key for login tokens and returns its id. `leaked` ends all tokens of the former key: everybody
 * must log in again.
 */
export const rotateTokenKey = (leaked: boolean): Outcome<string> =>
  actOnService({ act: 'token_key_rotate', details: { leaked } }, async ({ clock, config }) =>
    asOwnerOf(keysFolder(config.dataDir), () =>
      openKeys(keysFolder(config.dataDir)).tokens.rotate(clock.now(), {
        lifetimeSeconds: Math.max(config.accessTokenSeconds, turnReceiptLifetimeSeconds),
        leaked,
      }),
    ),
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
    onPeppers(service, (peppers) => {
      try {
        return peppers.rotate()
      } catch (error) {
        if (error instanceof PepperInUse) return 'former_live'
        throw error
      }
    }),
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
  actOnService({ act: 'pepper_retire' }, async (service) => onPeppers(service, (peppers) => peppers.retire()))

/** Makes the next key that clients encrypt values with. */
export const rotateTransitKey = (): Outcome<'rotated' | 'former_live'> =>
  actOnService({ act: 'transit_key_rotate' }, async ({ config: { dataDir } }) =>
    asOwnerOf(keysFolder(dataDir), () => {
      try {
        new TransitKeys(keysFolder(dataDir)).rotate()
        return 'rotated'
      } catch (error) {
        if (error instanceof TransitKeyLive) return 'former_live'
        throw error
      }
    }),
  )

/** Ends the former key that clients encrypted values with. */
export const retireTransitKey = (): Outcome<boolean> =>
  actOnService({ act: 'transit_key_retire' }, async ({ config: { dataDir } }) =>
    asOwnerOf(keysFolder(dataDir), () => new TransitKeys(keysFolder(dataDir)).retire()),
  )

const onPeppers = <T>(
  { config: { dataDir } }: LocalService,
  work: (peppers: ReturnType<typeof openKeys>['peppers']) => T,
): T => asOwnerOf(keysFolder(dataDir), () => work(openKeys(keysFolder(dataDir)).peppers))
