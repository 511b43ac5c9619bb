import type { FastifyInstance } from 'fastify'
import { tokenOfSignIn } from '../../access/authentication/browser-sign-in.ts'

/** Lets the page read the response and the response headers that it needs. */
const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Retry-After, Content-Disposition, Content-Range, Accept-Ranges, ETag, WWW-Authenticate, X-Request-Id',
}

/**
 * Lets pages of other origins call the API. Such a page must hold a token or a key, and the origins of a key are checked
 * when the key is read. So the browser's own check may allow every origin. A sign-in is for pages of the service alone: its answers
 * allow none.
 */
export function allowOtherOrigins(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.headers.origin !== undefined && tokenOfSignIn(request.headers) === undefined)
      reply.headers(readable)
    done()
  })
  app.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'Authorization, X-Api-Key, Content-Type, Idempotency-Key, Range, If-Range, Last-Event-ID, X-Sandbox-Upload-Capability, X-Sandbox-Download-Capability, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id',
        'access-control-max-age': '600',
      })
      .send(),
  )
}
