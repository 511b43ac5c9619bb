import { sleep } from '../base/clock.ts'
import { type AttemptEnd, findAttemptEnd } from '../builds/attempt-store.ts'
import { type Publication, publishCurated } from '../builds/publish-curated.ts'
import {
  archiveCuratedEnvironment,
  listCuratedEnvironments,
  type Publishing,
  type PublishingRefusal,
} from '../environments/curated-environments.ts'
import type { CuratedEnvironment } from '../environments/environment-store.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

export type Published = Publication & { end: AttemptEnd | undefined }

const pollMs = 250
const patienceMs = 60 * 60_000

/** Publishes a company's version to every company. With `wait` it answers when the version is built, or cannot be. */
export const publishEnvironment = (
  publishing: Publishing,
  { wait }: { wait: boolean },
): Outcome<Published | PublishingRefusal> =>
  onLocalService(async ({ db, config }) => {
    const publication = await publishCurated(db, config.deployment, publishing)
    if (typeof publication === 'string') return publication
    let end: AttemptEnd | undefined
    for (const until = performance.now() + patienceMs; wait && !end && performance.now() < until; ) {
      await sleep(pollMs)
      end = await findAttemptEnd(db, publication.attemptId)
    }
    return { ...publication, end }
  })

export const readCuratedEnvironments = (): Outcome<CuratedEnvironment[]> =>
  onLocalService(({ db }) => listCuratedEnvironments(db))

/** False: there is no active one of that name. */
export const archiveEnvironment = (name: string): Outcome<boolean> =>
  onLocalService(({ db }) => archiveCuratedEnvironment(db, name))
