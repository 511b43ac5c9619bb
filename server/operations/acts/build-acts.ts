import { liftFence, raiseFence } from '../../builds/attempts/build-fence.ts'
import type { Database } from '../../db/database.ts'
import type { Act } from './act.ts'

interface Services {
  db: Database
}

/** Refuses new builds for `minutes`. Returns when that ends. */
export const stopBuilds = (minutes: number): Act<Services, Date> => ({
  entry: { act: 'build_fence_on', details: { minutes } },
  work: ({ db }) => raiseFence(db, minutes),
})

/** Accepts builds again. False: they were not refused. */
export const resumeBuilds = (): Act<Services, boolean> => ({
  entry: { act: 'build_fence_off' },
  work: ({ db }) => liftFence(db),
})
