import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { addressOf, api } from '../../data/api/api.ts'
import { readSessionsAgain, type SessionPath, sessionFilesOf } from '../../data/rooms/sessions.ts'
import { FinalAct } from '../../parts/final-act.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { nameIn } from './paths.ts'

interface Props {
  place: SessionPath
  path: string | undefined
}

/** The contents of one folder of a session. */
export function SessionFiles({ place, path }: Props) {
  const t = useTexts().sessions
  const files = useInfiniteQuery(sessionFilesOf(place, path))
  return (
    <Panel query={files} empty={({ pages }) => pages[0]?.items.length === 0 && t.noFiles}>
      {({ pages }) => (
        <>
          <ul className={rows.list}>
            {pages
              .flatMap(({ items }) => items)
              .map((file) => (
                <FileRow key={file.path} place={place} file={file} />
              ))}
          </ul>
          <MoreButton query={files} />
        </>
      )}
    </Panel>
  )
}

function FileRow({ place, file }: { place: SessionPath; file: SessionFile }) {
  const t = useTexts().sessions
  const formats = useFormats()
  const queries = useQueryClient()
  const { path, kind } = file
  const name = nameIn(path)
  return (
    <li>
      <div className={rows.words}>
        {kind === 'folder' ? (
          <Link to="/chatrooms/$cid/sessions/$sid" params={place} search={{ path }}>
            <TenantText text={name} />
          </Link>
        ) : (
          <TenantText text={name} />
        )}
        <span className={rows.detail}>
          <span>{t.kinds[kind]}</span>
          {kind === 'file' && <span>{formats.bytes(file.byte_size)}</span>}
          {file.target !== null && (
            <span>
              {t.target} <TenantText text={file.target} />
            </span>
          )}
        </span>
      </div>
      {kind === 'file' && (
        <LinkButton
          icon="download"
          name={name}
          href={addressOf(allRoutes.readSessionFile, { params: place, query: { path } })}
        >
          <TenantText text={t.downloadNamed(name)} />
        </LinkButton>
      )}
      <FinalAct
        icon="trash"
        label={t.deleteNamed(name)}
        act={t.delete}
        title={t.deleteNamed(name)}
        why={kind === 'folder' ? t.deleteFolderWhy : t.deleteFileWhy}
        run={() => api.call(allRoutes.deleteSessionFile, { params: place, query: { path } })}
        onDone={() => readSessionsAgain(queries)}
      />
    </li>
  )
}
