import type { Database } from '../../db/database.ts'
import type { ServiceStorage } from '../../storage/port.ts'
import { presenceOn } from '../../work/executor-lease.ts'
import type { Look } from './readiness.ts'

/** Looks at what the API needs. The worker and the host agent are seen in the database, so they fail with it. */
export const apiDependencies = ({
  db,
  storage,
}: {
  db: Database
  storage: Pick<ServiceStorage, 'probe' | 'hasSpace'>
}): Look[] => [
  {
    names: ['database', 'worker', 'host_agent'],
    look: async () => {
      const { hasWorker, hostAgent } = await presenceOn(db)
      return { database: true, worker: hasWorker, host_agent: hostAgent }
    },
  },
  {
    names: ['storage'],
    look: async () => {
      await storage.probe()
      return { storage: true }
    },
  },
  { names: ['disk_space'], look: async () => ({ disk_space: await storage.hasSpace() }) },
]
