import type { FastifyInstance } from 'fastify'
import { refuseCredentials } from '../../access/authentication/authentication.ts'
import { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import type { Log } from '../../base/logging.ts'
import { CallbackCredentials } from '../../custom-tables/callbacks/callback-credentials.ts'
import { outputPolicies } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { createApp } from '../../http/app.ts'
import { boundConnections, connectionBoundsFor } from '../../http/bounds/connection-bounds.ts'
import { mounter } from '../../http/mount.ts'
import { mountOutputCallbacks } from '../../http/routes/tables/output-callbacks.ts'
import type { ObjectStorage } from '../../storage/port.ts'

interface CallbackParts {
  db: Database
  log: Log
  clock: Clock
  storage: Pick<ObjectStorage, 'hasSpace'>
  config: Pick<Config, 'dataDir' | 'enabled'> & Partial<Pick<Config, 'readsPerLogLine'>>
  /** Absent: as the setting says. */
  isEnabled?: (() => boolean) | undefined
  /** That of the API; absent: nothing waits. */
  scheduler?: RequestScheduler | undefined
}

/**
 * The part of the service that a permitted run can reach: the callbacks, and no other path. It has a listener of its own, to
 * which the host leads the connections of sandboxes.
 */
export function createCallbackApp({
  db,
  log,
  clock,
  storage,
  config,
  isEnabled = () => config.enabled,
  scheduler,
}: CallbackParts): FastifyInstance {
  const outputs = outputPolicies({ db, directory: new Directory(db), clock, log, dataDir: config.dataDir })
  const requestLog = { trustedProxies: [], readsPerLine: config.readsPerLogLine ?? 0 }
  const app = createApp(log, { requestLog })
  boundConnections(app, connectionBoundsFor([]))
  // None of its routes takes the credentials of people.
  const authenticate = () => Promise.reject(refuseCredentials())
  const mount = mounter(app, { authenticate, isEnabled, hasSpace: () => storage.hasSpace(), scheduler })
  mountOutputCallbacks(mount, { ...outputs, credentials: new CallbackCredentials(db, outputs.key) })
  return app
}
