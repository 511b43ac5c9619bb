import { scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import type { TaskContext } from '../../../tasks/catalogue/task-access.ts'
import { putScriptFile, uploadScript } from '../../../tasks/files/script-upload-service.ts'
import type { Mount } from '../../mount.ts'
import { openFilePart, requireMultipart } from '../../requests/file-part.ts'

/** Scripts as files (contract part 2, "Tasks, versions, shares"). */
export function mountScriptUploadRoutes(mount: Mount, context: TaskContext): void {
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
}
