import { liftFence, raiseFence } from '../builds/build-fence.ts'
import { actOnService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/** Takes no new builds for so many minutes. Answers until when. */
export const holdBuilds = (minutes: number): Outcome<Date> =>
  actOnService({ act: 'build_fence_on', details: { minutes } }, ({ db }) => raiseFence(db, minutes))

/** Takes builds again. False: they were taken. */
export const takeBuilds = (): Outcome<boolean> =>
  actOnService({ act: 'build_fence_off' }, ({ db }) => liftFence(db))
