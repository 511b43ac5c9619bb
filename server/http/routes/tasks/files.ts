import { bundleMaxBytes, scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { uploadBundle } from '../../../tasks/files/bundle-upload-service.ts'
import { putScriptFile, uploadScript } from '../../../tasks/files/script-upload-service.ts'
import type { UploadContext } from '../../../tasks/files/upload-context.ts'
import type { Mount } from '../../mount.ts'
import { openFilePart, requireMultipart } from '../../requests/file-part.ts'

/** Scripts as files (contract part 2, "Tasks, versions, shares"), and files that a version includes (contract part 3, D5). */
export function mountTaskFileRoutes(mount: Mount, context: UploadContext): void {
  mount(scriptRoutes.uploadScript, ({ principal, params, request }) => {
    requireMultipart(request)
    const open = () => openFilePart(request, scriptMaxBytes)
    return uploadScript(context, principal, { taskId: params.id, open })
  })
  mount(scriptRoutes.putScriptFile, ({ principal, params, query, request }) => {
    requireMultipart(request)
    const open = () => openFilePart(request, scriptMaxBytes)
    const { target } = query
    return putScriptFile(context, principal, { taskId: params.id, versionId: params.vid, target, open })
  })
  mount(scriptRoutes.uploadBundle, ({ principal, params, request }) => {
    requireMultipart(request)
    const length = request.headers['content-length']
    return uploadBundle(context, principal, {
      taskId: params.id,
      contentLength: length === undefined ? undefined : Number(length),
      open: () => openFilePart(request, bundleMaxBytes),
    })
  })
}
