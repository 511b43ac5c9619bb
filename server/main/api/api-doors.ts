import type { FastifyInstance } from 'fastify'
import type { Directory } from '../../access/directory/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database } from '../../db/database.ts'
import { openDoor } from '../../doors/catalogue/door-keys.ts'
import { doorWatcherBounds, makeDoorSlots } from '../../doors/programs/run-program.ts'
import type { SerialByKey } from '../../fairness/serial-by-key.ts'
import { mountDify } from '../../http/doors/dify.ts'
import { mountLibreChat } from '../../http/doors/librechat.ts'
import { mountOpenTerminal } from '../../http/doors/open-terminal/open-terminal.ts'
import { mountPiston } from '../../http/doors/piston.ts'
import { type MountOptions, mounter } from '../../http/mount.ts'
import { mountDoorRoutes } from '../../http/routes/runs/doors.ts'
import type { LogFollowers } from '../../live-logs/log-followers.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import type { RunLookup } from '../../runs/lookup/run-lookup.ts'
import type { QueuePolicy } from '../../runs/queue/queue-policy.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import type { SessionSizes } from '../../sessions/session-services.ts'
import { StateWatchers } from '../../state-watch/state-watchers.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../../storage/port.ts'

interface DoorParts {
  db: Database
  directory: Directory
  clock: Clock
  log: Log
  keys: Keys
  pages: PageTokens
  policy: QueuePolicy
  runs: RunLookup
  storage: ObjectStorage
  downloads: Downloads
  followers: LogFollowers
  logNews: LogUpdates
  sessionSizes: SessionSizes
  changeTurns: SerialByKey
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
