import { liftFence, raiseFence } from '../builds/build-fence.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/** Takes no new builds for so many minutes. Answers until when. */
export const holdBuilds = (minutes: number): Outcome<Date> =>
  onLocalService(({ db }) => raiseFence(db, minutes))

/** Takes builds again. False: they were taken. */
export const takeBuilds = (): Outcome<boolean> => onLocalService(({ db }) => liftFence(db))
