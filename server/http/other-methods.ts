import { needsCredentials } from '@sandbox-jobs/contract/access/actions.ts'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance } from 'fastify'
import { PlainError } from '../base/errors/plain-error.ts'
import { chatroomOf, fastifyPath, type MountOptions } from './mount.ts'
import { checkEnabled, checkKeyScope } from './scopes.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/**
 * Responds 405 on paths of the contract to every method that they do not have. Credentials, key scope and kill switch
 * are checked first, as for an existing method. No id is looked up: the path pattern itself is public.
 */
export function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly Route[],
  options: MountOptions,
): void {
  for (const sharing of Map.groupBy(routes, ({ path }) => path).values()) {
    const [route] = sharing
    if (!route) continue
    const allowed: string[] = sharing.map(({ method }) => method)
    if (allowed.includes('GET')) allowed.push('HEAD')
    const allow = [...allowed, 'OPTIONS'].join(', ')
    const { status, detail } = uncoded.method_not_allowed
    app.route({
      method: methods.filter((method) => !allowed.includes(method)),
      url: fastifyPath(route.path),
      onRequest: async (request) => {
        if (needsCredentials(route.action)) {
          checkKeyScope(route, await options.authenticate(request), chatroomOf(request))
        }
        checkEnabled(options, { method: request.method, path: route.path })
        throw new PlainError(status, detail, { allow })
      },
      handler: () => {
        throw new Error('a method that the path does not have reached its handler')
      },
    })
  }
}
