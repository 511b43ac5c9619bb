import { BaseImageList } from '../resources/builds/base-image.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

/** Images that a Dockerfile can start from (contract part 3, D6 and D8). */
export const baseImageRoutes = {
  listBaseImages: route({
    action: 'environment.list',
    tag: 'Environments',
    method: 'GET',
    path: `${extensionPrefix}/base-images`,
    summary: 'List the base images of the operator, and which registries others are pulled from',
    description:
      'Each name can stand in `FROM` and `COPY --from`. A new image is in the list some seconds after the operator made it.',
    response: BaseImageList,
    errors: [],
  }),
}
