import { Readable } from 'node:stream'
import {
  uploadCapabilityHeader,
  uploadContentType,
} from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../../base/errors/validation-error.ts'
import type { EnvironmentContext } from '../../../environments/catalogue/environment-context.ts'
import { abortContextUpload } from '../../../environments/uploads/context-abort-service.ts'
import { listContextObjects } from '../../../environments/uploads/context-object-service.ts'
import { receiveContext, type Upload } from '../../../environments/uploads/context-receive-service.ts'
import {
  completeContextUpload,
  initContextUpload,
  readContextUpload,
} from '../../../environments/uploads/context-upload-service.ts'
import type { Mount } from '../../mount.ts'
import { discardableBody } from '../../requests/raw-body.ts'

/** Staging of build-context archives (contract part 2, "Context-upload rules"). */
export function mountContextUploadRoutes(mount: Mount, context: EnvironmentContext): void {
  mount(contextUploadRoutes.listContextObjects, ({ principal, params, query }) =>
    listContextObjects(context, principal, params.id, query),
  )
  mount(contextUploadRoutes.initContextUpload, ({ principal, params, body }) =>
    initContextUpload(context, principal, params.id, body),
  )
  mount(contextUploadRoutes.readContextUpload, ({ principal, params }) =>
    readContextUpload(context, principal, sessionPath(params)),
  )
  mount(contextUploadRoutes.putContextUpload, async ({ principal, params, request }) => {
    const upload = uploadOf(request)
    try {
      return await receiveContext(context, principal, sessionPath(params), upload)
    } finally {
      upload.body.destroy()
    }
  })
  mount(contextUploadRoutes.completeContextUpload, ({ principal, params, body }) =>
    completeContextUpload(context, principal, sessionPath(params), body),
  )
  mount(contextUploadRoutes.abortContextUpload, ({ principal, params }) =>
    abortContextUpload(context, principal, sessionPath(params)),
  )
}

const sessionPath = (params: { id: string; sid: string }) => ({
  environmentId: params.id,
  sessionId: params.sid,
})

function uploadOf(request: FastifyRequest): Upload {
  const capability = request.headers[uploadCapabilityHeader.toLowerCase()]
  if (typeof capability !== 'string' || capability === '') {
    throw invalid(['header', uploadCapabilityHeader.toLowerCase()], 'missing', 'is required')
  }
  const contentType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (contentType !== uploadContentType || !(request.body instanceof Readable)) {
    throw invalid(['header', 'content-type'], 'content_type', `must be ${uploadContentType}`)
  }
  const length = request.headers['content-length']
  return {
    capability,
    contentLength: length === undefined ? undefined : Number(length),
    body: discardableBody(request.body),
  }
}
