import { may, ownedBy } from '../../access/allow.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { readableRooms } from '../../runs/read/visible-runs.ts'
import type { CompanyEvent } from './pending-events.ts'

/** How long a stream goes on with rights that it has read. */
export const rightsMs = 5000

interface ReadRights {
  sees: (event: CompanyEvent) => boolean
  /** They were read just now. */
  areNew: boolean
}

/**
 * The rights of the person of a stream to see events: read when there are some, once for each time that the principal was read, and
 * after `rightsMs`.
 */
export class StreamRights {
  readonly #directory: Directory
  #sees: ReadRights['sees'] = () => false
  #readAgainAtMs = 0
  #principal: Principal | undefined

  constructor(directory: Directory) {
    this.#directory = directory
  }

  async read(principal: Principal): Promise<ReadRights> {
    const areNew = principal !== this.#principal || performance.now() >= this.#readAgainAtMs
    if (areNew) {
      const rooms = await readableRooms(this.#directory, principal)
      const readable = rooms && new Set(rooms)
      this.#sees = ({ roomId, environment }) =>
        environment
          ? may(principal, 'environment.read', ownedBy(environment))
          : roomId === undefined || readable?.has(roomId) !== false
      this.#readAgainAtMs = performance.now() + rightsMs
      this.#principal = principal
    }
    return { sees: this.#sees, areNew }
  }
}
