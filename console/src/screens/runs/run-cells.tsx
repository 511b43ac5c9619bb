import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { FoundRun } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { placeOf } from '../../data/runs/found-runs.ts'
import { gridCell } from '../../parts/fixed-rows.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './run-rows.module.css'

interface Props {
  index: number
  /** Undefined while it is read. */
  run: FoundRun | undefined
  hasRooms: boolean
  isChosen: boolean
  canChoose: boolean
  onChoose: (index: number, run: FoundRun) => void
}

/** One run in a list of many, which is drawn again only when it changes: a scrolled list draws its other rows. */
export const RunCells = memo(function RunCells({
  index,
  run,
  hasRooms,
  isChosen,
  canChoose,
  onChoose,
}: Props) {
  const t = useTexts()
  if (run === undefined) {
    return (
      <span {...gridCell} className={styles.awaited} aria-busy="true">
        <span className="hidden">{t.loading}</span>
      </span>
    )
  }
  return (
    <>
      <span {...gridCell} className={`${styles.cell} ${styles.box}`}>
        <label>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={!canChoose}
            aria-label={t.runs.choose(plainText(run.task_name))}
            onChange={() => onChoose(index, run)}
          />
        </label>
      </span>
      <span {...gridCell} className={`${styles.cell} ${styles.state}`}>
        <StateBadge machine="run" state={run.status} />
      </span>
      <span {...gridCell} className={`${styles.cell} ${styles.task}`}>
        <Link to="/chatrooms/$cid/runs/$rid" params={placeOf(run)}>
          <TenantText text={run.task_name} />
        </Link>
      </span>
      {hasRooms && (
        <span {...gridCell} className={`${styles.cell} ${styles.task} ${styles.wide}`}>
          <TenantText text={run.chatroom_name} />
        </span>
      )}
      <Times run={run} />
      <span {...gridCell} className={`${styles.cell} ${styles.error} ${styles.wide}`}>
        {run.error_code !== '' && <code>{run.error_code}</code>}
      </span>
    </>
  )
})

function Times({ run: { queued_at, started_at, terminal_at } }: { run: FoundRun }) {
  const formats = useFormats()
  const between = (from: string | null, until: string | null) =>
    from && until && formats.duration(Date.parse(until) - Date.parse(from))
  return (
    <>
      <span {...gridCell} className={`${styles.cell} ${styles.when}`}>
        {queued_at && <Moment at={queued_at} />}
      </span>
      <span {...gridCell} className={`${styles.cell} ${styles.time} ${styles.wide}`}>
        {between(queued_at, started_at)}
      </span>
      <span {...gridCell} className={`${styles.cell} ${styles.time} ${styles.wide}`}>
        {between(started_at, terminal_at)}
      </span>
    </>
  )
}
