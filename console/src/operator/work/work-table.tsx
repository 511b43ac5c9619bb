import type { OperatedRun } from '@sandbox-jobs/contract/operator/operator-work.ts'
import type { MachineName } from '../../design/states.ts'
import { IdText } from '../../parts/id-text.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { CompanyLink } from '../company-link.tsx'
import { type Column, Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

interface Props<Item> {
  title: string
  none: string
  machine: MachineName
  /** The name of the column of identifiers. */
  id: string
  list: { items: readonly Item[]; is_cut: boolean }
  /** After the company. */
  more?: readonly Column<Item>[]
  /** The last one. */
  acts?: Column<Item>
}

/** Runs or builds with their companies, those that have been there the longest first. */
export function WorkTable<Item extends OperatedRun>({
  title,
  none,
  machine,
  id,
  list,
  more = [],
  acts,
}: Props<Item>) {
  const t = useOperatorTexts()
  const { duration, number } = useFormats()
  return (
    <>
      <Table
        title={title}
        none={none}
        rows={list.items}
        keyOf={(item) => item.id}
        columns={[
          { name: t.overview.state, show: ({ state }) => <StateBadge machine={machine} state={state} /> },
          {
            name: t.overview.company,
            show: ({ company_id, company }) => <CompanyLink id={company_id} name={company} />,
          },
          ...more,
          { name: id, show: (item) => <IdText id={item.id} />, isWide: true },
          { name: t.overview.profile, show: ({ profile }) => profile, isWide: true },
          { name: t.work.time, show: ({ seconds }) => duration(seconds * 1000) },
          ...(acts ? [acts] : []),
        ]}
      />
      {list.is_cut && <p>{t.work.firstOnly(number(list.items.length))}</p>}
    </>
  )
}
