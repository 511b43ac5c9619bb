import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ticksOf } from '../../data/rooms/schedules.ts'
import { DateTime } from '../../parts/date-time.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'

/** The newest ticks that came, each with its run or why there is none. */
export function ScheduleTicks({ cid, sid }: { cid: string; sid: string }) {
  const t = useTexts().schedules
  const ticks = useQuery(ticksOf(cid, sid))
  const reasons: Partial<Record<string, string>> = t.skipped
  return (
    <Panel query={ticks} rows={2} empty={({ items }) => items.length === 0 && t.noTicks}>
      {({ items }) => (
        <ul>
          {items.map(({ due_at, run_id, skipped_because }) => (
            <li key={due_at} className={rows.detail}>
              <DateTime at={due_at} />
              {run_id === null ? (
                <span>{reasons[skipped_because ?? ''] ?? t.refused(skipped_because ?? '')}</span>
              ) : (
                <Link to="/chatrooms/$cid/runs/$rid" params={{ cid, rid: run_id }}>
                  {t.run}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
