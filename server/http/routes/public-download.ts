import { publicLinkRoutes } from '@sandbox-jobs/contract/routes/public-link-routes.ts'
import { type DownloadDeps, PublicDownloads, RangeNotSatisfiable } from '../../runs/public-download.ts'
import type { Mount } from '../mount.ts'
import type { RequestTurns } from '../request-turns.ts'
import { turnOf } from '../take-turn.ts'
import { untrustedHeaders } from '../untrusted.ts'

/** `GET /public/sandbox/artifacts/{token}` (contract part 2, "Public routes"). */
export function mountPublicDownloadRoute(
  mount: Mount,
  services: DownloadDeps & { turns?: RequestTurns },
): void {
  const downloads = new PublicDownloads(services)
  mount(publicLinkRoutes.downloadByToken, async ({ params, request, reply }) => {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const { range: asked, 'if-range': ifRange } = request.headers
    const takeTurn = (companyId: string) => turnOf(services.turns, companyId, reply)(0)
    const headers = { range: asked, ifRange: typeof ifRange === 'string' ? ifRange : undefined }
    const download = await downloads
      .open({ token: params.token, ...headers, takeTurn, signal: gone.signal })
      .catch((error: unknown) => {
        if (error instanceof RangeNotSatisfiable) reply.header('content-range', error.contentRange)
        throw error
      })
    const { body, byteSize, range } = download
    // Who has gone already is told nothing any more, and the body would wait for ever.
    if (gone.signal.aborted) body.destroy()
    const { start, end } = range ?? { start: 0, end: byteSize }
    return reply
      .code(range ? 206 : 200)
      .headers(untrustedHeaders)
      .headers(range ? { 'content-range': `bytes ${start}-${end - 1}/${byteSize}` } : {})
      .header('accept-ranges', 'bytes')
      .header('etag', download.etag)
      .header('content-disposition', download.contentDisposition)
      .header('content-length', end - start)
      .send(body)
  })
}
