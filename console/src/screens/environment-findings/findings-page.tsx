import { severities } from '@sandbox-jobs/contract/severities.ts'
import { findingStates } from '@sandbox-jobs/contract/states/finding-states.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { environmentOf, useManagesEnvironment } from '../../data/authoring/environments.ts'
import { findingsOf } from '../../data/authoring/findings.ts'
import { lookOf } from '../../design/states.ts'
import { Chips } from '../../parts/chips.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { type FindingFilters, queryOfFindings, readFindingFilters } from './finding-filters.ts'
import { FindingRow } from './finding-row.tsx'
import styles from './findings.module.css'
import { severityTones } from './severity-badge.tsx'

/** The findings of an environment over time, to accept or to mend. */
export function EnvironmentFindingsPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/environments/$id/findings' })
  const environment = useQuery(environmentOf(id))
  const manages = useManagesEnvironment(environment.data)
  const name = environment.data?.name ?? ''
  useTrail([
    { text: t.environments.title, to: '/environments' },
    { text: name, to: `/environments/${id}` },
  ])
  if (isNotFound(environment.error) || manages === false) return <NotFoundPage />
  return (
    <Page title={t.scans.title(name)}>
      <p>{t.scans.why}</p>
      <Panel query={environment}>{() => <Findings id={id} />}</Panel>
    </Page>
  )
}

function Findings({ id }: { id: string }) {
  const t = useTexts()
  const filters = useSearch({ from: '/signed-in/environments/$id/findings' })
  const navigate = useNavigate({ from: '/environments/$id/findings' })
  const findings = useInfiniteQuery(findingsOf(id, queryOfFindings(filters)))
  const change = (changed: FindingFilters) =>
    void navigate({ search: readFindingFilters({ ...filters, ...changed }), replace: true })
  return (
    <>
      <search className={styles.filters} aria-label={t.runs.filters}>
        <Chips
          label={t.scans.severity}
          items={severities.map((severity) => ({
            value: severity,
            text: t.scans.severities[severity],
            tone: severityTones[severity],
          }))}
          chosen={filters.severity ?? []}
          onChange={(severity) => change({ severity })}
        />
        <Chips
          label={t.environments.state}
          items={findingStates.map((state) => {
            const { tone, icon, word } = lookOf('security_finding', state)
            return { value: state, text: t.states[word], tone, icon }
          })}
          chosen={filters.state ?? []}
          onChange={(state) => change({ state })}
        />
      </search>
      <Panel
        query={findings}
        rows={6}
        empty={({ pages }) => pages[0]?.items.length === 0 && t.scans.noneMatches}
      >
        {({ pages }) => (
          <>
            <ul className={styles.list}>
              {pages
                .flatMap(({ items }) => items)
                .map((finding) => (
                  <FindingRow key={finding.id} finding={finding} />
                ))}
            </ul>
            <MoreButton query={findings} />
          </>
        )}
      </Panel>
    </>
  )
}
