import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RefusedConnection } from '@sandbox-jobs/contract/resources/runs/network-log.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiQuery } from '../../data/api/queries.ts'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

const targetOf = ({ name, address, port, protocol }: RefusedConnection): string =>
  name === '' ? `${address}${port === 0 ? '' : `:${port}`} ${protocol}` : name

/** The connections that the run was refused, with the reasons. */
export default function NetworkTab({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const formats = useFormats()
  const log = useQuery(apiQuery(allRoutes.readNetworkLog, { params: { cid: run.chatroom_id, rid: run.id } }))
  return (
    <Panel query={log} empty={({ items }) => items.length === 0 && t.run.noNetwork}>
      {({ items, more }) => (
        <>
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">{t.run.network.target}</th>
                <th scope="col">{t.run.network.reason}</th>
                <th scope="col">{t.run.network.attempts}</th>
                <th scope="col">{t.run.network.last}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <tr key={`${targetOf(item)} ${item.reason} ${item.first_at}`}>
                  <td>
                    <TenantText text={targetOf(item)} />
                  </td>
                  <td lang="en">{item.explanation}</td>
                  <td>{formats.number(item.attempts)}</td>
                  <td>
                    <Moment at={item.last_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {more > 0 && <p>{t.run.moreRefused(more)}</p>}
        </>
      )}
    </Panel>
  )
}
