import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Plugin } from 'vite'

const declarations = /\/contract\/routes\/index\.ts$/

/**
 * Replaces the route declarations by the parts that a request needs. Their schemas are for types and for the server,
 * and many times larger than the console.
 */
export const slimRoutes = (): Plugin => ({
  name: 'slim-routes',
  load: {
    filter: { id: declarations },
    handler: () => `export const allRoutes = ${JSON.stringify(slimmed())}`,
  },
})

const slimmed = () =>
  Object.fromEntries(
    Object.entries(allRoutes).map(([name, route]) => [
      name,
      {
        method: route.method,
        path: route.path,
        ...('bodyKind' in route && { bodyKind: route.bodyKind }),
        // The client reads JSON if a response is declared.
        ...('response' in route && { response: {} }),
      },
    ]),
  )
