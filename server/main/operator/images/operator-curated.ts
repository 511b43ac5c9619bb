import { sleep } from '../../../base/clock.ts'
import { endWaitingBuilds } from '../../../builds/attempts/cancel-builds.ts'
import { type AttemptEnd, findAttemptEnd } from '../../../builds/attempts/claims/attempt-end-store.ts'
import {
  type CuratedBuild,
  type Publication,
  publishCurated,
  readCuratedBuild,
} from '../../../builds/curated-builds.ts'
import type { CuratedEnvironment } from '../../../environments/catalogue/environment-store.ts'
import {
  archiveCuratedEnvironment,
  listCuratedEnvironments,
  type Publishing,
} from '../../../environments/operator/curated-environments.ts'
import { openStorage } from '../../../storage/open-storage.ts'
import { actOnService, type Outcome, onLocalService } from '../local-service.ts'

export type { CuratedBuild } from '../../../builds/curated-builds.ts'

type Refusal = Exclude<Awaited<ReturnType<typeof publishCurated>>, Publication>
export type Published = Publication & { end: AttemptEnd | undefined }

const pollMs = 250
const patienceMs = 60 * 60_000

/** Publishes a company's version to every company. With `wait` it returns when the build has ended. */
export const publishEnvironment = (
  publishing: Publishing,
  { wait }: { wait: boolean },
): Outcome<Published | Refusal> =>
  actOnService(
    { act: 'environment_publish', subject: publishing.name, details: publishing },
    async ({ db, config }) => {
      const publication = await publishCurated(db, config.deployment, publishing)
      if (typeof publication === 'string') return publication
      let end: AttemptEnd | undefined
      for (const until = performance.now() + patienceMs; wait && !end && performance.now() < until; ) {
        await sleep(pollMs)
        end = await findAttemptEnd(db, publication.attemptId)
      }
      return { ...publication, end }
    },
  )

export const readCuratedEnvironments = (): Outcome<CuratedEnvironment[]> =>
  onLocalService(({ db }) => listCuratedEnvironments(db))

/** How the last build of a curated version ended; undefined: no such version. */
export const readCuratedBuildOf = (versionId: string): Outcome<CuratedBuild | undefined> =>
  onLocalService(async ({ db, config }) =>
    readCuratedBuild({ db, storage: await openStorage(config) }, versionId),
  )

/** False: there is no active environment of that name. */
export const archiveEnvironment = (name: string): Outcome<boolean> =>
  actOnService({ act: 'environment_archive', subject: name }, ({ db }) =>
    archiveCuratedEnvironment(db, name, endWaitingBuilds),
  )
