import { endSandboxes } from '../../agent/core/end-sandboxes.ts'
import { agentPaths } from '../../agent/host/paths.ts'
import { readConfig } from '../base/config/config.ts'
import { lockHolder } from './supervisor/host/instance-lock.ts'
import { controlGroupOf } from './supervisor/processes/service-roles.ts'

/**
 * `sandbox down --end-work`, after the service has stopped: ends the runs and builds that its next start would continue with. Returns
 * how many sandboxes there were.
 */
export async function endWork(): Promise<number | 'not_permitted' | 'agent_runs'> {
  if (process.getuid?.() !== 0) return 'not_permitted'
  const { dataDir } = readConfig()
  if (await lockHolder(agentPaths(dataDir).lock)) return 'agent_runs'
  return endSandboxes(dataDir, controlGroupOf(dataDir))
}
