import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { timeoutDefaultSeconds } from '@sandbox-jobs/contract/limits.ts'
import {
  defaultProfile,
  type SelectableProfile,
} from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { OutputPolicy } from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type { MissedPolicy } from '@sandbox-jobs/contract/resources/schedules/missed-policy.ts'
import { taskFileFields } from '@sandbox-jobs/contract/task-file/fields.ts'
import { CliError, exitCodes } from '../failure.ts'
import { readFields, type Values } from './read-fields.ts'

/** JSON that stands in the task file itself, as YAML. */
export type Inline = Record<string, unknown> | unknown[]

export interface BuildSection {
  /** Folder with the Dockerfile, relative to the task file. */
  folder: string
  profile: SelectableProfile
  /** Owner of a new environment; absent: the company. */
  department?: string
  isolation?: Isolation
  network?: NetworkField
}

/** Hosts that runs may reach. */
export type NetworkField = 'everything' | 'nothing' | string[]

/** Rows that a run may write, with names of the table and the room. */
export interface OutputPolicyField {
  kind: OutputPolicy['kind']
  table?: string
  allowed_ops?: 'create' | 'create,update'
  command_id?: string
  room?: string
  input_schema?: Record<string, unknown>[]
}

/** Times at which the task runs in a room. */
export interface ScheduleField {
  room: string
  /** Absent: that of the task. */
  name?: string
  cron: string
  time_zone: string
  /** A file, or the input itself. */
  input?: string | Inline
  missed?: MissedPolicy
  timeout_seconds?: number
}

/** A task file, as its author keeps it next to the scripts. Paths are relative to the file. */
export interface TaskFile {
  name: string
  description: string
  /** Owner, by name or id; absent: the company. */
  department?: string
  /** By name or id. */
  environment: string
  /** The source from which `sandbox deploy` builds the environment; absent if the file only names one. */
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
  /** Absent: not changed. */
  network?: NetworkField
  output_policy?: OutputPolicyField
  share: { company: boolean; departments: string[]; rooms: string[] }
  /** Rooms in which the task is enabled. */
  enable: string[]
  schedules: ScheduleField[]
}

/** Validates a task file. Throws one error with all problems. */
export function checkTaskFile(content: unknown, file: string): TaskFile {
  const problems: string[] = []
  if (!isJsonObject(content)) problems.push('it must hold fields, such as name: sales-report')
  const given = readFields(isJsonObject(content) ? content : {}, taskFileFields, problems)
  if (problems.length > 0) throw wrongFile(file, problems)
  const { environment, share, description, timeout_seconds, requires_confirmation, ...rest } = given
  return {
    description: '',
    timeout_seconds: timeoutDefaultSeconds,
    requires_confirmation: false,
    secret_slots: [],
    enable: [],
    schedules: [],
    ...definedOf({ description, timeout_seconds, requires_confirmation, ...rest }),
    ...environmentOf(environment, String(given.name)),
    share: { company: false, departments: [], rooms: [], ...(isJsonObject(share) && share) },
    // The table of fields has checked the type of each.
  } as unknown as TaskFile
}

const definedOf = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** The name of an environment, or a section that says how it is built; its name is then by default that of the task. */
function environmentOf(given: unknown, task: string): Pick<TaskFile, 'environment' | 'build'> {
  if (!isJsonObject(given)) return { environment: String(given) }
  const { name = task, ...section } = given
  const build = { folder: '.', profile: defaultProfile, ...section } as unknown as BuildSection
  return { environment: String(name), build }
}

export const wrongFile = (file: string, problems: string[]) =>
  new CliError(`${file} cannot be used:\n  ${problems.join('\n  ')}`, {
    hint: 'docs/task-file.md lists every field; the service has their JSON Schema at /task-file.schema.json.',
    code: 'cli_task_file',
    exitCode: exitCodes.usage,
  })
