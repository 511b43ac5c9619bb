import type { FastifyInstance } from 'fastify'
import type { Keys } from '../../base/keys/keys.ts'
import { openDoor } from '../../doors/catalogue/door-keys.ts'
import { doorWatcherBounds, makeDoorSlots } from '../../doors/programs/run-program.ts'
import { mountDify } from '../../http/doors/dify.ts'
import { mountLibreChat } from '../../http/doors/librechat.ts'
import { mountOpenTerminal } from '../../http/doors/open-terminal/open-terminal.ts'
import { mountPiston } from '../../http/doors/piston.ts'
import { type MountOptions, mounter } from '../../http/mount.ts'
import { mountDoorRoutes } from '../../http/routes/runs/doors.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import type { RunServices } from '../../runs/run-services.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import type { SessionServices } from '../../sessions/session-services.ts'
import { StateWatchers } from '../../state-watch/state-watchers.ts'

interface DoorParts extends RunServices, SessionServices {
  keys: Keys
  logNews: LogUpdates
}

/** Doors: their management, and the requests of the platforms that come by them. */
export function mountDoors(
  app: FastifyInstance,
  mounting: MountOptions,
  { keys, logNews, ...parts }: DoorParts,
): void {
  const { db, clock } = parts
  const { peppers } = keys
  mountDoorRoutes(mounter(app, mounting), { db, directory: parts.directory, peppers })
  const services = {
    ...parts,
    queue: new SubmissionQueue(db, parts.policy),
    places: makeDoorSlots(),
    watchers: new StateWatchers(db, logNews, doorWatcherBounds),
  }
  const doors = {
    ...mounting,
    openDoor: (kind: Parameters<typeof openDoor>[1], key: string) =>
      openDoor({ db, peppers, clock }, kind, key),
  }
  mountDify(app, doors, services)
  mountPiston(app, doors, services)
  mountLibreChat(app, doors, services)
  mountOpenTerminal(app, doors, services)
}
