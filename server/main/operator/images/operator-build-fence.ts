import { liftFence, raiseFence } from '../../../builds/attempts/build-fence.ts'
import { actOnService, type ServiceRefusal } from '../local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/** Refuses new builds for `minutes`. Returns when that ends. */
export const stopBuilds = (minutes: number): Outcome<Date> =>
  actOnService({ act: 'build_fence_on', details: { minutes } }, ({ db }) => raiseFence(db, minutes))

/** Accepts builds again. False: they were not refused. */
export const resumeBuilds = (): Outcome<boolean> =>
  actOnService({ act: 'build_fence_off' }, ({ db }) => liftFence(db))
