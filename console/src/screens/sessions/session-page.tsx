import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { addressOf } from '../../data/api/api.ts'
import { sendFile } from '../../data/api/send-file.ts'
import { readSessionsAgain, sessionOf } from '../../data/rooms/sessions.ts'
import { FileUpload } from '../../parts/file-upload.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomScreen } from '../rooms/room-screen.tsx'
import { DeleteSession } from './delete-session.tsx'
import { FolderTrail } from './folder-trail.tsx'
import { pathIn } from './paths.ts'
import { SessionFacts } from './session-facts.tsx'
import { SessionFiles } from './session-files.tsx'

/** A session of the person: the files of one folder, which the address has. */
export function SessionPage() {
  const t = useTexts().sessions
  const params = useParams({ from: '/signed-in/chatrooms/$cid/sessions/$sid' })
  const { path } = useSearch({ from: '/signed-in/chatrooms/$cid/sessions/$sid' })
  const { cid } = params
  const session = useQuery(sessionOf(params))
  const queries = useQueryClient()
  const navigate = useNavigate()
  if (isNotFound(session.error)) return <NotFoundPage />
  const query = path === undefined ? {} : { path }
  return (
    <RoomScreen
      cid={cid}
      title={() => session.data?.name ?? t.unnamed}
      parent={{ text: t.list, to: `/chatrooms/${cid}/sessions` }}
      actions={
        session.data && (
          <>
            <LinkButton icon="download" href={addressOf(allRoutes.downloadSession, { params, query })}>
              {t.downloadAll}
            </LinkButton>
            <DeleteSession
              session={session.data}
              isOwn
              onDone={() => navigate({ to: '/chatrooms/$cid/sessions', params: { cid } })}
            />
          </>
        )
      }
    >
      <Panel query={session} rows={1}>
        {(shown) => <SessionFacts session={shown} showsOwner={false} />}
      </Panel>
      <FolderTrail place={params} path={path} />
      <FileUpload
        label={t.add}
        send={({ file, ...others }) =>
          sendFile({
            method: allRoutes.writeSessionFile.method,
            address: addressOf(allRoutes.writeSessionFile, {
              params,
              query: { path: pathIn(path, file.name) },
            }),
            file,
            ...others,
          })
        }
        onDone={() => readSessionsAgain(queries)}
      />
      <SessionFiles place={params} path={path} />
    </RoomScreen>
  )
}
