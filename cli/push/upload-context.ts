import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import {
  type ContextUploadComplete,
  uploadCapabilityHeader,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { progressBar } from '../output/progress-bar.ts'
import type { Session } from '../session/session.ts'
import type { ContextArchive } from './context-archive.ts'

/** Longer than the minute in which uploads are counted. */
const waitMaxMs = 90_000

/** Uploads an archive through an upload session; the service verifies its size and digest. */
export async function uploadContext(
  { client, report }: Session,
  environmentId: string,
  archive: ContextArchive,
): Promise<ContextUploadComplete> {
  const opened = await whenPermitted(report, () =>
    client.call(allRoutes.initContextUpload, {
      params: { id: environmentId },
      body: { declared_bytes: archive.byteSize, archive_format: archive.format },
    }),
  )
  const params = { id: environmentId, sid: opened.upload_session_id }
  const silent = { write: () => undefined }
  const bar = progressBar({
    label: 'upload',
    total: archive.byteSize,
    stream: report.json ? silent : process.stderr,
  })
  try {
    await client.call(allRoutes.putContextUpload, {
      params,
      upload: countedFile(archive.path, (sent) => bar.update(sent)),
      headers: {
        [uploadCapabilityHeader]: opened.capability_token,
        'content-length': String(archive.byteSize),
      },
    })
    bar.end()
    return await client.call(allRoutes.completeContextUpload, {
      params,
      body: { expected_size: archive.byteSize, expected_digest: archive.digest },
    })
  } catch (error) {
    bar.end()
    // Otherwise the session would hold one of the company's upload slots for a day.
    await client.call(allRoutes.abortContextUpload, { params }).catch(() => undefined)
    throw error
  }
}

/** Waits while the company has started too many uploads in a minute, as an author does who saves often. */
async function whenPermitted<T>(report: Session['report'], start: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await start()
    } catch (error) {
      const isLimited = error instanceof ApiError && error.code === 'upload_rate_limited'
      if (!isLimited || performance.now() - startedAt > waitMaxMs) throw error
      const seconds = Math.max(1, error.retryAfterSeconds ?? 1)
      report.progress(`waiting ${seconds} s: too many uploads were started in a minute`)
      await sleep(seconds * 1000)
    }
  }
}

function countedFile(path: string, onBytes: (sent: number) => void): ReadableStream<Uint8Array> {
  let sent = 0
  const counted = async function* () {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      sent += chunk.length
      onBytes(sent)
      yield new Uint8Array(chunk)
    }
  }
  return Readable.toWeb(Readable.from(counted())) as ReadableStream<Uint8Array>
}
