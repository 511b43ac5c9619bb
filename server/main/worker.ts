import { hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { AgentClient } from '../../agent/client/agent-client.ts'
import { Directory } from '../access/directory/directory.ts'
import { systemClock } from '../base/clock.ts'
import type { Config } from '../base/config/config.ts'
import { remediationDaysOf } from '../base/config/finding-settings.ts'
import { SigningKeys, signingKeysFolder } from '../base/keys/signing-keys.ts'
import { bootId, type Machine } from '../base/machine-id.ts'
import { configuredCapacity, type RunCapacity } from '../capacity/run-capacity.ts'
import { recordDefaultBytes } from '../companies/storage/storage-quota.ts'
import { CallbackCredentials } from '../custom-tables/callbacks/callback-credentials.ts'
import { outputPolicies } from '../custom-tables/policies/output-policies.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect } from '../db/database.ts'
import { notifyMissed } from '../db/notify.ts'
import { StoredImages } from '../images/stored-images.ts'
import { startAuditLoops } from '../operations/audit/chain-audit.ts'
import { postgresRunQueue } from '../runs/drive/run-queue.ts'
import { startRunWorker } from '../runs/drive/run-worker.ts'
import { PolicyOutputs } from '../runs/parts/outputs/run-outputs.ts'
import { StoredRunSecrets } from '../runs/parts/secrets/run-secrets.ts'
import { startRequestedEnds } from '../runs/queue/end-requested-runs.ts'
import { queuePolicy } from '../runs/queue/queue-policy.ts'
import { configuredKeys } from '../secrets/keys/configured-keys.ts'
import { LocalKeys, secretKeysFolder } from '../secrets/keys/local-keys.ts'
import { StoredRunSessions } from '../sessions/runs/run-sessions.ts'
import { bucketName, openStorage } from '../storage/open-storage.ts'
import { startTracing } from '../tracing/tracing.ts'
import {
  type ExecutorLease,
  type ExecutorLeaseOptions,
  LeaseRefused,
  takeExecutorLease,
} from '../work/executor-lease.ts'
import { startSweep } from '../work/sweep.ts'
import { type ClusterSettings, clusterSettings } from './cluster/cluster-settings.ts'
import type { ClusterRunsParts } from './cluster/start-cluster-runs.ts'
import { checkSessions } from './database-checks.ts'
import { startRetentionLoops } from './loops/retention-loops.ts'
import { startAgentPresence, startNotifications, startUnattendedRuns } from './loops/worker-loops.ts'
import { startWorkerMetrics } from './loops/worker-metrics.ts'
import { watchReaderHost } from './role-readers.ts'
import { runRole } from './run-role.ts'
import { startBuilds } from './start-builds.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

const { values } = parseArgs({
  options: {
    machine: { type: 'string' },
    folder: { type: 'string' },
    readers: { type: 'string' },
    'not-dumpable': { type: 'string' },
  },
})

/**
 * The worker: processes runs from the queue, and builds in a process of its own. `--machine` and `--folder` say which machine it works for;
 * the supervisor passes them, because only it may read the host agent's folder. `--not-dumpable` protects the process of builds.
 */
await runRole('worker', async (config, log) => {
  const { databaseUrl, deployment } = config
  const db = connect(databaseUrl, { poolSize: config.databasePoolSize, log, name: 'worker' })
  await awaitSchema(db, log)
  await checkSessions(db)
  await notifyMissed(db)
  const { machine, notDumpable } = given()
  const signing = new SigningKeys(signingKeysFolder(config.dataDir))
  const capacity = configuredCapacity(config)
  const store = bucketName(config) ?? `the data folder of machine ${machine.id}`
  const leaseOf = (executor: Machine, of: RunCapacity) =>
    leaseExecutor(config, { db, signing, log, store, machine: executor, capacity: of })
  const lease = await leaseOf(machine, capacity)
  // Created here if absent: the API shows the public key and cannot create it. A machine without the lease makes no key.
  signing.prepare()
  await recordDefaultBytes(db, config)

  const storage = await openStorage(config)
  await storage.removeAbandoned()
  const executor = new AgentClient(config.agentSocket)
  // The API encrypts with the first of these, and cannot make it.
  new LocalKeys(secretKeysFolder(config.dataDir)).prepare()
  const directory = new Directory(db)
  const outputs = outputPolicies({ db, directory, clock: systemClock, log, dataDir: config.dataDir })
  outputs.key.prepare()
  // Its process for builds finds its claims by this name after a restart.
  const name = machine.id

  const policy = queuePolicy(deployment, capacity)
  const tracing = startTracing(config, log)
  const common = {
    runs: postgresRunQueue(db, databaseUrl, log),
    storage,
    images: new StoredImages({ storage, signing, clock: systemClock }),
    log,
    sessions: new StoredRunSessions({ db, storage, clock: systemClock, log }),
    outputs: new PolicyOutputs(outputs, new CallbackCredentials(db, outputs.key)),
    secrets: new StoredRunSecrets(db, configuredKeys(config, 'worker')),
    // The kill switch leaves no time to anything.
    stopGraceMs: config.enabled ? config.stopGraceSeconds * 1000 : 0,
    egressCapBytes: config.runtimeEgress ? config.runEgressCapBytes : undefined,
    companyConcurrency: policy.companyConcurrency,
  }
  const setUp = clusterSettings(config)
  const onHost = await startRunWorker({
    ...{ ...common, executor, capacity, driver: { executor: machine.id, worker: lease.worker } },
    // With a cluster this machine finishes what it has, and builds.
    isDraining: setUp ? () => true : lease.isDraining,
  })
  const inCluster =
    setUp &&
    (await startInCluster(setUp, {
      ...{ config, db, storage, platform: executor, log, common },
      lease: (id, of) => leaseOf({ ...machine, id }, of),
    }))
  const runs = inCluster ?? onHost
  if (values.readers) watchReaderHost(log)
  const builds = startBuilds({ name, readers: values.readers }, { notDumpable, log })
  const notifications = startNotifications({ db, log, config, worker: lease.worker })
  // The kill switch stops new work, however it is asked for.
  const { enabled } = config
  const started = { db, directory, policy, outputs, storage, enabled, clock: systemClock, log }
  const unattended = await startUnattendedRuns(started)
  const ends = startRequestedEnds(db, log)
  const residue = storage.sweeps.map(({ remove, ...sweep }) =>
    startSweep({ ...sweep, runOnce: async () => ({ removed: await remove() }), log }),
  )
  const retention = startRetentionLoops({
    ...{ db, storage, executor, executorId: machine.id, clock: systemClock, log },
    remediationDays: remediationDaysOf(config.remediationDays),
  })
  const presence = startAgentPresence({ executor, lease, log })
  const slots = { total: capacity.slots, used: () => runs.active().length }
  const metrics = startWorkerMetrics({
    ...{ db, executorId: machine.id, executor, agent: executor, config, log, slots },
  })
  const audit = startAuditLoops({
    db,
    signing,
    clock: systemClock,
    log,
    retention: { days: config.auditRetentionDays, entries: config.auditEntries },
  })
  return {
    stop: async () => {
      // They may take long, and nothing depends on their end.
      for (const loop of [...residue, presence]) void loop.stop()
      const loops = [notifications, retention, ...unattended, ends, ...metrics, audit]
      const parts = [onHost, ...(inCluster ? [inCluster] : []), builds, ...loops]
      await Promise.all(parts.map((part) => part.stop()))
      await tracing.stop()
      await lease.release()
      await db.destroy()
    },
  }
})

/** The executor of pods is loaded by services that use it alone. */
async function startInCluster(setUp: ClusterSettings, parts: ClusterRunsParts) {
  const { startClusterRuns } = await import('./cluster/start-cluster-runs.ts')
  return startClusterRuns(setUp, parts)
}

/** The lease of an executor. Another machine of the deployment has some of these keys, and the same objects. */
async function leaseExecutor(
  config: Config,
  {
    signing,
    ...parts
  }: Pick<ExecutorLeaseOptions, 'db' | 'machine' | 'log' | 'capacity' | 'store'> & {
    signing: SigningKeys
  },
): Promise<ExecutorLease> {
  const lease = await takeExecutorLease({
    ...parts,
    boot: bootId(),
    place: `${hostname()}:${config.dataDir}`,
    keys: () => signing.trustedIds(),
  }).catch(refused)
  void lease.lost.then((why) => {
    // Exits at once, like a crash: the next holder of the lease must not find it still working.
    parts.log.fatal(why)
    process.exit(exitCodes.otherWorker)
  })
  return lease
}

function given(): { machine: Machine; notDumpable: string } {
  const { machine: id, folder, 'not-dumpable': notDumpable } = values
  if (id && folder && notDumpable) return { machine: { id, folder }, notDumpable }
  throw new ServiceProblem(
    exitCodes.configuration,
    'the worker is started by sandbox up, which names its machine and the library that protects its memory',
  )
}

function refused(error: unknown): never {
  if (error instanceof LeaseRefused) throw new ServiceProblem(exitCodes.otherWorker, error.message)
  throw error
}
