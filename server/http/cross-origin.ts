import type { FastifyInstance } from 'fastify'

/** For the page that asked: the answer, and of its headers those that a page has a use for. */
const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, Content-Disposition, WWW-Authenticate',
}

/**
 * Lets pages of other origins call the API. Nothing here is decided by cookies: a page has to hold a token or a key, and
 * the origins of a key are held where the key is read, so the browser's own check may be open to all.
 */
export function allowOtherOrigins(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.headers.origin !== undefined) reply.headers(readable)
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
        'access-control-max-age': '600',
      })
      .send(),
  )
}
