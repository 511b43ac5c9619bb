import type { BuildProfile } from '@sandbox-jobs/contract/resources/profile.ts'
import type { BuildCache } from '@sandbox-jobs/contract/resources/version-build-cache.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/version-isolation.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { EnvironmentVersionState } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/logging.ts'
import type { SigningKeys } from '../../base/signing-keys.ts'
import type { Database } from '../../db/database.ts'
import type { ImageConfig } from '../../db/tables/environments.ts'
import type { ChainStage } from '../../environments/build-stages.ts'
import type { RunnerReleases } from '../../environments/runner-releases.ts'
import type { Executor, Runner } from '../../executor/port.ts'
import type { LogOffers } from '../../live-logs/log-offers.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { ArchiveFormat } from '../archive/archive.ts'
import type { RegistrySettings } from '../bases/registries.ts'
import type { PulledBase } from '../bases/take-bases.ts'
import type { ReusedImage } from '../cache/reuse-image.ts'
import type { Keeping } from '../chain-progress.ts'
import type { PrefixPoint } from '../dockerfile/prefix-points.ts'
import type { Attachment, ImageDocuments, Layer } from '../image-documents.ts'
import type { TakenPrefix } from '../prefixes/kept-prefix.ts'
import type { NamedDigest } from '../provenance/statement.ts'
import type { ArchiveReaders } from '../reader/archive-readers.ts'
import type { ScanResult } from '../scan/scan-result.ts'

/** What a build starts from: the row of its attempt, its version and the archive, if one is bound. */
export interface BuildOrder {
  attemptId: string
  companyId: string
  startedAt: Date
  versionId: string
  environmentId: string
  buildRegion: string
  buildProfile: BuildProfile
  resourceProfile: string
  isolation: Isolation
  /** What it may take from earlier builds. */
  cache: BuildCache
  context: { key: string; format: ArchiveFormat; byteSize: number; digest: string } | undefined
}

/** What the steps found out so far. A step that is repeated after a restart finds the same again. */
export interface BuildFindings {
  canonicalDigest?: string
  /** Registry references that the Dockerfile starts from. */
  bases?: string[]
  /** What of the Dockerfile may be kept between builds. */
  points?: PrefixPoint[]
  /** What earlier builds made of it, and this one takes. */
  prefixes?: TakenPrefix[]
  /** In which this attempt had the beginning built by itself. */
  prefixSandbox?: string
  /** Bytes of a log that its builder was given to print first. */
  printedBytes?: number
  /** Those of them that came out of registries. */
  pulled?: PulledBase[]
  /** Base images as they were when the build began, and what built on them. */
  baseImages?: NamedDigest[]
  builderVersion?: string
  /** What the image is remembered by once it is ready, and the base images that this was reckoned from. */
  cacheEntry?: { key: string; baseImages: NamedDigest[]; toolchainDigest: string }
  /** Set where no builder ran. */
  reused?: ReusedImage
  layer?: Layer
  unpackedBytes?: number
  imageConfig?: ImageConfig
  /** What the image was started on. */
  runner?: Runner
  image?: ImageDocuments
  signature?: Attachment
  provenance?: Attachment
  promotedDigest?: string
  composedDigest?: string
  runnerRelease?: string
  scan?: ScanResult
}

export interface BuildTools {
  storage: ObjectStorage
  executor: Executor
  readers: ArchiveReaders
  /** Where base images may come from. */
  registries: RegistrySettings
  log: Log
  /** Through which what a build prints is followed. */
  liveLogs: Pick<LogOffers, 'offer' | 'wanted'>
  clock: Clock
  /** Signs what was built; it never leaves the worker. */
  signing: Pick<SigningKeys, 'sign' | 'trusted'>
  runners: Pick<RunnerReleases, 'record'>
  /** Who builds: the deployment by its address, the release of the service, and the digest of its own part in it. */
  builder: { id: string; release: string; programDigest: string }
}

export interface Build {
  order: BuildOrder
  findings: BuildFindings
  tools: BuildTools
  db: Database
  /** Has written what a step leaves in the database, under the claim, by the time that the next steps are told. */
  keep: (work: Keeping) => void
  /** Fires when the attempt is to end: cancelled, or taken over by another worker. */
  signal: AbortSignal
}

/**
 * One stage of the chain. `run` is idempotent: it may have been cut off at any point and is then run again from
 * its start, by the same worker or another.
 */
export interface BuildStep {
  stage: ChainStage
  /** States that attempt and version pass through, in order, when the step begins. */
  attemptStates: readonly BuildAttemptState[]
  versionStates: readonly EnvironmentVersionState[]
  run(build: Build): Promise<void>
}

/** A finding of an earlier step; its absence is a broken chain. */
export function found<K extends keyof BuildFindings>(build: Build, name: K): NonNullable<BuildFindings[K]> {
  const value = build.findings[name]
  if (value === undefined) throw new Error(`the chain has not found ${name}`)
  return value
}
