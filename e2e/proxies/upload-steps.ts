import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { contextArchiveMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import {
  uploadCapabilityHeader,
  uploadContentType,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { requireParts, type Step } from '../first-hour/step.ts'
import type { Tenant } from '../main-job/tenant.ts'
import { authorized, type Ground, mib, pathOf, requireStatus, step } from './ground.ts'
import { type Sent, send } from './https-request.ts'

/** Uploads of the largest size, and of one that is refused. */
export function uploadSteps(ground: Ground): Step[] {
  const { tenant, proxied } = ground
  return [
    step('author', 'uploads 1 GiB', async () => {
      const upload = await openUpload(tenant, contextArchiveMaxBytes)
      const sent = zeros(contextArchiveMaxBytes)
      const answer = await send(
        proxied,
        authorized(ground, putOf(upload, { body: sent.body, bytes: contextArchiveMaxBytes })),
      )
      requireStatus(answer, 200)
      requireParts(answer.body, `"bytes_received":${contextArchiveMaxBytes}`, sent.digest())
      await tenant.client.call(allRoutes.abortContextUpload, { params: upload.params })
    }),
    step('author', 'reads why an upload of 64 MiB is refused before the body has arrived', async () => {
      const upload = await openUpload(tenant, 10)
      const { body } = zeros(64 * mib)
      try {
        const answer = await send(proxied, authorized(ground, putOf(upload, { body, bytes: 64 * mib })))
        requireStatus(answer, 413)
        requireParts(answer.body, 'context_too_large')
      } catch (error) {
        if (!ground.closesRefusedUploads || !isBroken(error)) throw error
      }
      await tenant.client.call(allRoutes.abortContextUpload, { params: upload.params })
    }),
  ]
}

interface OpenUpload {
  params: { id: string; sid: string }
  capability: string
}

async function openUpload({ client }: Tenant, bytes: number): Promise<OpenUpload> {
  const { id } = await client.call(allRoutes.createEnvironment, { body: { name: `proxy-${randomUUID()}` } })
  const opened = await client.call(allRoutes.initContextUpload, {
    params: { id },
    body: { declared_bytes: bytes },
  })
  return { params: { id, sid: opened.upload_session_id }, capability: opened.capability_token }
}

const putOf = (
  { params, capability }: OpenUpload,
  { body, bytes }: { body: Readable; bytes: number },
): Sent => ({
  method: 'PUT',
  path: pathOf(allRoutes.putContextUpload, params),
  headers: {
    'content-type': uploadContentType,
    'content-length': String(bytes),
    [uploadCapabilityHeader]: capability,
  },
  body,
})

/** So many bytes, whole MiB, and their digest when all were read. */
function zeros(bytes: number): { body: Readable; digest: () => string } {
  const chunk = Buffer.alloc(mib)
  const hash = createHash('sha256')
  const parts = function* () {
    for (let sent = 0; sent < bytes; sent += mib) {
      hash.update(chunk)
      yield chunk
    }
  }
  return { body: Readable.from(parts()), digest: () => hash.digest('hex') }
}

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET')
