import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { childOf, type OwnService } from '../../main-job/service.ts'

const root = '/sys/fs/cgroup'

/** Possible paths of the agent's control group in every hierarchy. */
export async function agentGroups({ pid }: OwnService): Promise<string[]> {
  const agent = await childOf(pid, 'agent')
  const argv = (await readFile(`/proc/${agent}/cmdline`, 'utf8')).split('\0')
  const group = argv[argv.indexOf('--cgroup') + 1] ?? ''
  return ['', ...(await readdir(root))].map((hierarchy) => join(root, hierarchy, group))
}
