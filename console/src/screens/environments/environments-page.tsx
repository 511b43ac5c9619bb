import type { EnvironmentOverview } from '@sandbox-jobs/contract/resources/environments/environment-overview.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { environments } from '../../data/authoring/environments.ts'
import { me } from '../../data/person/me.ts'
import links from '../../parts/button.module.css'
import cards from '../../parts/card.module.css'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** The environments of the company, and those that the operator made for all. */
export function EnvironmentsPage() {
  const t = useTexts()
  const list = useInfiniteQuery(environments)
  const { data: account } = useQuery(me)
  return (
    <Page
      title={t.environments.title}
      actions={
        account?.can.upload_environment && (
          <Link to="/environments/new" className={links.button}>
            {t.environments.create}
          </Link>
        )
      }
    >
      <Panel query={list} rows={4} empty={({ pages }) => pages[0]?.items.length === 0 && t.environments.none}>
        {({ pages }) => (
          <>
            <ul className={cards.grid}>
              {pages
                .flatMap(({ items }) => items)
                .map((environment) => (
                  <EnvironmentCard key={environment.id} environment={environment} />
                ))}
            </ul>
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function EnvironmentCard({ environment }: { environment: EnvironmentOverview }) {
  const t = useTexts()
  const formats = useFormats()
  const urgent = (environment.findings?.critical ?? 0) + (environment.findings?.high ?? 0)
  return (
    <li className={cards.card}>
      <Link to="/environments/$id" params={{ id: environment.id }} className={cards.link}>
        <TenantText text={environment.name} />
      </Link>
      {environment.description !== '' && (
        <p className={cards.lines}>
          <TenantText text={environment.description} />
        </p>
      )}
      <p className={cards.tags}>
        <StateBadge machine="environment" state={environment.state} />
        <span>
          {environment.owner_kind === 'system_curated'
            ? t.environments.curated
            : t.environments.owners[environment.owner_scope]}
        </span>
        {environment.current_version_id === null && <span>{t.environments.noVersion}</span>}
        {environment.unpacked_bytes !== null && <span>{formats.bytes(environment.unpacked_bytes)}</span>}
        {environment.tasks !== null && <span>{t.environments.usedBy(environment.tasks)}</span>}
        {urgent > 0 && <span>{t.environments.findings(urgent)}</span>}
        {environment.security_state === 'blocked' && <span>{t.states.blocked}</span>}
      </p>
    </li>
  )
}
