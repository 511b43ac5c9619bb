import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTrail } from '../../app/trail.ts'
import { tableOf } from '../../data/authoring/tables.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'

interface Props {
  id: string
  /** The title of a screen below a part of the table; the name of the table if left out. */
  title?: string
  /** The part that leads to it. It has no tabs then. */
  parent?: 'commands' | 'triggers'
  /** Buttons for an active table. */
  actions?: (table: CustomTable) => ReactNode
  children: (table: CustomTable) => ReactNode
}

/** A screen of a table, with links to its parts. */
export function TableScreen({ id, title, parent, actions, children }: Props) {
  const t = useTexts()
  const table = useQuery(tableOf(id))
  const { name = '', description = '', state = 'active' } = table.data ?? {}
  useTrail([
    { text: t.tables.title, to: '/tables' },
    ...(parent
      ? [
          { text: name, to: `/tables/${id}/rows` },
          { text: t.tables.parts[parent], to: `/tables/${id}/${parent}` },
        ]
      : []),
  ])
  if (isNotFound(table.error)) return <NotFoundPage />
  return (
    <Page
      title={title ?? name}
      detail={
        <>
          {state !== 'active' && <StateBadge machine="custom_table" state={state} />}
          {!parent && description !== '' && <TenantText text={description} />}
        </>
      }
      actions={table.data && state === 'active' && actions?.(table.data)}
    >
      {!parent && <Parts id={id} />}
      <Panel query={table} rows={6}>
        {children}
      </Panel>
    </Page>
  )
}

function Parts({ id }: { id: string }) {
  const t = useTexts().tables
  const params = { id }
  return (
    <Tabs label={t.parts.label}>
      <Link to="/tables/$id/rows" params={params} activeOptions={{ includeSearch: false }}>
        {t.parts.rows}
      </Link>
      <Link to="/tables/$id/fields" params={params}>
        {t.parts.fields}
      </Link>
      <Link to="/tables/$id/commands" params={params}>
        {t.parts.commands}
      </Link>
      <Link to="/tables/$id/triggers" params={params}>
        {t.parts.triggers}
      </Link>
    </Tabs>
  )
}
