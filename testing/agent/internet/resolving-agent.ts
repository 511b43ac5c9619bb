import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TestAgent } from '../test-agent.ts'
import { FakeInternet } from './fake-internet.ts'

/** An agent on a test machine whose name server is that of the fake internet, so that a test controls the answers. */
export interface ResolvingAgent {
  internet: FakeInternet
  agent: TestAgent
  /** For files of the test. */
  folder: string
  dispose(): Promise<void>
}

/** Each of `names` resolves to its address. */
export async function startResolvingAgent(
  addresses: string[],
  settings: Record<string, string> = {},
  names: Readonly<Record<string, string>> = {},
): Promise<ResolvingAgent> {
  const internet = await FakeInternet.make(addresses, names)
  const folder = await mkdtemp(join(tmpdir(), 'resolving-agent-'))
  await writeFile(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n')
  const mounted = `mount --bind ${folder}/resolv.conf /etc/resolv.conf; exec "$@"`
  const prefix = [...internet.onMachine, 'unshare', '-m', 'sh', '-c', mounted, 'sh']
  const agent = await TestAgent.start({ SANDBOX_RUNTIME_EGRESS: 'true', ...settings }, { prefix })
  const dispose = async () => {
    await agent.dispose()
    await internet.dispose()
    await rm(folder, { recursive: true })
  }
  return { internet, agent, folder, dispose }
}
