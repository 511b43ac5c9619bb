import { AgentClient } from '../../../../agent/client/agent-client.ts'
import type { ExecutorCapacity } from '../../../../agent/port/capacity.ts'
import { type LocalService, type Outcome, onLocalService } from '../local-service.ts'
import { type MachineOverview, machineOverview } from './machine-overview.ts'

/** The work, the queues and the use of the machine now. */
export interface ServiceOverview extends MachineOverview {
  warm_starts: ExecutorCapacity['warmStarts'] | null
}

export const readOverview = (): Outcome<ServiceOverview> => onLocalService(overviewOf)

export async function overviewOf(service: LocalService): Promise<ServiceOverview> {
  const overview = await machineOverview(service)
  const agent = new AgentClient(service.config.agentSocket)
  const executor = await agent.capacity().catch(() => undefined)
  agent.close()
  return { ...overview, warm_starts: executor?.warmStarts ?? null }
}
