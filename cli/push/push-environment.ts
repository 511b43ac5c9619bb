import { basename } from 'node:path'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { Environment } from '@sandbox-jobs/contract/resources/environments/environment.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import type { SelectableProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import { bytesText } from '../output/sizes.ts'
import type { Session } from '../session/session.ts'
import type { BuildReference } from './build-reference.ts'
import { type ContextArchive, isFile, readContextArchive } from './context-archive.ts'
import { ensureEnvironment } from './ensure-environment.ts'
import { type PackedContext, packContext } from './pack-context.ts'
import { uploadContext } from './upload-context.ts'
import { watchBuild } from './watch-build.ts'

export interface PushPlan {
  /** Environment; created if it does not exist. */
  name: string
  /** Owner of a new environment; absent: the company. */
  department?: string
  /** Owner of its task, where that has one. */
  taskDepartment?: string
  profile: SelectableProfile
  /** Also shows the log of the build. */
  follow?: boolean
  /** False: every build step runs again. */
  cache: boolean
  /** False: the build is queued only. */
  wait: boolean
  /** Hears of a build before it is waited for. */
  onBuild?: (build: BuildReference) => void
}

export interface Pushed {
  environment: Environment
  version: EnvironmentVersion
  /** False if a ready version of the same files was there already. */
  isNew: boolean
  /** The queued build, if it is not waited for. */
  build?: BuildAttempt
}

/**
 * Uploads a folder with a Dockerfile, or an archive of one, and builds a version from it, unless a version of the same bytes is
 * ready.
 */
export async function pushEnvironment(session: Session, path: string, plan: PushPlan): Promise<Pushed> {
  const label = basename(path)
  if (await isFile(path))
    return pushArchive(session, { archive: await readContextArchive(path), label, plan })
  const packed = await packContext(path)
  try {
    for (const line of packedLines(packed)) session.report.progress(line)
    return await pushArchive(session, { archive: packed, label, plan })
  } finally {
    await packed.remove()
  }
}

interface Push {
  archive: ContextArchive
  label: string
  plan: PushPlan
}

async function pushArchive(session: Session, { archive, label, plan }: Push): Promise<Pushed> {
  const environment = await ensureEnvironment(session, plan)
  const same = plan.cache ? await readyVersionOf(session, environment.id, archive, plan.profile) : undefined
  if (same) return { environment, version: same, isNew: false }
  return { environment, ...(await build(session, { environment, archive, label, plan })) }
}

function packedLines({ files, byteSize, leftOut, historyBytes }: PackedContext): string[] {
  const { ignoreFile, count } = leftOut
  const left = count === 0 ? '' : `; ${ignoreFile} leaves out ${count} ${count === 1 ? 'entry' : 'entries'}`
  const history = `with .git, ${bytesText(historyBytes)} of history and settings: a line .git in .dockerignore leaves it out`
  return [
    `packed ${files} file${files === 1 ? '' : 's'}, ${bytesText(byteSize)}${left}`,
    ...(historyBytes > 0 ? [history] : []),
  ]
}

/** A usable version that was built from exactly these bytes. */
async function readyVersionOf(
  { client }: Session,
  id: string,
  archive: ContextArchive,
  profile: SelectableProfile,
): Promise<EnvironmentVersion | undefined> {
  const versions = await allPages((query) =>
    client.call(allRoutes.listEnvironmentVersions, { params: { id }, query }),
  )
  return versions.find(
    (version) =>
      version.state === 'ready' &&
      version.source_digest === archive.digest &&
      version.resource_profile === profile,
  )
}

async function build(
  session: Session,
  { environment, archive, label, plan }: Push & { environment: Environment },
) {
  const { client } = session
  const { id } = environment
  const object = await uploadContext(session, id, archive)
  const version = await client.call(allRoutes.createEnvironmentVersion, {
    params: { id },
    body: { owned_object_id: object.owned_object_id, source_ref: label, resource_profile: plan.profile },
  })
  if (!plan.cache) {
    const params = { id, vid: version.id }
    await client.call(allRoutes.changeVersionBuildCache, { params, body: { cache: 'none' } })
  }
  const attempt = await queued(session, { id, vid: version.id })
  if (!plan.wait) return { version, isNew: true, build: attempt }
  const reference = { id, vid: version.id, aid: attempt.id }
  plan.onBuild?.(reference)
  await watchBuild(session, reference, plan)
  const ready = await client.call(allRoutes.readEnvironmentVersion, { params: { id, vid: version.id } })
  return { version: ready, isNew: true }
}

/** A version whose build is refused is archived, so that it does not count against the company's version limit. */
async function queued({ client }: Session, params: { id: string; vid: string }): Promise<BuildAttempt> {
  try {
    return await client.call(allRoutes.createBuild, { params })
  } catch (error) {
    const isRefused = error instanceof ApiError
    if (isRefused) await client.call(allRoutes.archiveEnvironmentVersion, { params }).catch(() => undefined)
    throw error
  }
}
