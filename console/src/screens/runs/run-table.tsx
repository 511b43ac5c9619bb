import type { VisibleRun } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { Link } from '@tanstack/react-router'
import { Moment } from '../../parts/moment.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './run-table.module.css'

/** Runs of several rooms. A narrow screen shows state, task and time. */
export function RunTable({ runs, hasRooms }: { runs: readonly VisibleRun[]; hasRooms: boolean }) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.runs.state}</th>
          <th scope="col">{t.runs.task}</th>
          {hasRooms && (
            <th scope="col" className={styles.wide}>
              {t.runs.room}
            </th>
          )}
          <th scope="col">{t.runs.queued}</th>
          <th scope="col" className={styles.wide}>
            {t.runs.took}
          </th>
          <th scope="col" className={styles.wide}>
            {t.runs.error}
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} hasRooms={hasRooms} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ run, hasRooms }: { run: VisibleRun; hasRooms: boolean }) {
  const formats = useFormats()
  const took =
    run.queued_at && run.terminal_at
      ? formats.duration(Date.parse(run.terminal_at) - Date.parse(run.queued_at))
      : ''
  return (
    <tr className={`${styles.row} ${rowLink.row}`}>
      <td>
        <StateBadge machine="run" state={run.status} />
      </td>
      <td>
        <Link
          to="/chatrooms/$cid/runs/$rid"
          params={{ cid: run.chatroom_id, rid: run.id }}
          className={rowLink.link}
        >
          <TenantText text={run.task_name} />
        </Link>
      </td>
      {hasRooms && (
        <td className={styles.wide}>
          <TenantText text={run.chatroom_name} />
        </td>
      )}
      <td className={`${table.number} ${styles.when}`}>{run.queued_at && <Moment at={run.queued_at} />}</td>
      <td className={`${styles.wide} ${table.number}`}>{took}</td>
      <td className={styles.wide}>{run.error_code !== '' && <code>{run.error_code}</code>}</td>
    </tr>
  )
}
