import type { OperatedNetwork } from '@sandbox-jobs/contract/operator/operated-network.ts'
import { useQuery } from '@tanstack/react-query'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { Commands } from '../commands.tsx'
import { CompanyLink } from '../company-link.tsx'
import { operatedNetwork } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** The traffic and the refusals of the runs of each company, without names and addresses. */
export function NetworkPage() {
  const t = useOperatorTexts()
  const query = useQuery(operatedNetwork)
  return (
    <Page title={t.network.title} product={t.product}>
      <p>{t.network.why}</p>
      <Panel query={query} rows={6}>
        {(network) => <Traffic network={network} />}
      </Panel>
      <Commands
        commands={[
          { does: t.network.packageHosts, line: 'sandbox operator package-hosts list' },
          { does: t.network.mirrors, line: 'sandbox operator mirror list' },
        ]}
      />
    </Page>
  )
}

function Traffic({ network: { since, companies, is_cut } }: { network: OperatedNetwork }) {
  const t = useOperatorTexts()
  const { number, bytes, day } = useFormats()
  return (
    <>
      <Table
        title={t.network.since(day(since))}
        none={t.network.none}
        rows={companies}
        keyOf={({ company_id }) => company_id}
        columns={[
          {
            name: t.overview.company,
            show: ({ company_id, company }) => <CompanyLink id={company_id} name={company} />,
          },
          { name: t.network.sent, show: ({ sent_bytes }) => bytes(sent_bytes) },
          { name: t.network.received, show: ({ received_bytes }) => bytes(received_bytes), isWide: true },
          { name: t.network.refused, show: ({ refused_runs }) => number(refused_runs) },
        ]}
      />
      {is_cut && <p>{t.work.firstOnly(number(companies.length))}</p>}
    </>
  )
}
