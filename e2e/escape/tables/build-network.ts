import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { writeMirrors } from '../../../agent/mirrors/declared-mirrors.ts'
import { mirrorAddress, portOf } from '../../../agent/mirrors/mirror-address.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { publicHosts } from '../../../testing/agent/internet/fake-internet.ts'
import { busybox, shellJob, waitUntil } from '../../../testing/agent/test-agent.ts'
import type { Attempt, Table } from '../attempt.ts'
import { registry, type Testbed } from '../testbed.ts'
import type { Trials } from '../trial.ts'
import { allowList, network } from './network.ts'

const ofBuild = { rootfs: { kind: 'builder' }, confinement: 'build', runtime: 'crun' } as const
const egressCapBytes = 2 ** 30

/** Ways around the list of package hosts: other protocols, devices and servers that carry packets. */
const tunnels: Attempt[] = [
  {
    name: 'question_to_a_stranger',
    what: 'has a name of its own server resolved that carries data',
    command: `nslookup c2VjcmV0.08080808.test | grep -q ${publicHosts.ip4.replaceAll('.', '[.]')}`,
  },
  {
    name: 'name_server_by_stream',
    what: 'reaches another name server by TCP',
    command: `echo | nc -w 1 ${publicHosts.ip4} 53 | grep -q hello`,
  },
  {
    name: 'name_server_by_datagram',
    what: 'reaches another name server by UDP',
    command: `nslookup 08080808.test ${publicHosts.ip4} | grep -q 'Name:'`,
  },
  { name: 'echo', what: 'sends ICMP', command: `ping -c 1 -W 1 ${publicHosts.ip4}` },
  { name: 'tun_device', what: 'makes a device that carries packets', command: 'mknod /tmp/tun c 10 200' },
  { name: 'tunnel', what: 'makes a tunnel', command: 'ip tunnel add t mode ipip remote 8.8.8.8' },
  {
    name: 'raw_route',
    what: 'routes through another gateway',
    command: 'ip route replace default via 198.18.0.9',
  },
]

/** The network of jobs, from a build's sandbox: what a step reaches that has left the builder's chroot. */
export function buildNetworks(): Table[] {
  const [open, listed] = [network(), allowList()]
  const allow = listed.spec?.network
  if (typeof allow !== 'object' || !allow.allow) throw new Error('the table of allow lists has no list')
  return [
    {
      class: 'network of builds',
      spec: { ...ofBuild, network: { egressCapBytes, recorded: true } },
      attempts: open.attempts,
    },
    {
      class: 'package hosts of builds',
      spec: { ...ofBuild, network: { ...allow, recorded: true } },
      attempts: [...listed.attempts, ...tunnels],
    },
  ]
}

const linked = (script: string): SandboxSpec => ({
  ...shellJob('', '', { timeoutMs: 60_000 }),
  ...ofBuild,
  argv: [busybox, 'sh', '-c', script],
  network: { egressCapBytes, recorded: true },
})

const greetedBy = (address: string, port: number) =>
  `echo | nc -w 1 ${address} ${port} 2>/dev/null | grep -q hello && echo reached || echo refused`

/** Ends a listening build once a job and the machine have tried to reach it. */
async function listener({ agent, image, internet, canaries }: Testbed): Promise<string | undefined> {
  const spec = linked(`ip -4 address show eth0
    while :; do echo hello | nc -l -p 8080; done &
    until nc -w 1 127.0.0.1 8080 </dev/null | grep -q hello; do sleep 0.1; done
    echo ready; wait`)
  const running = agent.run(spec, '')
  await agent.running(spec.id)
  await waitUntil(async () => (await text(await agent.client.log(spec.id))).includes('ready'))
  const [, address = ''] = /inet (\S+)\//.exec(await text(await agent.client.log(spec.id))) ?? []
  const job = { ...shellJob(image, greetedBy(address, 8080)), network: { egressCapBytes } }
  const { log } = await agent.run(job)
  const onMachine = await internet.machineRun('busybox', 'sh', '-c', greetedBy(address, 8080))
  await agent.client.stop(spec.id)
  canaries.checkOutput((await running).log)
  if (address === '') return 'the listener has no address'
  return `${log}${onMachine}`.includes('reached') ? 'reached' : undefined
}

