import type { FastifyInstance } from 'fastify'

/**
 * Lets pages of other origins call the API. Nothing here is decided by cookies: a page has to hold a token or a key, and
 * the origins of a key are held where the key is read, so the browser's own check may be open to all.
 */
export function allowOtherOrigins(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.headers.origin !== undefined) reply.header('access-control-allow-origin', '*')
    done()
  })
  app.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'Authorization, X-Api-Key, Content-Type, Idempotency-Key, X-Sandbox-Upload-Capability',
        'access-control-expose-headers': 'Retry-After, Content-Disposition',
        'access-control-max-age': '600',
      })
      .send(),
  )
}
