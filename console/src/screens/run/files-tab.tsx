import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { RunArtifact } from '@sandbox-jobs/contract/resources/runs/run-artifact.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf, api } from '../../data/api/api.ts'
import { apiPages } from '../../data/api/queries.ts'
import { Icon } from '../../design/icon.tsx'
import { Button } from '../../parts/button.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { FilePreview } from '../../results/file-preview.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './files-tab.module.css'
import { Remarks } from './remarks.tsx'
import { hasEnded } from './tabs.ts'

const pageSize = 100

/** The files that the run left. */
export default function FilesTab({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const params = { cid: run.chatroom_id, rid: run.id }
  const files = useInfiniteQuery(apiPages(allRoutes.listRunFiles, { params, query: { page_size: pageSize } }))
  const none = hasEnded(run.status) ? t.run.noFiles : t.run.notEnded
  return (
    <>
      <Remarks run={run} />
      <Panel query={files} empty={({ pages }) => pages[0]?.items.length === 0 && none}>
        {({ pages }) => (
          <>
            <table className={table.table}>
              <tbody>
                {pages
                  .flatMap(({ items }) => items)
                  .map((file) => (
                    <FileRow key={file.id} cid={run.chatroom_id} file={file} />
                  ))}
              </tbody>
            </table>
            <MoreButton query={files} />
          </>
        )}
      </Panel>
    </>
  )
}

function FileRow({ cid, file }: { cid: string; file: RunArtifact }) {
  const t = useTexts()
  const [isShown, setIsShown] = useState(false)
  const formats = useFormats()
  const href = addressOf(allRoutes.readRunArtifact, { params: { cid, rid: file.run_id, aid: file.id } })
  const name = <TenantText text={file.relative_path} />
  return (
    <>
      <tr>
        <td>
          {file.deletion_state === 'active' ? (
            <a
              className={styles.file}
              href={href}
              download
              aria-label={t.run.downloadFile(plainText(file.relative_path))}
            >
              <Icon name="download" />
              {name}
            </a>
          ) : (
            name
          )}
        </td>
        <td className={table.number}>{formats.bytes(file.byte_size)}</td>
        <td className={styles.act}>
          {file.deletion_state === 'active' && (
            <Button kind="quiet" onPress={() => setIsShown(!isShown)}>
              {isShown ? t.run.hide : t.run.show}
            </Button>
          )}
        </td>
      </tr>
      {isShown && (
        <tr>
          <td colSpan={3} className={styles.preview}>
            <FilePreview
              name={file.relative_path}
              bytes={file.byte_size}
              read={(range, signal) => readFile({ cid, rid: file.run_id, aid: file.id }, range, signal)}
              download={
                <LinkButton icon="download" href={href}>
                  <TenantText text={t.run.downloadFile(file.relative_path)} />
                </LinkButton>
              }
            />
          </td>
        </tr>
      )}
    </>
  )
}

const readFile = (
  params: { cid: string; rid: string; aid: string },
  range: { first: number; last: number } | undefined,
  signal: AbortSignal,
): Promise<Response> =>
  api.call(allRoutes.readRunArtifact, {
    params,
    signal,
    ...(range && { headers: { range: `bytes=${range.first}-${range.last}` } }),
  })
