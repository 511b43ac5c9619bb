import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { envNamePattern, reservedEnvPrefix } from '@sandbox-jobs/contract/limits.ts'
import type { JobIdentity } from '@sandbox-jobs/contract/resources/environments/job-prelude.ts'
import { defaultProfile, profiles } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { driverOf } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import { CliError, exitCodes } from '../failure.ts'
import { buildFolder, readTaskFile, type TaskSource } from '../publish/read-task-file.ts'
import type { ImageSource } from './engines/engine.ts'

export interface WantedImage {
  image?: string
  rootfs?: string
}

/** A task of this machine's files, as a run needs it. */
export interface LocalTask {
  name: string
  source: ImageSource
  startupScript: string
  workScript: string
  driver: string
  env: Record<string, string>
  /** Values of the declared slots, from this command's own environment. */
  secrets: Record<string, string>
  /** Slots without a value there. */
  missingSecrets: string[]
  identity: JobIdentity
  /** Null without a schema, and without an example. */
  inputSchema: string | null
  inputExample: string | null
  timeoutSeconds: number
  profile: (typeof profiles)[number]
}

/** Reads the task in a folder, or of a task file. Throws an error that names the problem. */
export async function readLocalTask(given: string, wanted: WantedImage): Promise<LocalTask> {
  const isFolder = (await stat(given).catch(() => undefined))?.isDirectory() === true
  const file = isFolder ? join(given, 'task.yaml') : given
  const source = await readTaskFile(file)
  const { task } = source
  const slots = task.secret_slots.map((name) => [name, process.env[name]] as const)
  const profile = profiles.find(({ id }) => id === (task.build?.profile ?? defaultProfile))
  if (!profile) throw new Error('there is no default profile')
  return {
    name: task.name,
    source: await imageOf(file, source, wanted),
    startupScript: source.startupScript,
    workScript: source.workScript,
    driver: driverOf(task.work_command ?? null),
    env: Object.fromEntries(Object.entries(task.ordinary_env ?? {}).filter(([name]) => isExportable(name))),
    secrets: Object.fromEntries(slots.filter((slot): slot is [string, string] => slot[1] !== undefined)),
    missingSecrets: slots.filter(([, value]) => value === undefined).map(([name]) => name),
    identity: localIdentity(),
    inputSchema: source.inputSchema,
    inputExample: source.inputExample,
    timeoutSeconds: task.timeout_seconds,
    profile,
  }
}

const namePattern = new RegExp(envNamePattern)
const isExportable = (name: string): boolean => namePattern.test(name) && !name.startsWith(reservedEnvPrefix)

/** Ids in the form of those of the service, of things that it does not have. */
function localIdentity(): JobIdentity {
  const idOf = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`
  return { runId: idOf('run'), chatroomId: idOf('roo'), taskId: idOf('tsk'), taskVersionId: idOf('tvr') }
}

async function imageOf(
  file: string,
  { task }: TaskSource,
  { image, rootfs }: WantedImage,
): Promise<ImageSource> {
  if (image !== undefined) return { kind: 'image', name: image }
  if (rootfs !== undefined) return { kind: 'rootfs', path: rootfs }
  if (task.build) return { kind: 'folder', path: await buildFolder(file, task.build.folder) }
  const beside = dirname(resolve(file))
  if (await stat(join(beside, 'Dockerfile')).catch(() => undefined)) return { kind: 'folder', path: beside }
  throw new CliError(
    `${file} names no folder that the environment is built from, and has no Dockerfile beside it.`,
    {
      hint: 'Name an image with --image, or a folder with the files of one with --rootfs.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    },
  )
}
