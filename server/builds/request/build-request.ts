import type { BuildProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { BuildCache } from '@sandbox-jobs/contract/resources/environments/version-build-cache.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { ArchiveFormat, ArchiveSource } from '../../../reader/formats/archive.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { BuildFailed } from './build-failed.ts'

/** The input of a build, from the rows of its attempt, its version and the bound archive. */
export interface BuildRequest {
  attemptId: string
  companyId: string
  startedAt: Date
  versionId: string
  environmentId: string
  buildRegion: string
  buildProfile: BuildProfile
  resourceProfile: string
  isolation: Isolation
  /** Results that the build may reuse from earlier builds. */
  cache: BuildCache
  context: BoundContext | undefined
}

/** An uploaded archive. */
interface BoundContext {
  key: string
  format: ArchiveFormat
  byteSize: number
  digest: string
  uploadedAt: Date
}

/** The archive of a build as a source for readers. Throws `context_invalid` when the version has none. */
export function contextSource({ context }: BuildRequest, storage: ObjectStorage): ArchiveSource {
  if (!context) throw new BuildFailed('context_invalid', 'context_missing')
  return { byteSize: context.byteSize, open: (range) => storage.get(context.key, range) }
}

export const formatOf = ({ context }: BuildRequest): ArchiveFormat => context?.format ?? 'tar'
