import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { lazy, Suspense, useState } from 'react'
import { indented } from '../../data/indented.ts'
import type { Language } from '../../editor/editor-props.ts'
import { CheckBox } from '../../parts/check-box.tsx'
import { DifferenceTable } from '../../parts/difference-table.tsx'
import { shortId } from '../../parts/id-text.tsx'
import { TextDifference } from '../../parts/text-difference.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './tasks.module.css'
import { UserChangeList } from './user-change-list.tsx'

const CodeDifferences = lazy(() => import('../../editor/code-differences.tsx'))

interface Props {
  before: TaskVersion
  after: TaskVersion
}

/** The differences between two versions of a task: for its users, in its settings and in its texts. */
export function ComparedVersions({ before, after }: Props) {
  const t = useTexts()
  /** Not in the address: its first load would have the editor. */
  const [isBeside, setIsBeside] = useState(false)
  const isVisible = before.source_visible && after.source_visible
  return (
    <>
      <section className={styles.part}>
        <h3>{t.taskChanges.title}</h3>
        <UserChangeList before={before} after={after} />
      </section>
      <Settings before={before} after={after} />
      <CheckBox isChecked={isBeside} onCheck={setIsBeside}>
        {t.compare.beside}
      </CheckBox>
      {textsOf(t).map(({ name, text, language }) => (
        <Text
          key={name}
          name={name}
          language={isBeside ? language : undefined}
          before={text(before)}
          after={text(after)}
        />
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

interface ComparedText {
  name: string
  text: (version: TaskVersion) => string
  /** Absent: it is no code. */
  language?: Language
}

const textsOf = (t: ReturnType<typeof useTexts>): ComparedText[] => [
  { name: t.tasks.work, language: 'shell', text: ({ work_script }) => work_script ?? '' },
  { name: t.tasks.startup, language: 'shell', text: ({ startup_script }) => startup_script ?? '' },
  { name: t.tasks.command, language: 'shell', text: ({ work_command }) => work_command ?? '' },
  { name: t.tasks.schema, language: 'json', text: ({ input_schema }) => json(input_schema) },
  { name: t.tasks.example, language: 'json', text: ({ input_example }) => json(input_example) },
  { name: t.form.instructions, text: ({ input_instructions }) => input_instructions ?? '' },
]

interface TextProps {
  name: string
  /** Of codes that are side by side. */
  language: Language | undefined
  before: string
  after: string
}

function Text({ name, language, before, after }: TextProps) {
  const t = useTexts().compare
  if (before === after) return null
  const lines = <TextDifference label={name} before={before} after={after} />
  return (
    <section className={styles.part}>
      <h3>{name}</h3>
      {language ? (
        <Suspense fallback={lines}>
          <CodeDifferences label={name} unchanged={t.unchanged} {...{ language, before, after }} />
        </Suspense>
      ) : (
        lines
      )}
    </section>
  )
}
