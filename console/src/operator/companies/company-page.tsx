import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { isNotFound } from '../../screens/not-found/is-not-found.ts'
import { NotFoundPage } from '../../screens/not-found/not-found-page.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { companyOf } from '../operator-api.ts'
import { OperatorLink } from '../operator-link.tsx'
import styles from '../overview.module.css'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { BudgetPart } from './budget-part.tsx'
import { GatewayKeys } from './gateway-keys.tsx'
import { LimitsForm } from './limits-form.tsx'

/** One company: what it uses, and the limits that the operator sets. */
export function CompanyPage() {
  const t = useOperatorTexts()
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(companyOf(id))
  useTrail([{ text: t.companies.title, to: '/companies' }])
  if (isNotFound(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data?.name ?? t.companies.one}
      product={t.product}
      detail={query.data && <IdText id={query.data.id} />}
    >
      <Panel query={query} rows={8}>
        {(company) => (
          <>
            <Use company={company} />
            <BudgetPart company={company} />
            <LimitsForm key={company.id} company={company} />
            <GatewayKeys company={company} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function Use({ company: { id, work, storage } }: { company: OperatedCompany }) {
  const t = useOperatorTexts()
  const { number, bytes, duration } = useFormats()
  const waiting = number(work.runs_queued)
  return (
    <section className={styles.part}>
      <h2>{t.companies.use}</h2>
      <Facts>
        <Fact name={t.overview.running}>{number(work.runs_active)}</Fact>
        <Fact name={t.overview.waitingRuns}>
          {work.runs_queued === 0
            ? waiting
            : t.overview.oldest(waiting, duration(work.oldest_queued_run * 1000))}
        </Fact>
        <Fact name={t.overview.builds}>{number(work.builds_active)}</Fact>
        <Fact name={t.overview.waitingBuilds}>{number(work.builds_queued)}</Fact>
        <Fact name={t.overview.kept}>
          {storage.limit_bytes === null
            ? bytes(storage.kept_bytes)
            : t.overview.usedOf(bytes(storage.kept_bytes), bytes(storage.limit_bytes))}
        </Fact>
      </Facts>
      <p className={styles.links}>
        <OperatorLink to={`/companies/${id}/runs`}>{t.companies.itsRuns}</OperatorLink>
        <OperatorLink to={`/companies/${id}/builds`}>{t.companies.itsBuilds}</OperatorLink>
      </p>
    </section>
  )
}
