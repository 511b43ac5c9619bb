import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance } from 'fastify'
import { PlainError } from '../base/plain-error.ts'
import { chatroomOf, fastifyPath, type MountOptions } from './mount.ts'
import { checkEnabled, checkKeyScope } from './scopes.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/**
 * Answers 405 on the paths of the contract for every method that they do not have. Credentials, key scope and kill
 * switch come first, as for a method that is there: a path without its ids is no secret, what a caller may do on it is
 * answered as ever, and no id is looked up.
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
        if (route.access !== 'public' && route.access !== 'token') {
          checkKeyScope(route, await options.authenticate(request.headers), chatroomOf(request))
        }
        checkEnabled(options.enabled, { method: request.method, path: route.path })
        throw new PlainError(status, detail, { allow })
      },
      handler: () => {
        throw new Error('a method that the path does not have reached its handler')
      },
    })
  }
}
