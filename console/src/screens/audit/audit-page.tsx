import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { auditEntries, auditFile, auditHead } from '../../data/company/audit.ts'
import { people } from '../../data/company/directory.ts'
import { me } from '../../data/person/me.ts'
import { LinkButton } from '../../parts/link-button.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { AuditBar } from './audit-bar.tsx'
import { queryOfAudit, readAuditFilters } from './audit-filters.ts'
import { AuditTable } from './audit-table.tsx'

/** The audit log of the company, for administrators and auditors. */
export function AuditPage() {
  const t = useTexts()
  const filters = useSearch({ from: '/signed-in/company/audit' })
  const navigate = useNavigate({ from: '/company/audit' })
  const list = useInfiniteQuery(auditEntries(queryOfAudit(filters)))
  const names = useNames()
  return (
    <CompanyPage
      part="audit"
      actions={
        <LinkButton icon="download" href={auditFile()}>
          {t.audit.download}
        </LinkButton>
      }
    >
      <Head />
      <AuditBar
        filters={filters}
        onChange={(changed) => void navigate({ search: readAuditFilters({ ...changed }), replace: true })}
      />
      <Panel
        query={list}
        rows={10}
        empty={({ pages }) =>
          !list.hasNextPage && pages.every(({ items }) => items.length === 0) && t.audit.none
        }
      >
        {({ pages }) => (
          <>
            <AuditTable entries={pages.flatMap(({ items }) => items)} names={names} />
            {list.hasNextPage && <p className={styles.help}>{t.audit.further}</p>}
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </CompanyPage>
  )
}

/** Names of people by their ids, for administrators: an auditor reads the log alone. */
function useNames(): ReadonlyMap<string, string> {
  const { data: account } = useQuery(me)
  const { data: everybody = [] } = useQuery({
    ...people,
    enabled: account?.role === roles.company_administrator,
  })
  return new Map(everybody.map(({ id, display_name }) => [id, display_name]))
}

/** Where the chain of the log ends now, and what the service has signed of it. */
function Head() {
  const t = useTexts()
  const formats = useFormats()
  const head = useQuery(auditHead)
  return (
    <Panel query={head} rows={1}>
      {({ head: end, signed }) => (
        <p className={styles.help}>
          {t.audit.head(end.sequence)}
          {signed !== null &&
            ` ${t.audit.signed(signed.sequence, formats.dateTime(new Date(signed.signed_at)))}`}
        </p>
      )}
    </Panel>
  )
}
