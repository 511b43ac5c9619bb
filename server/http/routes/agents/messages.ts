import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type MessageDeps, postMessage } from '../../../agents/turns/messages.ts'
import type { Mount } from '../../mount.ts'

/** Human turns (contract part 3, D2); `mount` authenticates people and gateways. */
export function mountMessageRoutes(mount: Mount, services: MessageDeps): void {
  mount(allRoutes.postMessage, ({ principal, params, body }) =>
    postMessage(services, principal, params.cid, body),
  )
}
