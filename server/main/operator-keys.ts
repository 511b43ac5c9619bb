import { keysFolder, openKeys } from '../base/keys.ts'
import { PepperInUse } from '../base/peppers.ts'
import { countKeysOffPepper } from '../platform/api-keys.ts'
import { asOwnerOf } from './as-owner-of.ts'
import { actOnService, type LocalService, onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/** Makes the key that login tokens are signed with from now on, and answers its id. `leaked`: nobody stays logged in. */
export const rotateTokenKey = (leaked: boolean): Outcome<string> =>
  actOnService({ act: 'token_key_rotate', details: { leaked } }, async ({ clock, config }) =>
    asOwnerOf(keysFolder(config.dataDir), () =>
      openKeys(keysFolder(config.dataDir)).tokens.rotate(clock.now(), {
        lifetimeSeconds: config.accessTokenSeconds,
        leaked,
      }),
    ),
  )

/** Makes the pepper that API keys are stored under from now on, and answers its number. */
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

/** How many API keys the retirement of the former pepper would end; undefined when there is none. */
export const readFormerPepper = (): Outcome<{ number: number; keys: number } | undefined> =>
  onLocalService(async ({ db, clock, peppers }) => {
    const [, former] = peppers.live()
    if (!former) return undefined
    const keys = await countKeysOffPepper(db, peppers.present().number, clock.now())
    return { number: former.number, keys }
  })

/** Ends the former pepper, and every API key that was not used since the rotation. */
export const retirePepper = (): Outcome<boolean> =>
  actOnService({ act: 'pepper_retire' }, async (service) => onPeppers(service, (peppers) => peppers.retire()))

const onPeppers = <T>(
  { config: { dataDir } }: LocalService,
  work: (peppers: ReturnType<typeof openKeys>['peppers']) => T,
): T => asOwnerOf(keysFolder(dataDir), () => work(openKeys(keysFolder(dataDir)).peppers))
