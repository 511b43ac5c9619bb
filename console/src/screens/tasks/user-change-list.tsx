import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './tasks.module.css'
import { type UserChange, userChanges } from './user-changes.ts'

/** The differences for people who run a newer version. */
export function UserChangeList({ before, after }: { before: TaskVersion; after: TaskVersion }) {
  const t = useTexts()
  const textOf = useTextOfChange()
  const texts = userChanges(before, after).map(textOf)
  if (texts.length === 0) return <p>{t.taskChanges.none}</p>
  return (
    <ul className={styles.changes}>
      {texts.map((text) => (
        <li key={text}>
          <TenantText text={text} />
        </li>
      ))}
    </ul>
  )
}

function useTextOfChange(): (change: UserChange) => string {
  const t = useTexts().taskChanges
  const formats = useFormats()
  const seconds = (count: number) => formats.duration(count * 1000)
  return (change) => {
    switch (change.kind) {
      case 'field':
        return t.fields[change.change.kind](change.change.path)
      case 'new_secrets':
        return t.newSecrets(change.names.join(', '))
      case 'dropped_secrets':
        return t.droppedSecrets(change.names.join(', '))
      case 'timeout':
        return t.timeout(seconds(change.before), seconds(change.after))
      case 'schema':
      case 'confirmed':
      case 'not_confirmed':
      case 'instructions':
      case 'environment':
        return t.others[change.kind]
    }
  }
}
