import type { FastifyInstance } from 'fastify'
import type { DoorServices } from '../../../doors/door-services.ts'
import { withFiles } from '../../requests/file-part.ts'
import { type DoorMounting, doorMounter, type Refuse } from '../door-mount.ts'
import { connectOperations, mountOpenAnswers } from './connect.ts'
import { changeOperations } from './files/change-files.ts'
import { readOperations } from './files/read-files.ts'
import { grepOperation } from './files/search-contents.ts'
import { globOperation } from './files/search-names.ts'
import { uploadOperation } from './files/uploads.ts'
import { routeOf } from './operation.ts'
import { processOperations } from './processes.ts'

/*
 * The door in the form of Open Terminal, Open WebUI's server for commands and files. Each user of the platform has a session of
 * their own: files stay, and each command is a run that takes it.
 */

const refuse: Refuse = (reply, { status, message }) => {
  reply.code(status).send({ detail: status === 401 ? 'Invalid API key' : message })
}

export function mountOpenTerminal(app: FastifyInstance, options: DoorMounting, services: DoorServices): void {
  const operations = [
    ...connectOperations(),
    ...processOperations(services),
    ...readOperations(services),
    ...changeOperations(services),
    globOperation(services),
    grepOperation(services),
  ]
  mountOpenAnswers(app, operations)
  const platform = { kind: 'open_terminal', refuse } as const
  const mount = doorMounter(app, options, platform)
  for (const each of operations) mount(routeOf(each))
  withFiles(app, (files) => doorMounter(files, options, platform)(routeOf(uploadOperation(services))))
}
