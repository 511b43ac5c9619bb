import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { environmentOf, useManagesEnvironment } from '../../data/authoring/environments.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { ArchiveForm } from './archive-form.tsx'

/** A further version of an environment, from another archive. */
export function NewVersionPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/environments/$id/new' })
  const environment = useQuery(environmentOf(id))
  const name = environment.data?.name ?? ''
  useTrail([
    { text: t.environments.title, to: '/environments' },
    { text: name, to: `/environments/${id}` },
  ])
  const manages = useManagesEnvironment(environment.data)
  if (isNotFound(environment.error) || manages === false) return <NotFoundPage />
  return (
    <Page title={t.environments.newVersionOf(name)}>
      <Panel query={environment}>{() => <ArchiveForm environment={{ id }} />}</Panel>
    </Page>
  )
}
