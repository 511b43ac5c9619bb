import type { FastifyInstance } from 'fastify'
import { type MountOptions, mounter } from '../../http/mount.ts'
import { withFiles } from '../../http/requests/file-part.ts'
import { mountTaskFileRoutes } from '../../http/routes/tasks/files.ts'
import { mountShareRoutes } from '../../http/routes/tasks/shares.ts'
import { mountTaskRoutes } from '../../http/routes/tasks/tasks.ts'
import type { UploadContext } from '../../tasks/files/upload-context.ts'

/** The routes of tasks, their versions, files and shares, and of what rooms enable. */
export function mountTasks(app: FastifyInstance, mounting: MountOptions, context: UploadContext): void {
  const mount = mounter(app, mounting)
  mountTaskRoutes(mount, context)
  mountShareRoutes(mount, context)
  withFiles(app, (files) => mountTaskFileRoutes(mounter(files, mounting), context))
}
