import type { OperatorActEntry } from '@sandbox-jobs/contract/operator/operator-act.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { DateTime } from '../../parts/date-time.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { Commands } from '../commands.tsx'
import { acts } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'
import { detailText } from './detail-text.ts'

/** The audit log of operators: what they changed by commands and in this console, and why. */
export function ActsPage() {
  const t = useOperatorTexts()
  const query = useInfiniteQuery(acts)
  return (
    <Page title={t.acts.title} product={t.product}>
      <Panel query={query} rows={8}>
        {({ pages }) => (
          <>
            <Broken at={pages[0]?.broken_at ?? null} />
            <ActTable entries={pages.flatMap(({ items }) => items)} />
            <MoreButton query={query} />
          </>
        )}
      </Panel>
      <Commands commands={[{ does: t.acts.verify, line: 'sandbox operator audit' }]} />
    </Page>
  )
}

function Broken({ at }: { at: number | null }) {
  const t = useOperatorTexts().acts
  const { number } = useFormats()
  if (at === null) return null
  return (
    <ToneBox tone="danger" icon="alert" role="alert">
      {t.broken(number(at))}
    </ToneBox>
  )
}

function ActTable({ entries }: { entries: readonly OperatorActEntry[] }) {
  const t = useOperatorTexts().acts
  return (
    <Table
      title={t.newest}
      none={t.none}
      rows={entries}
      keyOf={({ sequence }) => String(sequence)}
      columns={[
        { name: t.at, show: ({ done_at }) => <DateTime at={done_at} /> },
        { name: t.account, show: ({ account }) => <TenantText text={account} /> },
        { name: t.act, show: ({ act }) => <code>{act}</code> },
        { name: t.subject, show: ({ subject }) => <TenantText text={subject} />, isWide: true },
        { name: t.reason, show: ({ details }) => <TenantText text={reasonOf(details)} /> },
        { name: t.details, show: ({ details }) => <TenantText text={detailText(details)} />, isWide: true },
      ]}
    />
  )
}

/** Commands have a reason for some acts alone. */
const reasonOf = ({ reason }: OperatorActEntry['details']): string =>
  typeof reason === 'string' ? reason : ''
