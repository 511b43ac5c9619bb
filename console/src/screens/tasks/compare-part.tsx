import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useQuery } from '@tanstack/react-query'
import { taskVersionsOf } from '../../data/authoring/tasks.ts'
import { VersionSelect } from '../../parts/version-select.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ComparedVersions } from './compared-versions.tsx'
import styles from './tasks.module.css'

/** A version beside another one of the same task, by default the one before it. */
export default function ComparePart({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const versions = useQuery(taskVersionsOf(version.task_id))
  return (
    <section className={styles.version}>
      <h2 className="hidden">{t.images.parts.compare}</h2>
      <VersionSelect query={versions} shown={version}>
        {(other) => <ComparedVersions before={other} after={version} />}
      </VersionSelect>
    </section>
  )
}
