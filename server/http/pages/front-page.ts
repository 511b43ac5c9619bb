import type { FastifyInstance } from 'fastify'
import { Html, html } from '../reference/html.ts'
import { wantsPage } from '../requests/media-type.ts'
import { formPage, formPageHeaders } from './form-page.ts'

/** Links of the page, relative to it: a proxy may serve it below a path. */
const linked = {
  console: [
    'console/',
    'Web console',
    'run jobs, read their results, and manage what you have, in the browser',
  ],
  docs: ['docs', 'Documentation', 'a first run in three requests, agents, and every operation'],
  openapi: ['openapi.json', 'OpenAPI', 'the same for programs'],
  cli: [
    'cli',
    'The command <code>sandbox</code>',
    'one file for Node 20 or later: <code>curl -fsS ADDRESS/cli -o sandbox</code>',
  ],
  client: [
    'client.tgz',
    'The typed client',
    'for TypeScript and JavaScript: <code>npm install ADDRESS/client.tgz</code>',
  ],
} as const

const links = Object.fromEntries(Object.entries(linked).map(([name, [path]]) => [name, `/${path}`]))

/** `GET /`: what this is and where to go, as a page for browsers and as JSON for programs. */
export function mountFrontPage(
  app: FastifyInstance,
  { baseUrl, version }: { baseUrl: string; version: string },
): void {
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept')
    if (!wantsPage(request)) return reply.send({ name: 'Sandbox Jobs', version, links })
    return reply.headers(formPageHeaders()).type('text/html; charset=utf-8').send(frontPage(baseUrl))
  })
}

const frontPage = (baseUrl: string): string =>
  formPage(
    'Sandbox Jobs',
    html`<p>This service runs programs of companies for people and agents in chatrooms: each in a sandbox of its own, with its result kept
as output, log and files.</p>
<ul>${Object.values(linked).map(
      ([path, name, words]) =>
        html`<li><a href="${path}">${new Html(name)}</a>: ${new Html(words.replace('ADDRESS', html`${baseUrl}`.text))}</li>`,
    )}</ul>
<p>You were sent a link? Open all of it: addresses of results begin with <code>${baseUrl}/public/</code>. To act for a room you need a
login or an API key, which an administrator of your company gives you.</p>`,
  )
