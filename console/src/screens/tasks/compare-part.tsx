import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { taskVersionsOf } from '../../data/tasks.ts'
import { Panel } from '../../parts/panel.tsx'
import { VersionSelect } from '../../parts/version-select.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ComparedVersions } from './compared-versions.tsx'
import styles from './tasks.module.css'

/** A version beside another one of the same task, by default the one before it. */
export default function ComparePart({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const versions = useQuery(taskVersionsOf(version.task_id))
  const { with: wanted } = useSearch({ from: '/signed-in/tasks/$id/versions/$vid/$part' })
  const navigate = useNavigate()
  return (
    <section className={styles.version}>
      <h2 className="hidden">{t.images.parts.compare}</h2>
      <Panel query={versions} rows={8}>
        {(all) => (
          <VersionSelect
            versions={all}
            shown={version}
            wanted={wanted}
            onWanted={(id) =>
              void navigate({ to: '.', search: (search) => ({ ...search, with: id }), replace: true })
            }
          >
            {(other) => <ComparedVersions before={other} after={version} />}
          </VersionSelect>
        )}
      </Panel>
    </section>
  )
}
