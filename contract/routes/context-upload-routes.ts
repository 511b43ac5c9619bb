import { EnvironmentId, UploadSessionId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { listQuery } from '../pagination.ts'
import {
  ContextObjectList,
  ContextUploadComplete,
  ContextUploadCompleteRequest,
  ContextUploadInit,
  ContextUploadInitRequest,
  ContextUploadPut,
  ContextUploadSession,
} from '../resources/environments/context-upload.ts'
import { Strict } from '../schema.ts'
import { sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const uploads = `${sandboxPrefix}/environments/{id}/context-uploads` as const
const session = `${uploads}/{sid}` as const

const EnvironmentParams = Strict({ id: EnvironmentId })
const SessionParams = Strict({ id: EnvironmentId, sid: UploadSessionId })

const tenant = { action: 'environment.upload', tag: 'Environments' } as const

/** Uploads of build-context archives; a curated environment returns 404 (contract part 2). */
export const contextUploadRoutes = {
  listContextObjects: route({
    ...tenant,
    method: 'GET',
    path: uploads,
    summary: 'List received archives and the versions made from them',
    description: 'An archive that no version uses is deleted at `expires_at`.',
    params: EnvironmentParams,
    query: listQuery(catalogPageSizeDefault),
    response: ContextObjectList,
    errors: ['not_found'],
  }),
  initContextUpload: route({
    ...tenant,
    method: 'POST',
    path: uploads,
    summary: 'Open an upload session',
    description:
      'The answer has a token for putContextUpload. A session lasts 24 hours, a company has at most 20 unfinished ones and may open 5 a minute.',
    params: EnvironmentParams,
    body: ContextUploadInitRequest,
    response: ContextUploadInit,
    errors: [
      'not_found',
      'environment_archived',
      'staging_slot_exhausted',
      'upload_rate_limited',
      'storage_quota_exceeded',
      'disk_space_low',
      'storage_unavailable',
    ],
  }),
  readContextUpload: route({
    ...tenant,
    method: 'GET',
    path: session,
    summary: 'Read an upload session',
    description: '`completing` means that complete was tried and a check failed: try it again, or abort.',
    params: SessionParams,
    response: ContextUploadSession,
    errors: ['not_found'],
  }),
  /** Requires the header `X-Sandbox-Upload-Capability`. */
  putContextUpload: route({
    ...tenant,
    method: 'PUT',
    path: session,
    summary: 'Send the bytes of the archive',
    description: 'The body is the archive itself, not JSON. A repeat replaces what was sent before.',
    params: SessionParams,
    bodyKind: 'octet-stream',
    response: ContextUploadPut,
    errors: [
      'not_found',
      'invalid_content_length',
      'context_too_large',
      'disk_space_low',
      'capability_fenced',
      'illegal_transition',
      'storage_unavailable',
    ],
  }),
  completeContextUpload: route({
    ...tenant,
    method: 'POST',
    path: `${session}/complete`,
    summary: 'Check the received bytes and get the archive as an object',
    description: 'The identifier in the answer, `owned_object_id`, makes an environment version.',
    params: SessionParams,
    body: ContextUploadCompleteRequest,
    bodyOptional: true,
    response: ContextUploadComplete,
    errors: [
      'not_found',
      'upload_incomplete',
      'upload_size_mismatch',
      'upload_digest_mismatch',
      'illegal_transition',
      'storage_unavailable',
    ],
  }),
  abortContextUpload: route({
    ...tenant,
    method: 'POST',
    path: `${session}/abort`,
    summary: 'Drop an unfinished session and free its slot',
    description: 'The bytes are deleted. A completed session cannot be aborted.',
    params: SessionParams,
    response: ContextUploadSession,
    errors: ['not_found', 'illegal_transition'],
  }),
}
