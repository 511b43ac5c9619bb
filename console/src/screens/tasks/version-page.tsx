import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { useTrail } from '../../app/trail.ts'
import { taskOf, taskVersionOf } from '../../data/authoring/tasks.ts'
import { indented } from '../../data/indented.ts'
import { useManages } from '../../data/person/owners.ts'
import { CodeBlock } from '../../editor/code-block.tsx'
import type { Language } from '../../editor/editor-props.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel, Skeleton } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import styles from './tasks.module.css'
import { VersionActions } from './version-actions.tsx'

const ComparePart = lazy(() => import('./compare-part.tsx'))

/** A version of a task, as its runs have it, or beside another one. */
export function TaskVersionPage() {
  const t = useTexts()
  const { id = '', vid = '', part } = useParams({ strict: false })
  const task = useQuery(taskOf(id))
  const version = useQuery(taskVersionOf(id, vid))
  const manages = useManages(task.data)
  const name = task.data?.name ?? ''
  useTrail([
    { text: t.tasks.title, to: '/tasks' },
    { text: name, to: `/tasks/${id}` },
  ])
  if (isNotFound(version.error)) return <NotFoundPage />
  const title = version.data ? t.environments.versionOf(version.data.version_number, name) : ''
  return (
    <Page
      title={title}
      detail={version.data && <StateBadge machine="task_version" state={version.data.state} />}
      actions={version.data && manages && <VersionActions version={version.data} />}
    >
      <Panel query={version} rows={8}>
        {(shown) => (
          <>
            <VersionTabs version={shown} />
            {part === 'compare' ? (
              <Suspense fallback={<Skeleton rows={8} />}>
                <ComparePart version={shown} />
              </Suspense>
            ) : (
              <Shown version={shown} />
            )}
          </>
        )}
      </Panel>
    </Page>
  )
}

function VersionTabs({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const params = { id: version.task_id, vid: version.id }
  return (
    <Tabs label={t.images.parts.label}>
      <Link
        to="/tasks/$id/versions/$vid"
        params={params}
        activeOptions={{ exact: true, includeSearch: false }}
      >
        {t.images.parts.version}
      </Link>
      <Link
        to="/tasks/$id/versions/$vid/$part"
        params={{ ...params, part: 'compare' }}
        activeOptions={{ includeSearch: false }}
      >
        {t.images.parts.compare}
      </Link>
    </Tabs>
  )
}

function Shown({ version }: { version: TaskVersion }) {
  const t = useTexts()
  const formats = useFormats()
  const { environment_id: id, environment_version_id: vid, environment_name: environment } = version
  return (
    <div className={styles.version}>
      <Facts>
        <Fact name={t.tasks.environment}>
          {id === '' ? (
            <IdText id={vid} />
          ) : (
            <Link to="/environments/$id/versions/$vid" params={{ id, vid }}>
              <TenantText text={environment} />
            </Link>
          )}
        </Fact>
        <Fact name={t.tasks.stopsAfter}>{formats.duration(version.timeout_seconds * 1000)}</Fact>
        <Fact name={t.tasks.secrets}>{version.secret_slot_names.join(', ')}</Fact>
        <Fact name={t.tasks.confirmation}>
          {version.requires_confirmation ? t.inputForm.yes : t.inputForm.no}
        </Fact>
        <Fact name={t.tasks.publishedAt}>{version.published_at && <Moment at={version.published_at} />}</Fact>
        <Fact name={t.tasks.digest}>
          <IdText id={version.canonical_digest} />
        </Fact>
      </Facts>
      <Part title={t.form.instructions} text={version.input_instructions} />
      <Part title={t.tasks.schema} language="json" text={jsonOf(version.input_schema)} />
      <Part title={t.tasks.example} language="json" text={jsonOf(version.input_example)} />
      {version.source_visible ? (
        <>
          <Part title={t.tasks.startup} language="shell" text={version.startup_script} />
          <Part title={t.tasks.work} language="shell" text={version.work_script} />
          <Part title={t.tasks.command} language="shell" text={version.work_command} />
        </>
      ) : (
        <p>{t.tasks.hidden}</p>
      )}
    </div>
  )
}

const jsonOf = (text: string | null): string | null => text && indented(text)

interface PartProps {
  title: string
  text: string | null
  /** Absent: it is no code. */
  language?: Language
}

function Part({ title, text, language }: PartProps): ReactNode {
  if (text === null || text === '') return null
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {language ? (
        <CodeBlock label={title} language={language} text={text} />
      ) : (
        <TextBlock label={title} text={text} />
      )}
    </section>
  )
}
