import type { FastifyInstance } from 'fastify'
import type { OpenDoor } from '../../../doors/catalogue/door-keys.ts'
import { homeDir } from '../../../doors/terminal/command-script.ts'
import { keyParameter } from '../door-credentials.ts'
import { openApiDocument } from './openapi-document.ts'
import { type Operation, operation } from './operation.ts'

/* Routes that the platform reads when it connects. */

/** Without a key, as Open Terminal answers them: nothing in them belongs to a company. */
export function mountOpenAnswers(app: FastifyInstance, operations: readonly Operation[]): void {
  const answers = {
    '/health': { status: 'ok' },
    // No terminal that a person types into, and no kernel of notebooks: the platform then shows neither.
    '/api/config': { features: { terminal: false, notebooks: false, system: true } },
    '/openapi.json': openApiDocument(operations),
  }
  for (const prefix of ['/doors/open_terminal', `/doors/open_terminal/with-key/:${keyParameter}`])
    for (const [path, answer] of Object.entries(answers))
      app.get(`${prefix}${path}`, async (_request, reply) => reply.send(answer))
  // The platform shows `detail` to people, so it is a text.
  app.all('/doors/open_terminal/*', async (_request, reply) => reply.code(404).send({ detail: 'Not Found' }))
}

export const connectOperations = (): Operation[] => [
  operation({
    method: 'GET',
    path: '/system',
    handle: async ({ open }) => ({ prompt: systemPrompt(open) }),
  }),
  // A port of a command is reachable by nobody.
  operation({ method: 'GET', path: '/ports', handle: async () => ({ ports: [] }) }),
]

const systemPrompt = ({ door }: OpenDoor): string =>
  [
    'You can run commands and keep files in Linux sandboxes of this user.',
    `Each command runs in a fresh sandbox, for at most ${door.timeout_seconds} seconds. Files below ${homeDir}, the home directory, stay for the next command; processes, other files and environment variables do not, so a server that a command starts ends with it. A command that is killed or exceeds its time changes no files.`,
    'One command runs at a time; a second one waits until the first has ended, and files cannot be changed meanwhile.',
    'Nobody types: a command that asks for input reads an end of file. Use options such as --yes.',
    door.network
      ? 'Commands may reach the network as far as the operator allows it.'
      : 'Commands reach no network: use what is installed.',
    'Verify the current state before you change it, and check the output and the exit code of each command.',
  ].join(' ')