const opens = (address: string, port: number) =>
  `nc -w 1 ${address} ${port} </dev/null && echo reached || echo refused`

/** Runs `work` while a mirror is declared, and a build that may use it is alive. */
async function withMirror<T>({ agent }: Testbed, work: () => Promise<T>): Promise<T> {
  const folder = join(agent.dataDir, 'agent')
  await writeMirrors(folder, [{ kind: 'pypi', url: `http://${registry.address}/simple`, inner: true }])
  const user = linked('sleep 60')
  const network = { egressCapBytes, recorded: true as const, mirrors: true as const }
  const running = agent.run({ ...user, network })
  try {
    await Promise.race([agent.running(user.id), running])
    return await work()
  } finally {
    await agent.client.stop(user.id)
    await running
    await writeMirrors(folder, [])
  }
}

const mirrorTrials: Trials['trials'] = [
  {
    name: 'mirror_unasked',
    what: 'a build without mirrors connects to the proxy of the builds that have them',
    run: (testbed) =>
      withMirror(testbed, async () => {
        const { log } = await testbed.agent.run(linked(opens(mirrorAddress, portOf('pypi'))))
        return log.includes('reached') ? 'reached' : undefined
      }),
  },
  {
    name: 'mirror_itself',
    what: 'a build with mirrors connects to the mirror itself, past the proxy',
    run: (testbed) =>
      withMirror(testbed, async () => {
        const network = { egressCapBytes, recorded: true as const, mirrors: true as const }
        const { log } = await testbed.agent.run({ ...linked(greetedBy(registry.address, 80)), network })
        return log.includes('reached') ? 'reached' : undefined
      }),
  },
  {
    name: 'mirror_of_job',
    what: 'a job is started with the mirrors of builds',
    run: (testbed) =>
      withMirror(testbed, async () => {
        const job = shellJob(testbed.image, opens(mirrorAddress, portOf('pypi')))
        const network = { egressCapBytes, mirrors: true as const }
        const ended = await testbed.agent.run({ ...job, network }).catch(() => undefined)
        return ended ? `started: ${ended.log}` : undefined
      }),
  },
]

export const buildNetworkTrials: Trials = {
  class: 'reach of builds',
  trials: [
    ...mirrorTrials,
    { name: 'listener', what: 'a step that listens is reached by a job or the machine', run: listener },
    {
      name: 'registry',
      what: 'a build connects to the registry of pulls',
      run: async ({ agent }) => {
        const { log } = await agent.run(linked(greetedBy(registry.address, registry.port)))
        return log.includes('reached') ? 'reached' : undefined
      },
    },
    {
      name: 'registry_asked',
      what: 'a build is started with access to the registry of pulls',
      run: async ({ agent }) => {
        const spec = linked(greetedBy(registry.address, registry.port))
        const asking = { ...spec, network: { egressCapBytes, registry: true as const } }
        const ended = await agent.run(asking).catch(() => undefined)
        return ended ? `started: ${ended.log}` : undefined
      },
    },
    {
      name: 'scan',
      what: 'a build connects to more new destinations than are recorded',
      run: async ({ agent }) => {
        const scan = `i=1000; while [ $i -lt 2500 ]; do nc -w 1 ${publicHosts.ip4} $i </dev/null 2>/dev/null; i=$((i + 1)); done`
        const { reached, refused } = (await agent.run(linked(scan))).exit.network
        const listed = (reached?.entries.length ?? 0) + (reached?.more ?? 0)
        const held = refused?.entries.some(({ reason }) => reason === 'too_many_connections') ?? false
        if (reached?.isComplete !== true) return 'the report is not complete'
        return listed >= 1500 || held ? undefined : `${listed} of 1500 are listed, and none was refused`
      },
    },
  ],
}
