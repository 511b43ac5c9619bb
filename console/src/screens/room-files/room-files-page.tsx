import type { InputFile } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { inputFilesOf } from '../../data/rooms/files.ts'
import { DateTime } from '../../parts/date-time.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { RoomScreen } from '../rooms/room-screen.tsx'
import { UploadFiles } from './upload-files.tsx'

/** Files that runs of the room may take. Their bytes are for runs alone. */
export function RoomFilesPage() {
  const t = useTexts().roomFiles
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/files' })
  const files = useInfiniteQuery(inputFilesOf(cid))
  return (
    <RoomScreen cid={cid} title={t.title}>
      <UploadFiles cid={cid} />
      <Panel query={files} empty={({ pages }) => pages[0]?.items.length === 0 && t.none}>
        {({ pages }) => (
          <>
            <ul className={rows.list}>
              {pages
                .flatMap(({ items }) => items)
                .map((file) => (
                  <FileRow key={file.id} file={file} />
                ))}
            </ul>
            <MoreButton query={files} />
          </>
        )}
      </Panel>
    </RoomScreen>
  )
}

function FileRow({ file }: { file: InputFile }) {
  const t = useTexts().roomFiles
  const formats = useFormats()
  const queries = useQueryClient()
  const { chatroom_id: cid, id: fid } = file
  return (
    <li>
      <div className={rows.words}>
        <span>
          <TenantText text={file.name} />
        </span>
        <span className={rows.detail}>
          <span>{formats.bytes(file.byte_size)}</span>
          <Moment at={file.created_at} />
          <span>
            {t.until} <DateTime at={file.expires_at} />
          </span>
        </span>
      </div>
      <FinalAct
        icon="trash"
        label={t.deleteNamed(file.name)}
        act={t.delete}
        title={t.deleteNamed(file.name)}
        why={t.deleteWhy}
        run={() => api.call(allRoutes.deleteInputFile, { params: { cid, fid } })}
        onDone={() => queries.invalidateQueries(inputFilesOf(cid))}
      />
    </li>
  )
}
