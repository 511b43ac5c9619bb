import { Identifier } from '../ids.ts'
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

const EnvironmentParams = Strict({ id: Identifier })
const SessionParams = Strict({ id: Identifier, sid: Identifier })

const tenant = { action: 'environment.upload', tag: 'Environments' } as const

/** Uploads of build-context archives; a curated environment returns 404 (contract part 2). */
export const contextUploadRoutes = {
  listContextObjects: route({
    ...tenant,
    method: 'GET',
    path: uploads,
    summary: 'List received archives and the versions made from them',
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
      'capability_unavailable',
      'storage_unavailable',
    ],
  }),
  readContextUpload: route({
    ...tenant,
    method: 'GET',
    path: session,
    summary: 'Read an upload session',
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
    params: SessionParams,
    bodyKind: 'octet-stream',
    response: ContextUploadPut,
    errors: [
      'not_found',
      'invalid_content_length',
      'context_too_large',
      'disk_space_low',
      'capability_fenced',
      'capability_unavailable',
      'illegal_transition',
      'storage_unavailable',
    ],
  }),
  completeContextUpload: route({
    ...tenant,
    method: 'POST',
    path: `${session}/complete`,
    summary: 'Check the received bytes and get the archive as an object',
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
    params: SessionParams,
    response: ContextUploadSession,
    errors: ['not_found', 'illegal_transition'],
  }),
}
