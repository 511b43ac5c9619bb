import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { taskOf, taskVersionsOf } from '../../data/authoring/tasks.ts'
import { useManages } from '../../data/person/owners.ts'
import links from '../../parts/button.module.css'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { Shares } from './shares.tsx'
import styles from './tasks.module.css'

/** A task with its versions, and with whom it is shared. */
export function TaskPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/tasks/$id' })
  const task = useQuery(taskOf(id))
  const versions = useQuery(taskVersionsOf(id))
  const manages = useManages(task.data)
  useTrail([{ text: t.tasks.title, to: '/tasks' }])
  if (isNotFound(task.error)) return <NotFoundPage />
  const { name = '', description = '', state = '' } = task.data ?? {}
  const canChange = manages && state === 'active'
  return (
    <Page
      title={name}
      detail={description !== '' && <TenantText text={description} />}
      actions={
        canChange && (
          <Link to="/tasks/$id/new" params={{ id }} className={links.button}>
            {t.tasks.newDraft}
          </Link>
        )
      }
    >
      <Panel query={task}>{() => state !== 'active' && <StateBadge machine="task" state={state} />}</Panel>
      <section className={styles.part}>
        <h2>{t.tasks.versions}</h2>
        <Panel query={versions} empty={(items) => items.length === 0 && t.tasks.noVersions}>
          {(items) => <Versions versions={items.toReversed()} />}
        </Panel>
      </section>
      {canChange && <Shares taskId={id} />}
    </Page>
  )
}

function Versions({ versions }: { versions: readonly TaskVersion[] }) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.environments.version}</th>
          <th scope="col">{t.environments.state}</th>
          <th scope="col">{t.tasks.environment}</th>
          <th scope="col">{t.tasks.publishedAt}</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.id} className={rowLink.row}>
            <td>
              <Link
                to="/tasks/$id/versions/$vid"
                params={{ id: version.task_id, vid: version.id }}
                className={rowLink.link}
              >
                {t.environments.numbered(version.version_number)}
              </Link>
            </td>
            <td>
              <StateBadge machine="task_version" state={version.state} />
            </td>
            <td>
              <TenantText text={version.environment_name} />
            </td>
            <td className={table.number}>{version.published_at && <Moment at={version.published_at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
