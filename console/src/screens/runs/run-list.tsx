import type { VisibleRun } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { Link } from '@tanstack/react-router'
import { Moment } from '../../parts/moment.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import styles from './run-list.module.css'

/** Runs of one room beside other things: state, task and time. */
export const RunList = ({ runs }: { runs: readonly VisibleRun[] }) => (
  <ul className={styles.list}>
    {runs.map((run) => (
      <li key={run.id} className={styles.row}>
        <Link
          to="/chatrooms/$cid/runs/$rid"
          params={{ cid: run.chatroom_id, rid: run.id }}
          className={`${rowLink.link} ${styles.link}`}
        >
          <TenantText text={run.task_name} />
        </Link>
        <StateBadge machine="run" state={run.status} />
        <span className={styles.when}>{run.queued_at && <Moment at={run.queued_at} />}</span>
      </li>
    ))}
  </ul>
)
