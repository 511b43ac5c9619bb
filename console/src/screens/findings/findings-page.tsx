import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { severities } from '@sandbox-jobs/contract/severities.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiAll } from '../../data/api/queries.ts'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { CompanyPage } from '../company/company-page.tsx'
import { type Counted, countedFindings } from './counted-findings.ts'

const overviews = {
  ...apiAll(allRoutes.listEnvironmentOverviews, {}),
  select: countedFindings,
}

/** The environments with open findings, those with the most severe ones first. */
export function FindingsPage() {
  const t = useTexts()
  const list = useQuery(overviews)
  return (
    <CompanyPage part="findings">
      <Panel query={list} rows={4} empty={(all) => all.length === 0 && t.findings.none}>
        {(all) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">{t.findings.environment}</th>
                {severities.map((each) => (
                  <th key={each} scope="col">
                    {t.scans.severities[each]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {all.map((each) => (
                <Row key={each.id} environment={each} />
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </CompanyPage>
  )
}

function Row({ environment: { id, name, findings } }: { environment: Counted }) {
  const formats = useFormats()
  return (
    <tr className={rowLink.row}>
      <td>
        <Link to="/environments/$id" params={{ id }} className={rowLink.link}>
          <TenantText text={name} />
        </Link>
      </td>
      {severities.map((each) => (
        <td key={each} className={table.number}>
          {findings[each] > 0 && formats.number(findings[each])}
        </td>
      ))}
    </tr>
  )
}
