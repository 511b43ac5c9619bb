import { AgentClient } from '../../agent/client/agent-client.ts'
import { systemClock } from '../base/clock.ts'
import { readConfig } from '../base/config/config.ts'
import { SigningKeys, signingKeysFolder } from '../base/keys/signing-keys.ts'
import { followLogLevel } from '../base/log-level.ts'
import { createLog } from '../base/logging.ts'
import { lowerPriority } from '../base/priority/lower-priority.ts'
import { buildSlots } from '../builds/attempts/build-limits.ts'
import { startBuildWorker } from '../builds/build-worker.ts'
import { programDigest } from '../builds/cache/program-digest.ts'
import type { BuildTools } from '../builds/request/build.ts'
import { configuredCapacity } from '../capacity/run-capacity.ts'
import { connect } from '../db/database.ts'
import { RunnerReleases } from '../environments/operator/runner-releases.ts'
import { StoredDigests } from '../images/stored-digests.ts'
import { LogSources } from '../live-logs/log-sources.ts'
import { liveLogWriter } from '../live-logs/stream-live-log.ts'
import { measureProcess } from '../operations/metrics/own-metrics.ts'
import { startMetricsReport } from '../operations/metrics/report-metrics.ts'
import manifest from '../package.json' with { type: 'json' }
import { openStorage } from '../storage/open-storage.ts'
import { startTracing } from '../tracing/tracing.ts'
import { readersOfRole } from './role-readers.ts'
import type { BuildsOptions } from './start-builds.ts'

/*
 * The worker's process for builds. The bytes of images pass through it to the archive readers, the compressor and the object
 * store: in the worker itself, runs would wait for them. It ends with the worker.
 */

lowerPriority()
process.umask(0o007)
process.on('disconnect', () => process.exit(1))
const { name, readers } = JSON.parse(process.argv[2] ?? '{}') as BuildsOptions
const { databaseUrl = '', ...config } = readConfig()
const log = createLog('builds', config.logLevel)
followLogLevel(log, config.dataDir)
const tracing = startTracing(config, log)
const db = connect(databaseUrl, { poolSize: config.databasePoolSize, log, name: 'worker' })
const executor = new AgentClient(config.agentSocket)
const storage = await openStorage(config)
const builds = await startBuildWorker({
  db,
  databaseUrl,
  tools: {
    storage,
    digests: new StoredDigests(storage, systemClock),
    executor,
    readers: readersOfRole(log, readers),
    registries: config,
    network: config,
    log,
    liveLogs: new LogSources({ executor, write: liveLogWriter(db), log }),
    clock: systemClock,
    signing: new SigningKeys(signingKeysFolder(config.dataDir)),
    runners: new RunnerReleases(db, config.runnerApproval),
    builder: builderIdentity(config),
  },
  share: buildSlots({ slots: config.buildSlots, capacity: configuredCapacity(config) }),
  name,
})
if (config.metricsListen !== undefined) measureProcess('builds')
const metrics =
  config.metricsListen === undefined
    ? undefined
    : startMetricsReport({ db, reporter: { executor: name, process: 'builds' }, log })
process.once('message', async () => {
  await Promise.all([builds.stop(), metrics?.stop()])
  await tracing.stop()
  await db.destroy()
  process.exit(0)
})

/** The builder's identity in statements about images. */
function builderIdentity({ baseUrl }: { baseUrl: string }): BuildTools['builder'] {
  const { version } = manifest
  return { id: baseUrl, release: version, programDigest: programDigest(version) }
}
