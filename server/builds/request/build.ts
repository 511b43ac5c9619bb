import type { Executor } from '../../../agent/port/executor.ts'
import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'
import type { Clock } from '../../base/clock.ts'
import type { SigningKeys } from '../../base/keys/signing-keys.ts'
import type { Log } from '../../base/logging.ts'
import type { Database, Trx } from '../../db/database.ts'
import type { RunnerReleases } from '../../environments/operator/runner-releases.ts'
import type { RegistrySettings } from '../../images/registries.ts'
import type { StoredDigests } from '../../images/stored-digests.ts'
import type { LogSources } from '../../live-logs/log-sources.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { AttemptColumns } from '../attempts/claims/attempt-progress-store.ts'
import type { BuildNetworkSettings } from '../network/build-network.ts'
import type { BuildFailed } from './build-failed.ts'
import type { BuildRequest } from './build-request.ts'

/** Writes rows of a step, and returns the columns of the attempt that refer to them. */
export type StepWrite = (trx: Trx) => Promise<AttemptColumns>

/** The context of every step, in addition to the values of earlier steps. */
export interface Build {
  request: BuildRequest
  tools: BuildTools
  db: Database
  /** Writes rows of a step under the claim, at the latest with the start of the next stage. */
  write: (work: StepWrite) => void
  /** Fires when the attempt is cancelled, or taken over by another worker. */
  signal: AbortSignal
}

/** The context of `undo`. */
export interface FailedBuild extends Pick<Build, 'request' | 'tools' | 'db'> {
  failure: BuildFailed
  /** Runs `work` in a transaction that holds the claim, so that nothing of a later worker is deleted. */
  whileClaimed: (work: () => Promise<void>) => Promise<void>
}

export interface BuildTools {
  storage: ObjectStorage
  /** Of the same storage. */
  digests: StoredDigests
  executor: Executor
  readers: ArchiveReaders
  /** Registries that base images may be pulled from. */
  registries: RegistrySettings
  /** Destinations that build steps may reach. */
  network: BuildNetworkSettings
  log: Log
  /** Offers live logs to followers. */
  liveLogs: Pick<LogSources, 'register' | 'onRequested'>
  clock: Clock
  /** Signs images. The key never leaves the worker. */
  signing: Pick<SigningKeys, 'sign' | 'trusted'>
  runners: Pick<RunnerReleases, 'record'>
  /** The builder's identity: the deployment's address, the release, and the digest of the code that builds. */
  builder: { id: string; release: string; programDigest: string }
}
