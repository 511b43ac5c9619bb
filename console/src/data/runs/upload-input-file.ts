import type { InputFile } from '@sandbox-jobs/contract/resources/runs/input-file.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { addressOf } from '../api/api.ts'
import { type FileRequest, sendFile } from '../api/send-file.ts'

interface Upload extends Pick<FileRequest, 'onProgress' | 'signal'> {
  cid: string
  file: File
}

/** Uploads a file for runs of a room. */
export function uploadInputFile({ cid, file, ...others }: Upload): Promise<InputFile> {
  const { uploadInputFile: route } = allRoutes
  const query = { name: file.name, ...(file.type !== '' && { media_type: file.type }) }
  return sendFile({
    method: route.method,
    address: addressOf(route, { params: { cid }, query }),
    file,
    ...others,
  })
}
