import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { indented } from '../../data/indented.ts'
import { DifferenceTable } from '../../parts/difference-table.tsx'
import { shortId } from '../../parts/id-text.tsx'
import { TextDifference } from '../../parts/text-difference.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './tasks.module.css'
import { UserChangeList } from './user-change-list.tsx'

interface Props {
  before: TaskVersion
  after: TaskVersion
}

/** The differences between two versions of a task: for its users, in its settings and in its texts. */
export function ComparedVersions({ before, after }: Props) {
  const t = useTexts()
  const isVisible = before.source_visible && after.source_visible
  return (
    <>
      <section className={styles.part}>
        <h3>{t.taskChanges.title}</h3>
        <UserChangeList before={before} after={after} />
      </section>
      <Settings before={before} after={after} />
      {textsOf(t).map(({ name, text }) => (
        <Text key={name} name={name} before={text(before)} after={text(after)} />
      ))}
      {!isVisible && <p>{t.tasks.hidden}</p>}
    </>
  )
}

function Settings({ before, after }: Props) {
  const t = useTexts()
  const formats = useFormats()
  const rows = [
    {
      name: t.tasks.environment,
      text: ({ environment_name, environment_version_id }: TaskVersion) =>
        `${environment_name}\n${shortId(environment_version_id)}`,
    },
    {
      name: t.tasks.stopsAfter,
      text: ({ timeout_seconds }: TaskVersion) => formats.duration(timeout_seconds * 1000),
    },
    { name: t.tasks.secrets, text: ({ secret_slot_names }: TaskVersion) => secret_slot_names.join('\n') },
    {
      name: t.tasks.confirmation,
      text: ({ requires_confirmation }: TaskVersion) =>
        requires_confirmation ? t.inputForm.yes : t.inputForm.no,
    },
    { name: t.taskChanges.variables, text: ({ ordinary_env }: TaskVersion) => variablesOf(ordinary_env) },
    {
      name: t.taskChanges.outputPolicy,
      text: ({ output_policy }: TaskVersion) =>
        output_policy === null ? '' : JSON.stringify(output_policy, null, 2),
    },
    {
      name: t.taskChanges.bundle,
      text: ({ bundle_id }: TaskVersion) => (bundle_id === null ? '' : shortId(bundle_id)),
    },
  ]
  return (
    <DifferenceTable
      before={t.environments.numbered(before.version_number)}
      after={t.environments.numbered(after.version_number)}
      rows={rows.map(({ name, text }) => ({ name, before: text(before), after: text(after) }))}
    />
  )
}

const variablesOf = (variables: TaskVersion['ordinary_env']): string =>
  Object.entries(variables ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('\n')

const json = (text: string | null): string => (text === null ? '' : indented(text))

const textsOf = (t: ReturnType<typeof useTexts>) => [
  { name: t.tasks.work, text: ({ work_script }: TaskVersion) => work_script ?? '' },
  { name: t.tasks.startup, text: ({ startup_script }: TaskVersion) => startup_script ?? '' },
  { name: t.tasks.command, text: ({ work_command }: TaskVersion) => work_command ?? '' },
  { name: t.tasks.schema, text: ({ input_schema }: TaskVersion) => json(input_schema) },
  { name: t.tasks.example, text: ({ input_example }: TaskVersion) => json(input_example) },
  { name: t.form.instructions, text: ({ input_instructions }: TaskVersion) => input_instructions ?? '' },
]

function Text({ name, before, after }: { name: string; before: string; after: string }) {
  if (before === after) return null
  return (
    <section className={styles.part}>
      <h3>{name}</h3>
      <TextDifference label={name} before={before} after={after} />
    </section>
  )
}
