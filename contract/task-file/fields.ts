import {
  cronMaxLength,
  descriptionMaxLength,
  nameMaxLength,
  timeoutDefaultSeconds,
  timeoutMaxSeconds,
  timeZoneMaxLength,
} from '../limits.ts'
import { selectableProfiles } from '../resources/environments/selectable-profiles.ts'
import { isolations } from '../resources/environments/version-isolation.ts'
import { missedPolicies } from '../resources/schedules/missed-policy.ts'

/** The values that a field may have. */
export type Form =
  | { kind: 'text'; maxLength?: number }
  | { kind: 'flag' }
  | { kind: 'whole'; max: number }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'names' }
  /** Names with texts. */
  | { kind: 'variables' }
  /** A file, or the JSON itself. */
  | { kind: 'document' }
  | { kind: 'list' }
  /** `everything`, `nothing`, or a list of what may be reached. */
  | { kind: 'network' }
  | { kind: 'section'; fields: Fields }
  | { kind: 'sections'; fields: Fields }
  | { kind: 'text_or_section'; fields: Fields }

export interface Field {
  form: Form
  description: string
  isRequired?: true
  /** In words, for people. */
  without?: string
}

export type Fields = Readonly<Record<string, Field>>

const text = (maxLength?: number): Form => ({ kind: 'text', ...(maxLength !== undefined && { maxLength }) })
const names: Form = { kind: 'names' }
const network: Form = { kind: 'network' }
const everything = 'every public address'

const environment: Fields = {
  name: { form: text(nameMaxLength), description: 'Name of the environment.', without: 'that of the task' },
  folder: {
    form: text(),
    description:
      'Folder with the Dockerfile, or a zip, tar or tar.gz archive of it, next to or below the task file.',
    without: 'the folder of the task file',
  },
  profile: {
    form: { kind: 'choice', values: selectableProfiles },
    description: 'Processors, memory and disk of a run.',
    without: '`standard`',
  },
  department: {
    form: text(),
    description: 'Owner of a new environment, by name or id.',
    without: 'the company, or for managers of departments that of the task',
  },
  isolation: {
    form: { kind: 'choice', values: isolations },
    description: "Isolation of runs from the host's kernel.",
    without: 'that of the deployment',
  },
  network: {
    form: network,
    description: 'Addresses that runs of the environment may reach: `everything`, `nothing`, or a list.',
    without: 'not changed; for a new environment everything',
  },
}

const share: Fields = {
  company: { form: { kind: 'flag' }, description: 'Every room of the company.', without: '`false`' },
  departments: { form: names, description: 'Every room of these departments, by name or id.' },
  rooms: { form: names, description: 'These rooms, by name or id.' },
}

const outputPolicy: Fields = {
  kind: {
    form: { kind: 'choice', values: ['custom_table_writeback', 'custom_table_command'] },
    description: 'Whether a run writes rows of a table, or calls a command of one.',
    isRequired: true,
  },
  table: { form: text(), description: 'For writing rows: the table, by name or id.' },
  allowed_ops: {
    form: { kind: 'choice', values: ['create', 'create,update'] },
    description: 'For writing rows: what a run may do.',
    without: '`create`',
  },
  command_id: { form: text(), description: 'For a command: its id; `sandbox table commands` shows it.' },
  room: { form: text(), description: 'For a command: the room in which it is called, by name or id.' },
  input_schema: {
    form: { kind: 'list' },
    description: 'For a command: its inputs, as the command declares them.',
  },
}

const schedule: Fields = {
  room: { form: text(), description: 'Room in which the runs are, by name or id.', isRequired: true },
  name: {
    form: text(nameMaxLength),
    description: 'Name of the schedule, unique in the room.',
    without: 'that of the task',
  },
  cron: {
    form: text(cronMaxLength),
    description: 'Minute, hour, day of the month, month and day of the week.',
    isRequired: true,
  },
  time_zone: {
    form: text(timeZoneMaxLength),
    description: 'Time zone of these, such as Europe/Berlin.',
    isRequired: true,
  },
  input: {
    form: { kind: 'document' },
    description: 'Input of each run: a file, or the JSON itself.',
    without: '`{}`',
  },
  missed: {
    form: { kind: 'choice', values: missedPolicies },
    description: 'Whether ticks that the service missed are skipped, or start one run together.',
    without: '`skip`',
  },
  timeout_seconds: {
    form: { kind: 'whole', max: timeoutMaxSeconds },
    description: 'Deadline of each run, in seconds from its start.',
    without: 'that of the task',
  },
}

/** Every field of a task file. The command, the page `docs/task-file.md` and the JSON Schema are made from this table. */
export const taskFileFields = {
  name: { form: text(nameMaxLength), description: 'Name of the task.', isRequired: true },
  description: { form: text(descriptionMaxLength), description: 'Purpose of the task, for people.' },
  department: {
    form: text(),
    description: 'Owner of the task, by name or id.',
    without: 'the company, or the only department that you manage',
  },
  environment: {
    form: { kind: 'text_or_section', fields: environment },
    description: 'An environment that exists, by name or id, or a section that says how it is built.',
    isRequired: true,
  },
  environment_version: {
    form: text(),
    description: 'Id of the version of the environment to run on.',
    without: 'the current one',
  },
  startup_script: { form: text(), description: 'File with a script that is evaluated first.' },
  work_script: {
    form: text(),
    description: 'File with the script that does the work.',
    isRequired: true,
  },
  work_command: {
    form: text(),
    description: 'Line that is evaluated after the startup script.',
    without: '`. /workspace/work.sh`',
  },
  ordinary_env: {
    form: { kind: 'variables' },
    description: 'Environment variables that are not secret; numbers in quotes.',
  },
  secret_slots: {
    form: names,
    description: 'Names of environment variables whose values are secrets: `sandbox secret set`.',
  },
  input_schema: {
    form: { kind: 'document' },
    description:
      'JSON Schema (draft 2020-12) of the input: a file, or the schema itself. One of draft-07 is taken where it means the same.',
    without: 'any JSON',
  },
  input_example: {
    form: { kind: 'document' },
    description: 'An input that works: a file, or the JSON itself.',
  },
  input_instructions: { form: text(), description: 'Instructions for the input, for people and models.' },
  timeout_seconds: {
    form: { kind: 'whole', max: timeoutMaxSeconds },
    description: 'Deadline of a run, in seconds from its start.',
    without: String(timeoutDefaultSeconds),
  },
  requires_confirmation: {
    form: { kind: 'flag' },
    description: 'Whether a person must confirm what an agent submits.',
    without: '`false`',
  },
  network: {
    form: network,
    description:
      'Addresses that runs of the task may reach: `everything`, `nothing`, or a list of domains, `*.domain` for subdomains, addresses and ranges. A run reaches what this and the environment both allow.',
    without: `not changed; for a new task ${everything}`,
  },
  output_policy: {
    form: { kind: 'section', fields: outputPolicy },
    description: 'Permission of a run to write to a custom table.',
    without: 'nothing',
  },
  share: {
    form: { kind: 'section', fields: share },
    description: 'Borrowers of the task. Shares that the file does not name stay.',
  },
  enable: { form: names, description: 'Rooms in whose menu the task is, by name or id.' },
  schedules: {
    form: { kind: 'sections', fields: schedule },
    description: 'Times at which the task runs. Schedules that the file does not name stay.',
  },
} as const satisfies Fields
