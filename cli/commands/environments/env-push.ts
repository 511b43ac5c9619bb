import { basename, resolve } from 'node:path'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { BuildAttempt } from '@sandbox-jobs/contract/resources/builds/build-attempt.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import {
  profileOf,
  type SelectableProfile,
  selectableProfiles,
} from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bytesText } from '../../output/sizes.ts'
import { ensureEnvironment } from '../../push/ensure-environment.ts'
import { type PackedContext, packContext } from '../../push/pack-context.ts'
import { uploadContext } from '../../push/upload-context.ts'
import { watchBuild } from '../../push/watch-build.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  name: string
  department?: string
  profile: SelectableProfile
  follow?: boolean
  cache: boolean
  wait: boolean
}

export const envPushCommand = (): Command =>
  serviceCommand('push')
    .description('upload a folder with a Dockerfile, and build a version of an environment from it')
    .argument('<dir>', 'folder with the Dockerfile; .git is not uploaded')
    .requiredOption('--name <name>', 'environment; created if it does not exist')
    .option('--department <department>', 'owner of a new environment (default: the company)')
    .addOption(
      new Option('--profile <profile>', 'resources of the runs')
        .choices(selectableProfiles)
        .default('standard'),
    )
    .option('-f, --follow', 'also show the log of the build')
    .option('--no-cache', 'run every build step again, without cached layers')
    .option('--no-wait', 'queue the build and return')
    .addHelpText(
      'after',
      `\nProfiles:\n${profileLines()}\n` +
        'A run ends as out_of_memory when its programs and its files together take more than the last number.\n' +
        '\nExits with 1 if the build fails, and says what to change in the Dockerfile.\n' +
        '\nExample:\n  sandbox env push examples/sales-report --name sales-report',
    )
    .action((dir: string, options: Options) => withSession(options, (session) => push(session, dir, options)))

/** The guaranteed and the enforced resources of each profile. */
const profileLines = (): string =>
  selectableProfiles
    .map((id) => {
      const {
        vcpu,
        customer_memory_mib: memory,
        workspace_mib: files,
        provider_memory_mib: all,
      } = profileOf(id)
      return `  ${id}: ${vcpu} vcpu, ${memory} MiB for programs, ${files} MiB for files, ${all} MiB for all`
    })
    .join('\n')

async function push(session: Session, dir: string, options: Options): Promise<void> {
  const packed = await packContext(resolve(dir))
  try {
    session.report.progress(
      `packed ${packed.files} file${packed.files === 1 ? '' : 's'}, ${bytesText(packed.byteSize)}`,
    )
    const environment = await ensureEnvironment(session, options)
    const same = options.cache
      ? await readyVersionOf(session, environment.id, packed, options.profile)
      : undefined
    if (same) {
      const text = `Nothing has changed: version ${same.version_number} (${same.id}) is ready.\n`
      return session.report.result(text, { environment, version: same, built: false })
    }
    await build(session, { environmentId: environment.id, packed, label: basename(resolve(dir)), options })
  } finally {
    await packed.remove()
  }
}

/** A usable version that was built from exactly these bytes. */
async function readyVersionOf(
  { client }: Session,
  id: string,
  packed: PackedContext,
  profile: SelectableProfile,
) {
  const versions = await allPages((query) =>
    client.call(allRoutes.listEnvironmentVersions, { params: { id }, query }),
  )
  return versions.find(
    (version) =>
      version.state === 'ready' &&
      version.source_digest === packed.digest &&
      version.resource_profile === profile,
  )
}

interface BuildPlan {
  environmentId: string
  packed: PackedContext
  label: string
  options: Options
}

async function build(session: Session, { environmentId, packed, label, options }: BuildPlan): Promise<void> {
  const { client, report } = session
  const id = environmentId
  const object = await uploadContext(session, id, packed)
  const version = await client.call(allRoutes.createEnvironmentVersion, {
    params: { id },
    body: { owned_object_id: object.owned_object_id, source_ref: label, resource_profile: options.profile },
  })
  if (!options.cache) {
    const params = { id, vid: version.id }
    await client.call(allRoutes.changeVersionBuildCache, { params, body: { cache: 'none' } })
  }
  const attempt = await queued(session, { id, vid: version.id })
  if (!options.wait) {
    const text = `Version ${version.version_number} (${version.id}) is queued to be built.\n`
    return report.result(`${text}Watch it with: sandbox build watch ${version.id}\n`, {
      version,
      build: attempt,
    })
  }
  await watchBuild(session, { id, vid: version.id, aid: attempt.id }, options)
  const ready = await client.call(allRoutes.readEnvironmentVersion, { params: { id, vid: version.id } })
  const event = { event: 'version', environment_id: id, version: ready, built: true }
  report.result(readyText(options.name, ready), event)
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

const readyText = (name: string, version: EnvironmentVersion): string =>
  `Version ${version.version_number} of ${escapeControls(name)} is ${version.state}: ${version.id}\n`
