import { bundleMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { scriptRoutes } from '@sandbox-jobs/contract/routes/script-routes.ts'
import { uploadBundle } from '../../../tasks/files/bundle-upload-service.ts'
import type { BundleUploadContext } from '../../../tasks/files/upload-context.ts'
import type { Mount } from '../../mount.ts'
import { openFilePart, requireMultipart } from '../../requests/file-part.ts'

/** Files that a task version includes (contract part 3, D5). */
export function mountBundleUploadRoute(mount: Mount, context: BundleUploadContext): void {
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
