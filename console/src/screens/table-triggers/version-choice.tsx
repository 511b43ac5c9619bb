import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { useQuery } from '@tanstack/react-query'
import { menuOf } from '../../data/rooms/menu.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  cid: string
  /** Empty: none is chosen. */
  value: string
  error: string | undefined
  onValue: (version: string) => void
}

/** The jobs of a room that a trigger may run: those that need no confirmation. */
export function VersionChoice({ cid, value, error, onValue }: Props) {
  const t = useTexts()
  const menu = useQuery(menuOf(cid))
  return (
    <Panel query={menu} rows={1}>
      {(items) => {
        const offered = items.filter(({ requires_confirmation }) => !requires_confirmation)
        const isListed = offered.some(({ task_version_id }) => task_version_id === value)
        return (
          <Field label={t.schedules.task} help={t.tables.taskHelp} error={error}>
            {(tied) => (
              <select {...tied} value={value} onChange={(event) => onValue(event.target.value)}>
                <option value="">{t.company.choose}</option>
                {value !== '' && !isListed && <option value={value}>{t.tables.sameVersion}</option>}
                {offered.map(({ task_version_id, task_name }) => (
                  <option key={task_version_id} value={task_version_id}>
                    {plainText(task_name)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )
      }}
    </Panel>
  )
}
