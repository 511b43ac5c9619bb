import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { EnvironmentId, EnvironmentVersionId } from '../../identifiers.ts'
import { Count, DateTime, Nullable, OneOf, Ordinal } from '../../schema.ts'
import { environmentVersionStates } from '../../states/environment-version-states.ts'

/**
 * Why the image of a version stays: it can be run or is being built in an active environment, published versions of tasks use
 * it, runs that have not ended use it; `retention`: nothing, and it goes when its time is over.
 */
export const versionUses = ['environment', 'tasks', 'runs', 'retention'] as const

/** Data that a version keeps on disk (extension). */
export const KeptVersion = Type.Object({
  environment_id: EnvironmentId,
  environment_name: about('Name of the environment.', Type.String(), 'sales-report'),
  version_id: EnvironmentVersionId,
  version_number: about('Number of the version in its environment.', Ordinal, 3),
  state: about('Where the version is in its life.', OneOf(environmentVersionStates), 'ready'),
  image_bytes: about('Bytes of its image; versions with the same image share them.', Count, 41_943_040),
  archive_bytes: about('Bytes of the archive that it is built from; versions may share one.', Count, 20_480),
  kept_by: about('Uses that keep them.', Type.Array(OneOf(versionUses)), ['environment', 'tasks']),
  tasks: about('Names of at most ten of the tasks that use it.', Type.Array(Type.String()), ['sales-report']),
  removed_after: about('When the image may be removed; null while something uses it.', Nullable(DateTime)),
})
export type KeptVersion = Static<typeof KeptVersion>

export const KeptVersionList = Type.Object({
  items: about('The versions that keep the most, at most 200, largest first.', Type.Array(KeptVersion)),
})
export type KeptVersionList = Static<typeof KeptVersionList>
