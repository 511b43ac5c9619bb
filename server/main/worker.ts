import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { bootId, type Machine } from '../base/machine-id.ts'
import { SigningKeys, signingKeysFolder } from '../base/signing-keys.ts'
import { buildSlots } from '../builds/build-slots.ts'
import { BuildWorker } from '../builds/build-worker.ts'
import { programDigest } from '../builds/cache/program-digest.ts'
import { StoredImages } from '../builds/stored-images.ts'
import { awaitSchema } from '../db/await-schema.ts'
import { connect } from '../db/database.ts'
import { sweepEnvironments } from '../environments/environment-sweep.ts'
import { RunnerReleases } from '../environments/runner-releases.ts'
import { AgentClient } from '../executor/oci/client.ts'
import { liveLogWriter } from '../live-logs/live-log-writer.ts'
import { LogOffers } from '../live-logs/log-offers.ts'
import manifest from '../package.json' with { type: 'json' }
import { startLoop } from '../queue/loop.ts'
import { MachineRefused, takeMachineLease } from '../queue/machine-lease.ts'
import { queuePolicy } from '../runs/queue-policy.ts'
import { memoryForBuildsMib, placesOf } from '../runs/run-places.ts'
import { postgresRunQueue } from '../runs/run-queue.ts'
import { RunWorker } from '../runs/run-worker.ts'
import { noteDefaultBytes } from '../settings/storage-quota.ts'
import { DiskStorage } from '../storage/disk.ts'
import { sweepTaskUploads } from '../tasks/upload-sweep.ts'
import { startRetentionLoops } from './retention-loops.ts'
import { readersOfRole } from './role-readers.ts'
import { runRole } from './run-role.ts'
import { exitCodes, ServiceProblem } from './supervisor/service-problem.ts'

const { values } = parseArgs({
  options: { machine: { type: 'string' }, folder: { type: 'string' }, readers: { type: 'string' } },
})
const dayMs = 86_400_000

/**
 * The worker: takes runs and builds from the queue to their end. The supervisor, which may read the host agent's folder,
 * tells it with `--machine` and `--folder` which machine it works for.
 */
await runRole('worker', async (config, log) => {
  const { databaseUrl, deployment } = config
  const db = connect(databaseUrl, { poolSize: config.databasePoolSize, log, name: 'worker' })
  await awaitSchema(db, log)
  const machine = givenMachine()
  const place = `${hostname()}:${config.dataDir}`
  const lease = await takeMachineLease({ db, machine, boot: bootId(), place, log }).catch(refused)
  void lease.lost.then((why) => {
    // At once, as if it had died: whoever has the lease must find nobody at work.
    log.fatal(why)
    process.exit(exitCodes.otherMachine)
  })
  await noteDefaultBytes(db, config)

  const storage = new DiskStorage(join(config.dataDir, 'objects'), config.diskFloorBytes)
  await storage.removeAbandoned()
  const executor = new AgentClient(config.agentSocket)
  const signing = new SigningKeys(signingKeysFolder(config.dataDir))
  // Made now when there is none: the API shows its public part, and cannot make it.
  signing.list()
  // After a restart it finds what it held by this name.
  const name = machine.id

  const places = placesOf(config)
  const runs = new RunWorker({
    runs: postgresRunQueue(db, databaseUrl, log),
    executor,
    storage,
    images: new StoredImages({ storage, signing, clock: systemClock }),
    log,
    name,
    places,
    egressCapBytes: config.runtimeEgress ? config.runEgressCapBytes : undefined,
    companyConcurrency: queuePolicy(deployment, places).companyConcurrency,
  })
  const builds = new BuildWorker({
    db,
    databaseUrl,
    tools: {
      storage,
      executor,
      readers: readersOfRole(log, values.readers),
      registries: config,
      log,
      liveLogs: new LogOffers({ executor, write: liveLogWriter(db), log }),
      clock: systemClock,
      signing,
      runners: new RunnerReleases(db, config.runnerApproval),
      builder: {
        id: config.baseUrl,
        release: manifest.version,
        programDigest: programDigest(manifest.version),
      },
    },
    share: buildSlots({ slots: config.buildSlots, memoryMib: memoryForBuildsMib(places) }),
    name,
  })
  await runs.start()
  await builds.start()
  const sweep = startLoop({
    name: 'environments',
    everyMs: 60_000,
    runOnce: () => sweepEnvironments({ db, storage, log }),
    log,
  })
  const uploads = startLoop({
    name: 'task uploads',
    everyMs: 60_000,
    runOnce: () => sweepTaskUploads({ db, storage, log }),
    log,
  })
  const residue = [
    // Another process that was killed does not wait for this one to start again.
    startLoop({
      name: 'abandoned parts',
      everyMs: 600_000,
      runOnce: async () => ({ removed: await storage.removeAbandonedParts() }),
      log,
    }),
    startLoop({
      name: 'empty folders',
      everyMs: dayMs,
      runOnce: async () => ({ removed: await storage.removeEmptyFolders() }),
      log,
    }),
  ]
  const retention = startRetentionLoops({ db, storage, executor, clock: systemClock, log })
  return {
    stop: async () => {
      // They may walk for long, and hold nothing that has to end well.
      for (const loop of residue) void loop.stop()
      await Promise.all([runs, builds, sweep, uploads, retention].map((part) => part.stop()))
      await lease.release()
      await db.destroy()
    },
  }
})

function givenMachine(): Machine {
  const { machine: id, folder } = values
  if (id && folder) return { id, folder }
  throw new ServiceProblem(
    exitCodes.configuration,
    'the worker is started by sandbox up, which names its machine',
  )
}

function refused(error: unknown): never {
  if (error instanceof MachineRefused) throw new ServiceProblem(exitCodes.otherMachine, error.message)
  throw error
}
