import { baseImageRoutes } from '@sandbox-jobs/contract/routes/base-image-routes.ts'
import { type BaseImageContext, readBaseImages } from '../../../builds/bases/read-base-images.ts'
import type { Mount } from '../../mount.ts'

/** Base images of the operator (extension): the same for every company. */
export function mountBaseImageRoutes(mount: Mount, context: BaseImageContext): void {
  mount(baseImageRoutes.listBaseImages, () => readBaseImages(context))
}
