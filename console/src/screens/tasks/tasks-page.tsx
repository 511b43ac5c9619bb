import type { TaskOverview } from '@sandbox-jobs/contract/resources/tasks/task-overview.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { tasks } from '../../data/authoring/tasks.ts'
import { me } from '../../data/person/me.ts'
import links from '../../parts/button.module.css'
import cards from '../../parts/card.module.css'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** The tasks that the person may see: those that they look after, and those that are shared with them. */
export function TasksPage() {
  const t = useTexts()
  const list = useInfiniteQuery(tasks)
  const { data: account } = useQuery(me)
  const canCreate = account?.can.create_company_task || account?.can.create_department_task
  return (
    <Page
      title={t.tasks.title}
      actions={
        canCreate && (
          <Link to="/tasks/new" className={links.button}>
            {t.tasks.create}
          </Link>
        )
      }
    >
      <Panel query={list} rows={4} empty={({ pages }) => pages[0]?.items.length === 0 && t.tasks.none}>
        {({ pages }) => (
          <>
            <ul className={cards.grid}>
              {pages
                .flatMap(({ items }) => items)
                .map((task) => (
                  <TaskCard key={task.id} task={task} />
                ))}
            </ul>
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function TaskCard({ task }: { task: TaskOverview }) {
  const t = useTexts()
  return (
    <li className={cards.card}>
      <Link to="/tasks/$id" params={{ id: task.id }} className={cards.link}>
        <TenantText text={task.name} />
      </Link>
      {task.description !== '' && (
        <p className={cards.lines}>
          <TenantText text={task.description} />
        </p>
      )}
      <p className={cards.tags}>
        <span>{t.environments.owners[task.owner_scope]}</span>
        <span>{task.current_published_version_id === null ? t.tasks.notPublished : t.states.published}</span>
        {task.current_draft_version_id !== null && <span>{t.tasks.hasDraft}</span>}
        {task.rooms !== null && <span>{t.tasks.rooms(task.rooms)}</span>}
        {task.runs !== null && <span>{t.tasks.runs(task.runs)}</span>}
        {task.failures !== null && task.failures > 0 && <span>{t.tasks.failures(task.failures)}</span>}
        {task.security_state === 'blocked' && <span>{t.states.blocked}</span>}
      </p>
    </li>
  )
}
