import { timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import {
  defaultProfile,
  type SelectableProfile,
  selectableProfiles,
} from '@sandbox-jobs/contract/resources/environments/profile.ts'
import { CliError, exitCodes } from '../failure.ts'

/** JSON that stands in the task file itself, as YAML. */
export type Inline = Record<string, unknown> | unknown[]

export interface BuildSection {
  /** Folder with the Dockerfile, relative to the task file. */
  folder: string
  profile: SelectableProfile
  /** Owner of a new environment; absent: the company. */
  department?: string
}

/** A task file, as its author keeps it next to the scripts. Paths are relative to the file. */
export interface TaskFile {
  name: string
  description: string
  /** Owner, by name or id; absent: the company. */
  department?: string
  /** By name or id. */
  environment: string
  /** What `sandbox deploy` builds the environment from; absent if the file only names one. */
  build?: BuildSection
  /** Absent: the current version of the environment. */
  environment_version?: string
  startup_script?: string
  work_script: string
  work_command?: string
  ordinary_env?: Record<string, string>
  /** A file, or the schema itself. */
  input_schema?: string | Inline
  input_example?: string | Inline
  input_instructions?: string
  /** Names of environment variables whose values are secrets: `sandbox secret set`. */
  secret_slots: string[]
  timeout_seconds: number
  requires_confirmation: boolean
  share: { company: boolean; departments: string[]; rooms: string[] }
  /** Rooms in which the task is enabled. */
  enable: string[]
}

const texts = [
  'environment_version',
  'department',
  'startup_script',
  'work_command',
  'input_instructions',
] as const
const documents = ['input_schema', 'input_example'] as const
const known = new Set<string>([
  'name',
  'description',
  'environment',
  'work_script',
  'ordinary_env',
  'timeout_seconds',
  'requires_confirmation',
  'secret_slots',
  'share',
  'enable',
  ...texts,
  ...documents,
])

/** Validates a task file. Throws one error with all problems. */
export function checkTaskFile(content: unknown, file: string): TaskFile {
  const problems: string[] = []
  const given = isRecord(content) ? content : {}
  if (!isRecord(content)) problems.push('it must hold fields, such as name: sales-report')
  for (const key of Object.keys(given)) if (!known.has(key)) problems.push(`there is no field ${key}`)
  const read = reader(given, problems)
  const task: TaskFile = {
    name: read.text('name') ?? problem(problems, 'name is missing'),
    description: read.text('description') ?? '',
    ...readEnvironment(given, problems),
    work_script: read.text('work_script') ?? problem(problems, 'work_script is missing'),
    timeout_seconds: read.whole('timeout_seconds') ?? timeoutDefaultSeconds,
    requires_confirmation: read.flag('requires_confirmation') ?? false,
    secret_slots: read.list('secret_slots'),
    share: readShare(given.share, problems),
    enable: read.list('enable'),
  }
  for (const key of texts) {
    const text = read.text(key)
    if (text !== undefined) task[key] = text
  }
  for (const key of documents) {
    const document = read.document(key)
    if (document !== undefined) task[key] = document
  }
  const env = read.env('ordinary_env')
  if (env) task.ordinary_env = env
  if (problems.length > 0) throw wrongFile(file, problems)
  return task
}

/** The name of an environment, or a section that says how it is built; its name is then by default that of the task. */
function readEnvironment(
  given: Record<string, unknown>,
  problems: string[],
): Pick<TaskFile, 'environment' | 'build'> {
  const { environment: section, name } = given
  if (!isRecord(section)) {
    const named = reader(given, problems).text('environment')
    return { environment: named ?? problem(problems, 'environment is missing') }
  }
  for (const key of Object.keys(section)) {
    if (!['name', 'folder', 'profile', 'department'].includes(key))
      problems.push(`there is no field environment.${key}`)
  }
  const read = reader(section, problems, 'environment.')
  const profile = read.text('profile') ?? defaultProfile
  const department = read.text('department')
  return {
    environment: read.text('name') ?? String(name),
    build: {
      folder: read.text('folder') ?? '.',
      profile: isSelectable(profile)
        ? profile
        : problem(problems, `environment.profile must be one of: ${selectableProfiles.join(', ')}`),
      ...(department !== undefined && { department }),
    },
  }
}

const isSelectable = (profile: string): profile is SelectableProfile =>
  (selectableProfiles as readonly string[]).includes(profile)

function readShare(share: unknown, problems: string[]): TaskFile['share'] {
  if (share === undefined || share === null) return { company: false, departments: [], rooms: [] }
  if (!isRecord(share)) return problem(problems, 'share must hold company, departments or rooms')
  for (const key of Object.keys(share)) {
    if (!['company', 'departments', 'rooms'].includes(key)) problems.push(`there is no field share.${key}`)
  }
  const read = reader(share, problems, 'share.')
  return {
    company: read.flag('company') ?? false,
    departments: read.list('departments'),
    rooms: read.list('rooms'),
  }
}

/** Reads fields of one object and records those of a wrong type. */
function reader(given: Record<string, unknown>, problems: string[], prefix = '') {
  const field = <T>(
    key: string,
    expected: string,
    isRight: (value: unknown) => value is T,
  ): T | undefined => {
    const value = given[key]
    if (value === undefined || value === null) return undefined
    return isRight(value) ? value : problem(problems, `${prefix}${key} must be ${expected}`)
  }
  return {
    text: (key: string) => field(key, 'text', isFilledText),
    document: (key: string) => field(key, 'the name of a file, or JSON', isDocument),
    flag: (key: string) => field(key, 'true or false', (value) => typeof value === 'boolean'),
    whole: (key: string) => field(key, 'a whole number of at least 1', isOrdinal),
    list: (key: string) => field(key, 'a list of names', isTextList) ?? [],
    env: (key: string) => field(key, 'NAME: text pairs (numbers in quotes)', isTextRecord),
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isDocument = (value: unknown): value is string | Inline =>
  isFilledText(value) || (typeof value === 'object' && value !== null)
const isOrdinal = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 1
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isFilledText)
const isTextRecord = (value: unknown): value is Record<string, string> =>
  isRecord(value) && Object.values(value).every((item) => typeof item === 'string')

/** Records a problem. The returned value is never used, because every problem ends in an error. */
function problem(problems: string[], text: string): never {
  problems.push(text)
  return undefined as never
}

export const wrongFile = (file: string, problems: string[]) =>
  new CliError(`${file} cannot be used:\n  ${problems.join('\n  ')}`, {
    hint: 'examples/sales-report/task.yaml shows a complete one.',
    code: 'cli_task_file',
    exitCode: exitCodes.usage,
  })
