import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { mountConsole } from '../../http/console/console.ts'
import { mountOpenApiRoutes } from '../../http/routes/openapi.ts'
import { mountPackedFiles } from '../../http/routes/packed-files.ts'

interface ServedParts {
  baseUrl: string
  packedFolder: string | undefined
  /** Name of the identity provider at which people sign in. */
  provider: string | undefined
}

/** Files that anybody may read: the documents of the API, the packed programs and the console. */
export function mountServedFiles(
  app: FastifyInstance,
  { baseUrl, packedFolder, provider }: ServedParts,
): void {
  mountOpenApiRoutes(app, { baseUrl, packedFolder })
  if (packedFolder !== undefined) mountPackedFiles(app, packedFolder)
  mountConsole(app, packedFolder && join(packedFolder, 'console'), provider)
}
