import type { FastifyInstance } from 'fastify'
import { type MountOptions, mounter } from '../../http/mount.ts'
import { withFiles } from '../../http/requests/file-part.ts'
import { mountBindingRoutes } from '../../http/routes/tasks/bindings.ts'
import { mountBundleUploadRoute } from '../../http/routes/tasks/bundle-uploads.ts'
import { mountGrantedJobRoutes } from '../../http/routes/tasks/granted-jobs.ts'
import { mountInputPreviewRoute } from '../../http/routes/tasks/input-preview.ts'
import { mountMenuRoutes } from '../../http/routes/tasks/menu.ts'
import { mountScriptUploadRoutes } from '../../http/routes/tasks/script-uploads.ts'
import { mountShareRoutes } from '../../http/routes/tasks/shares.ts'
import { mountTaskVersionRoutes } from '../../http/routes/tasks/task-versions.ts'
import { mountTaskRoutes } from '../../http/routes/tasks/tasks.ts'
import type { BundleUploadContext } from '../../tasks/files/upload-context.ts'

/** The routes of tasks, their versions, files and shares, and of what rooms enable. */
export function mountTasks(app: FastifyInstance, mounting: MountOptions, context: BundleUploadContext): void {
  const mount = mounter(app, mounting)
  mountTaskRoutes(mount, context)
  mountTaskVersionRoutes(mount, context)
  mountShareRoutes(mount, context)
  mountGrantedJobRoutes(mount, context)
  mountBindingRoutes(mount, context)
  mountMenuRoutes(mount, context)
  mountInputPreviewRoute(mount, context)
  withFiles(app, (files) => {
    const mountWithFiles = mounter(files, mounting)
    mountScriptUploadRoutes(mountWithFiles, context)
    mountBundleUploadRoute(mountWithFiles, context)
  })
}
