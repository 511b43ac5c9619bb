import { resolve } from 'node:path'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { profileOf, type SelectableProfile } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { selectableProfiles } from '@sandbox-jobs/contract/resources/environments/selectable-profiles.ts'
import { type Command, Option } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { pushEnvironment } from '../../push/push-environment.ts'
import { behindText, tasksBehind } from '../../push/tasks-behind.ts'
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
    .description(
      'upload a folder with a Dockerfile, or an archive of it, and build a version of an environment from it',
    )
    .argument(
      '<path>',
      'folder with the Dockerfile (what .dockerignore names is not uploaded), or a zip, tar or tar.gz archive of it',
    )
    .requiredOption('--name <name>', 'environment; created if it does not exist')
    .option(
      '--department <department>',
      'owner of a new environment, by name or id (default: the company, or the only department you manage)',
    )
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
    .action((path: string, options: Options) =>
      withSession(options, (session) => push(session, path, options)),
    )

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

async function push(session: Session, path: string, options: Options): Promise<void> {
  const { report } = session
  const pushed = await pushEnvironment(session, resolve(path), options)
  const { environment, version, build } = pushed
  if (!pushed.isNew) {
    const text = `Nothing has changed: version ${version.version_number} (${version.id}) is ready.\n`
    return report.result(text, { environment, version, built: false })
  }
  if (build) {
    const text = `Version ${version.version_number} (${version.id}) is queued to be built.\n`
    return report.result(`${text}Watch it with: sandbox build watch ${version.id}\n`, { version, build })
  }
  const behind = await tasksBehind(session, environment.id, version.id)
  const event = {
    event: 'version',
    environment_id: environment.id,
    version,
    built: true,
    tasks_behind: behind,
  }
  report.result(`${readyText(options.name, version)}${behindText(behind)}`, event)
}

const readyText = (name: string, version: EnvironmentVersion): string =>
  `Version ${version.version_number} of ${escapeControls(name)} is ${version.state}: ${version.id}\n`
