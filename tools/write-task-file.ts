import {
  type Field,
  type Fields,
  type Form,
  taskFileFields,
} from '@sandbox-jobs/contract/task-file/fields.ts'
import { taskFileSchemaPath } from '@sandbox-jobs/contract/task-file/json-schema.ts'
import { writeDocument } from './generated-document.ts'

/** Writes docs/task-file.md from the table of fields; with `--check` only reports whether it is up to date. */
const intro = `# The task file

Made from \`contract/task-file/fields.ts\` by \`npm run task-file\`; do not edit.

A task file, mostly \`task.yaml\`, describes a task next to its scripts: \`sandbox deploy\` builds its environment, publishes it,
shares it, enables it in rooms and schedules it, each only where something differs. \`sandbox init\` writes one, and \`sandbox task publish\`
leaves the build out. Files are named relative to the task file, and lie next to or below it.

\`\`\`yaml
# yaml-language-server: $schema=https://sandbox.example.org${taskFileSchemaPath}
name: sales-report
environment:
  folder: image
  network: nothing
work_script: work.sh
input_schema: input.schema.json
secret_slots: [API_TOKEN]
output_policy: { kind: custom_table_writeback, table: orders }
share: { rooms: [daily-numbers] }
enable: [daily-numbers]
schedules:
  - { room: daily-numbers, cron: 30 7 * * mon-fri, time_zone: Europe/Berlin, input: { region: all } }
\`\`\`

The first line gives an editor with a YAML language server completion and checks: the service has the JSON Schema of the file at
\`${taskFileSchemaPath}\`.

A setting that the file does not name is not always undone: shares, enabled rooms and schedules stay, and a network that is not named is not changed.
Everything else of a version is as the file says. Triggers belong to tables: \`sandbox table trigger-add\`.
`

const formText = (form: Form): string => {
  switch (form.kind) {
    case 'text':
      return 'text'
    case 'flag':
      return '`true` or `false`'
    case 'whole':
      return `whole number, 1 to ${form.max}`
    case 'choice':
      return form.values.map((value) => `\`${value}\``).join(' or ')
    case 'names':
      return 'list of names'
    case 'variables':
      return 'NAME: text pairs'
    case 'document':
      return 'file, or JSON'
    case 'list':
      return 'list of objects'
    case 'network':
      return '`everything`, `nothing`, or list'
    case 'section':
      return 'section'
    case 'sections':
      return 'list of sections'
    case 'text_or_section':
      return 'text, or section'
  }
}

const rowOf = (name: string, { form, description, isRequired, without }: Field): string =>
  `| \`${name}\` | ${formText(form)} | ${description} | ${isRequired ? 'required' : (without ?? '')} |`

const tableOf = (fields: Fields): string =>
  [
    '| Field | Value | Meaning | Without it |',
    '|---|---|---|---|',
    ...Object.entries(fields).map(([name, field]) => rowOf(name, field)),
  ].join('\n')

const sections = Object.entries<Field>(taskFileFields).flatMap(([name, { form }]) =>
  'fields' in form ? [`## \`${name}\`\n\n${tableOf(form.fields)}\n`] : [],
)

writeDocument(
  'task-file.md',
  [intro, '## Fields\n', `${tableOf(taskFileFields)}\n`, ...sections].join('\n'),
  {
    source: 'contract/task-file/fields.ts',
    command: 'npm run task-file',
  },
)
