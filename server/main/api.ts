import { parseArgs } from 'node:util'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { agentIdentityProviderOf, identityProviderOf } from '../access/authentication/identity-provider.ts'
import { openIdProviderOf } from '../access/sign-ins/openid-provider.ts'
import { sleep, systemClock } from '../base/clock.ts'
import { callbackAddress } from '../base/config/service-settings.ts'
import { recordDefaultBytes } from '../companies/storage/storage-quota.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect } from '../db/database.ts'
import { notifyMissed } from '../db/notify.ts'
import { watchSlices } from '../fairness/loop-slices.ts'
import { RequestScheduler } from '../fairness/request-scheduler.ts'
import { unacceptedMax } from '../http/bounds/connection-bounds.ts'
import { DatabaseLogUpdates } from '../live-logs/log-updates.ts'
import { followKillSwitch } from '../operations/kill-switch/follow-kill-switch.ts'
import { measureProcess } from '../operations/metrics/own-metrics.ts'
import { openStorage } from '../storage/open-storage.ts'
import { startTracing } from '../tracing/tracing.ts'
import { createApiApp } from './api/api-app.ts'
import { createCallbackApp } from './api/callback-app.ts'
import { Listening } from './api/listening.ts'
import { listenForMetrics } from './api/metrics-listener.ts'
import { checkSessions } from './database-checks.ts'
import { readersOfRole, watchReaderHost } from './role-readers.ts'
import { runRole } from './run-role.ts'
import { firstPassedAs } from './supervisor/processes/role-process.ts'

const { values } = parseArgs({
  options: {
    readers: { type: 'string' },
    packed: { type: 'string' },
    listeners: { type: 'string', default: '0' },
  },
})

/** The process that answers HTTP: database, routes, port. */
await runRole('api', async (config, log) => {
  const { databaseUrl, host, port, callbackPort } = config
  const db = connect(databaseUrl, { poolSize: config.databasePoolSize, log, name: 'api' })
  await awaitSchema(db, log)
  await checkSessions(db)
  await notifyMissed(db)
  await recordDefaultBytes(db, config)
  if (values.readers) watchReaderHost(log)
  const clock = systemClock
  const storage = await openStorage(config)
  const logNews = new DatabaseLogUpdates({ url: databaseUrl, log })
  // One for both listeners: they share the event loop and the connections to the database.
  const scheduler = new RequestScheduler()
  watchSlices((companyId, ms) => scheduler.chargeWork(companyId, ms))
  const killSwitch = await followKillSwitch({ db, enabled: config.enabled, log })
  const { isEnabled } = killSwitch
  const draining = new AbortController()
  const app = createApiApp({
    db,
    logNews,
    log,
    clock,
    identityProvider: identityProviderOf(config, { clock, log }),
    agentIdentityProvider: agentIdentityProviderOf(config, { clock, log }),
    openIdProvider: openIdProviderOf(config, { clock }),
    readers: readersOfRole(log, values.readers),
    storage,
    packedFolder: values.packed,
    config,
    isEnabled,
    scheduler,
    draining: draining.signal,
  })
  const callbacks = createCallbackApp({ db, log, clock, storage, config, isEnabled, scheduler })
  // First, so that a service that answers accepts callbacks too.
  const backlog = unacceptedMax
  const callbackOptions = { host: callbackAddress, port: callbackPort, setting: 'SANDBOX_CALLBACK_PORT' }
  const callbacksListening = await Listening.start(callbacks, { ...callbackOptions, backlog, given: [] })
  const given = Array.from({ length: Number(values.listeners) }, (_, at) => firstPassedAs + at)
  const listening = await Listening.start(app, { host, port, setting: 'SANDBOX_PORT', backlog, given })
  const tracing = startTracing(config, log)
  if (config.metricsListen !== undefined) measureProcess('api')
  const metrics =
    config.metricsListen === undefined ? undefined : await listenForMetrics(config.metricsListen, db, log)
  // A connection that cannot be accepted, for lack of memory or file descriptors, is no reason to exit.
  for (const { server } of [app, callbacks])
    server.on('error', (error) => log.error({ err: error }, 'a connection was not accepted'))
  log.info({ host, port, routes: Object.keys(allRoutes).length }, 'listening')
  return {
    stop: async () => {
      // A proxy that asks whether the API is ready sends new requests elsewhere before they would be refused.
      draining.abort()
      await sleep(config.drainSeconds * 1000)
      await Promise.all([listening.close(), callbacksListening.close(), metrics?.close()])
      await Promise.all([tracing.stop(), killSwitch.stop()])
      await db.destroy()
    },
  }
})
