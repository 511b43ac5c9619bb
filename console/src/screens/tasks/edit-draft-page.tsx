import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { api } from '../../data/api/api.ts'
import { taskOf, taskVersionOf } from '../../data/authoring/tasks.ts'
import { useManages } from '../../data/person/owners.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { bodyOf, draftOf } from './draft.ts'
import { DraftForm } from './draft-form.tsx'

/** A draft that is changed. */
export function EditDraftPage() {
  const t = useTexts()
  const params = useParams({ from: '/signed-in/tasks/$id/versions/$vid/edit' })
  const { id, vid } = params
  const task = useQuery(taskOf(id))
  const version = useQuery(taskVersionOf(id, vid))
  const name = task.data?.name ?? ''
  const number = version.data?.version_number
  useTrail([
    { text: t.tasks.title, to: '/tasks' },
    { text: name, to: `/tasks/${id}` },
    ...(number === undefined
      ? []
      : [{ text: t.environments.numbered(number), to: `/tasks/${id}/versions/${vid}` }]),
  ])
  const manages = useManages(task.data)
  const canEdit =
    version.data === undefined || (version.data.state === 'draft' && version.data.source_visible)
  if (isNotFound(version.error) || !canEdit || manages === false) return <NotFoundPage />
  const title = number === undefined ? '' : t.environments.versionOf(number, name)
  return (
    <Page title={title}>
      <Panel query={version} rows={8}>
        {(draft) => (
          <DraftForm
            key={draft.id}
            startsWith={draftOf(draft)}
            environmentName={draft.environment_name}
            save={(changed) =>
              api.call(allRoutes.updateTaskVersion, {
                params,
                query: { if_digest: draft.canonical_digest },
                body: bodyOf(changed),
              })
            }
          />
        )}
      </Panel>
    </Page>
  )
}
