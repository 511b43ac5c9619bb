import type { Door } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { doorsOf } from '../../data/rooms/doors.ts'
import { FinalAct } from '../../parts/final-act.tsx'
import { Moment } from '../../parts/moment.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** A door with its address, its languages, and when it was used last. */
export function DoorRow({ door }: { door: Door }) {
  const t = useTexts()
  const formats = useFormats()
  const queries = useQueryClient()
  const languages = door.runtimes.map(({ language, version }) => `${language} ${version}`).join(', ')
  return (
    <li>
      <div className={rows.words}>
        <span>
          <TenantText text={door.name} /> ({t.doors.kinds[door.kind]})
        </span>
        <code>{location.origin + door.path}</code>
        <span className={rows.detail}>
          <span>{languages}</span>
          <span>{door.network ? t.doors.hasNetwork : t.doors.noNetwork}</span>
          <span>{t.doors.stopsAfter(formats.duration(door.timeout_seconds * 1000))}</span>
          <span>
            {door.last_used_at === null ? (
              t.doors.neverUsed
            ) : (
              <>
                {t.doors.lastUsed} <Moment at={door.last_used_at} />
              </>
            )}
          </span>
        </span>
      </div>
      <FinalAct
        icon="trash"
        label={t.doors.removeNamed(door.name)}
        act={t.doors.remove}
        title={t.doors.removeNamed(door.name)}
        why={t.doors.removeWhy}
        run={() => api.call(allRoutes.deleteDoor, { params: { cid: door.chatroom_id, did: door.id } })}
        onDone={() => queries.invalidateQueries(doorsOf(door.chatroom_id))}
      />
    </li>
  )
}
