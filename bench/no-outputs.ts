import { tmpdir } from 'node:os'
import { Directory } from '../server/access/directory/directory.ts'
import { systemClock } from '../server/base/clock.ts'
import { createLog } from '../server/base/logging.ts'
import { outputPolicies } from '../server/custom-tables/policies/output-policies.ts'
import type { Database } from '../server/db/database.ts'

/** For runs whose versions have no output policy: the key of callbacks is not there. */
export const noOutputs = (db: Database) =>
  outputPolicies({
    db,
    directory: new Directory(db),
    clock: systemClock,
    log: createLog('bench', 'silent'),
    dataDir: tmpdir(),
  })
