import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { nameOf } from '../../data/runs/names.ts'
import { DateTime } from '../../parts/date-time.tsx'
import { Moment } from '../../parts/moment.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** Size, use and end of a session. */
export function SessionFacts({ session, showsOwner }: { session: Session; showsOwner: boolean }) {
  const t = useTexts().sessions
  const formats = useFormats()
  const { chatroom_id: cid, run_id: rid } = session
  return (
    <span className={rows.detail}>
      {showsOwner && <Owner id={session.created_by} />}
      <span>{t.entries(session.file_count)}</span>
      <span>{t.sizeOf(formats.bytes(session.byte_size), formats.bytes(session.size_limit_bytes))}</span>
      <span>
        {t.used} <Moment at={session.last_used_at} />
      </span>
      <span>
        {t.until} <DateTime at={session.expires_at} />
      </span>
      {rid !== null && (
        <Link to="/chatrooms/$cid/runs/$rid" params={{ cid, rid }}>
          {t.heldBy}
        </Link>
      )}
    </span>
  )
}

function Owner({ id }: { id: string }) {
  const { data: name } = useQuery(nameOf(id))
  return <TenantText text={name ?? id} />
}
