import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { api } from '../../data/api/api.ts'
import { taskOf, taskVersionsOf } from '../../data/authoring/tasks.ts'
import { useManages } from '../../data/person/owners.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { bodyOf, draftOf, emptyDraft, keptOf } from './draft.ts'
import { DraftForm } from './draft-form.tsx'

/** A new draft of a task. It begins as the newest version is. */
export function NewDraftPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/tasks/$id/new' })
  const task = useQuery(taskOf(id))
  const versions = useQuery(taskVersionsOf(id))
  const name = task.data?.name ?? ''
  useTrail([
    { text: t.tasks.title, to: '/tasks' },
    { text: name, to: `/tasks/${id}` },
  ])
  const manages = useManages(task.data)
  if (isNotFound(task.error) || manages === false) return <NotFoundPage />
  return (
    <Page title={t.tasks.newDraftOf(name)}>
      <Panel query={versions} rows={8}>
        {(items) => <Started id={id} last={items.findLast(({ source_visible }) => source_visible)} />}
      </Panel>
    </Page>
  )
}

function Started({ id, last }: { id: string; last: TaskVersion | undefined }) {
  return (
    <DraftForm
      key={last?.id ?? ''}
      startsWith={last ? draftOf(last) : emptyDraft}
      environmentName={last?.environment_name ?? ''}
      save={(draft) =>
        api.call(allRoutes.createTaskVersion, {
          params: { id },
          body: { ...(last && keptOf(last)), ...bodyOf(draft) },
        })
      }
    />
  )
}
