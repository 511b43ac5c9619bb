import { Type } from 'typebox'
import { ChatroomId, InputFileId } from '../identifiers.ts'
import { chatroomPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { InputFile, InputFileList, InputFileUpload } from '../resources/runs/input-file.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

const files = `${extensionPrefix}/chatrooms/{cid}/files` as const
const file = `${files}/{fid}` as const
const FileParams = Strict({ cid: ChatroomId, fid: InputFileId })
const tenant = { tag: 'Runs' } as const

/** Files for runs of a room, which they take beside their input (contract part 3, D6). */
export const inputFileRoutes = {
  uploadInputFile: route({
    ...tenant,
    action: 'file.upload',
    method: 'POST',
    path: files,
    summary: 'Upload a file for runs of a room, as raw bytes',
    description:
      'At most 256 MiB. Submissions to submitExtendedRun and runAndWait name it in `files`. Send `Content-Length`: without it, the upload reserves the maximum.',
    params: ChatroomParams,
    query: InputFileUpload,
    bodyKind: 'octet-stream',
    response: InputFile,
    errors: [
      'not_found',
      'invalid_content_length',
      'input_file_too_large',
      'staging_slot_exhausted',
      'storage_quota_exceeded',
      'disk_space_low',
      'storage_unavailable',
    ],
  }),
  listInputFiles: route({
    ...tenant,
    action: 'file.read',
    method: 'GET',
    path: files,
    summary: 'List the uploaded files of a room, newest first',
    description: 'A key with sandbox scope sees those that it uploaded. Expired ones are left out.',
    params: ChatroomParams,
    query: Type.Object(pageFields(chatroomPageSizeDefault)),
    response: InputFileList,
    errors: ['not_found'],
  }),
  readInputFile: route({
    ...tenant,
    action: 'file.read',
    method: 'GET',
    path: file,
    summary: 'Read name, size, digest and expiry of an uploaded file',
    description: 'The bytes are not served: they are for runs alone.',
    params: FileParams,
    response: InputFile,
    errors: ['not_found'],
  }),
  deleteInputFile: route({
    ...tenant,
    action: 'file.delete',
    method: 'DELETE',
    path: file,
    summary: 'Delete an uploaded file',
    description:
      'For its uploader and for managers of the room; `in_use` while a run that has not ended takes it. The answer is the file as it was. Retries of runs that took it are refused from then on.',
    params: FileParams,
    response: InputFile,
    errors: ['not_found', 'in_use', 'storage_unavailable'],
  }),
}
