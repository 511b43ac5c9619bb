import type { Executor } from '../../../agent/port/executor.ts'
import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'
import type { Clock } from '../../base/clock.ts'
import type { SigningKeys } from '../../base/keys/signing-keys.ts'
import type { Log } from '../../base/logging.ts'
import type { RunnerReleases } from '../../environments/operator/runner-releases.ts'
import type { RegistrySettings } from '../../images/registries.ts'
import type { StoredDigests } from '../../images/stored-digests.ts'
import type { LogSources } from '../../live-logs/log-sources.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { BuildNetworkSettings } from '../network/build-network.ts'

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
