import type { ShownPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import { useQuery } from '@tanstack/react-query'
import { DateTime } from '../../parts/date-time.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { Commands } from '../commands.tsx'
import { shownPrices } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** The prices that hold. Commands apply others. */
export function PricesPage() {
  const t = useOperatorTexts()
  const query = useQuery(shownPrices)
  return (
    <Page title={t.prices.title} product={t.product}>
      <Panel query={query} rows={6} empty={({ prices }) => prices === null && t.prices.none}>
        {({ prices }) => prices && <Prices prices={prices} />}
      </Panel>
      <Commands
        commands={[
          { does: t.prices.check, line: 'sandbox operator prices apply prices.yaml --dry-run' },
          { does: t.prices.apply, line: 'sandbox operator prices apply prices.yaml' },
        ]}
      />
    </Page>
  )
}

function Prices({ prices }: { prices: ShownPrices }) {
  const t = useOperatorTexts().prices
  const { bytes, duration, money } = useFormats()
  const amount = (value: string) => money(value, prices.currency)
  return (
    <>
      <Facts>
        <Fact name={t.appliedAt}>
          <DateTime at={prices.applied_at} />
        </Fact>
        <Fact name={t.rateVersion}>{prices.rate_version}</Fact>
        <Fact name={t.boundVersion}>{prices.bound_version}</Fact>
        <Fact name={t.minimum}>{duration(prices.minimum_billed_seconds * 1000)}</Fact>
        <Fact name={t.finalization}>{duration(prices.finalization_seconds * 1000)}</Fact>
        <Fact name={t.inbound}>{bytes(prices.inbound_reservation_bytes)}</Fact>
        <Fact name={t.outbound}>{bytes(prices.outbound_reservation_bytes)}</Fact>
      </Facts>
      <Table
        title={t.rates}
        none=""
        rows={prices.rates}
        keyOf={({ region, kind, profile }) => `${region} ${kind} ${profile}`}
        columns={[
          { name: t.kind, show: ({ kind }) => t.kinds[kind] },
          { name: t.profile, show: ({ profile }) => profile },
          { name: t.region, show: ({ region }) => region, isWide: true },
          { name: t.perSecond, show: ({ per_second }) => amount(per_second) },
          { name: t.ingress, show: ({ ingress_per_gib }) => amount(ingress_per_gib), isWide: true },
          { name: t.egress, show: ({ egress_per_gib }) => amount(egress_per_gib), isWide: true },
        ]}
      />
    </>
  )
}
