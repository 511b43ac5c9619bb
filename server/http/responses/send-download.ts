import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Download,
  type DownloadRequest,
  RangeNotSatisfiable,
} from '../../storage/downloads/downloads.ts'
import { onceClosed } from '../requests/client-gone.ts'

/** The range of a request for a download, and a signal that fires when its sender has gone. */
export function downloadRequestOf(request: FastifyRequest, reply: FastifyReply): DownloadRequest {
  const { range, 'if-range': ifRange } = request.headers
  return { range, ifRange: typeof ifRange === 'string' ? ifRange : undefined, signal: goneSignal(reply) }
}

/** Fires when the connection of the answer is closed. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  onceClosed(reply, () => gone.abort())
  return gone.signal
}

/** Sends what `open` opens: all of it, or 206 with the range; 416 reports the size. Its `headers` replace the usual ones. */
export async function sendDownload(
  reply: FastifyReply,
  open: Promise<Download & { headers?: Record<string, string> }>,
): Promise<FastifyReply> {
  const download = await open.catch((error: unknown) => {
    if (error instanceof RangeNotSatisfiable) reply.header('content-range', error.contentRange)
    throw error
  })
  const { body, byteSize, range } = download
  const { start, end } = range ?? { start: 0, end: byteSize }
  return reply
    .code(range ? 206 : 200)
    .headers({ ...untrustedHeaders, ...download.headers })
    .headers(range ? { 'content-range': `bytes ${start}-${end - 1}/${byteSize}` } : {})
    .header('accept-ranges', 'bytes')
    .header('etag', download.etag)
    .headers(download.lastModified ? { 'last-modified': download.lastModified.toUTCString() } : {})
    .header('content-disposition', download.contentDisposition)
    .header('content-length', end - start)
    .send(body)
}

/** Content of tenants under the address of the service: never rendered, never cached, and no referrer is sent. */
export const untrustedHeaders = {
  'content-type': 'application/octet-stream',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}
