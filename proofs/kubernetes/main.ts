import { parseArgs } from 'node:util'
import { KubernetesClient } from '../../kubernetes/api/client.ts'
import { follow } from '../../kubernetes/api/follow.ts'
import { podsOf } from '../../kubernetes/api/paths.ts'
import { checkCluster } from '../../kubernetes/check/check-cluster.ts'
import type { PodSettings } from '../../kubernetes/pod/pod-settings.ts'
import { pushPodImages, runAPod } from './run-a-pod.ts'
import { type Policy, TestCluster } from './test-cluster.ts'

/*
 * npm run kubernetes-tests -- --tool PATH
 *
 * The client and the check of a cluster against a real one, with and without network policies, with each runtime class that it has, and with an API
 * server that is killed while objects are followed; and a job in a pod with both programs, from a composed image to its exit record.
 */
const { values } = parseArgs({ options: { tool: { type: 'string' } } })
if (values.tool === undefined) throw new Error('name the tool of the cluster: --tool PATH')

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const cluster = new TestCluster(values.tool)
let failures = 0

function expectEqual(what: string, found: unknown, wanted: unknown): void {
  const isEqual = JSON.stringify(found) === JSON.stringify(wanted)
  if (!isEqual) failures += 1
  console.log(`${isEqual ? 'ok    ' : 'FAILED'} ${what}: ${JSON.stringify(found)}`)
}

/** Checks the cluster with these policies, and compares what is missing. */
async function expectMissing(
  client: KubernetesClient,
  {
    image,
    policy,
    boundary,
    wanted,
  }: {
    image: string
    policy: Policy
    boundary: PodSettings['boundary']
    wanted: string[]
  },
): Promise<void> {
  cluster.policy(policy)
  const { namespace, gateway } = cluster
  const canaryPort = gateway.port + 1
  const findings = await checkCluster(client, {
    namespace,
    collectorImage: image,
    boundary,
    gateway,
    canaryPort,
  })
  const missing = findings.flatMap(({ ok, needed, slug }) => (ok || !needed ? [] : [slug]))
  const name = boundary.kind === 'runtime_class' ? boundary.name : boundary.kind
  expectEqual(`policies ${policy}, ${name}`, missing, wanted)
  for (const { slug, found } of findings) console.log(`         ${slug}: ${found}`)
}

/** A job runs in the pod of a run to its exit record, and has nothing but what it is given. */
async function expectJobs(client: KubernetesClient): Promise<void> {
  const images = await pushPodImages(cluster)
  cluster.policy('strict')
  const gvisor = cluster.hasRuntimeClass('gvisor') ? ([['gvisor', 0]] as const) : []
  for (const [runtimeClass, user] of [['runc', 1000] as const, ...gvisor]) {
    const id = `run_${runtimeClass}_${user}`
    const { record, log, result } = await runAPod(client, cluster, { images, runtimeClass, id, user })
    const { cause, exitCode, detail, sharedMemoryFull } = record
    expectEqual(`job on ${runtimeClass}`, { cause, exitCode, detail, sharedMemoryFull, result }, jobEnd)
    expectEqual(
      `its view on ${runtimeClass}`,
      log.split('\n').filter((line) => !/^NoNewPrivs:\t1$/.test(line)),
      jobView,
    )
  }
}

const jobEnd = { cause: 'exited', exitCode: 3, detail: '', sharedMemoryFull: false, result: 'the input' }
/** The platform's folder has nothing of the image's; of its variables, and of what the kubelet sets, there is none. */
const jobView = [
  ...['a file', 'busybox', 'closed', 'filter', 'init'],
  ...['SHLVL=1', 'HOME=/workspace', 'OLDPWD=/workspace', `PATH=${defaultPath}`, 'PWD=/workspace'],
  ...['CapEff:\t0000000000000000', 'Seccomp:\t2'],
  ...['/tmp', '/var/tmp', '/run', '/workspace'].map((path) => `writes ${path}`),
  ...['4', ''],
]

/** A pod that is made after the API server was killed is seen by the one that followed before. */
async function expectFollowed(client: KubernetesClient): Promise<void> {
  const ends = new AbortController()
  const seen: string[] = []
  const signal = AbortSignal.any([ends.signal, AbortSignal.timeout(120_000)])
  for await (const event of follow(client, podsOf(cluster.namespace), { signal })) {
    if (event.kind === 'all') {
      cluster.tool(['stop', 'apiserver', '-KILL'])
      cluster.tool(['start', 'apiserver'])
      makePod()
    } else if (event.kind === 'present' && !seen.includes(event.object.metadata.name)) {
      seen.push(event.object.metadata.name)
      ends.abort()
    }
  }
  expectEqual('followed over a killed API server', seen, ['after-the-kill'])
}

/** As soon as the API server answers again. */
function makePod(): void {
  const container = { name: 'one', image: 'registry.invalid/none' }
  const metadata = { name: 'after-the-kill', namespace: cluster.namespace }
  for (let tries = 0; tries < 1000; tries += 1) {
    try {
      cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } })
      return
    } catch {
      // It is not there yet; each try waits for a connection.
    }
  }
  throw new Error('the API server did not come back')
}

try {
  const client = new KubernetesClient(await cluster.prepare())
  const image = await cluster.pushProbe()
  const users = { kind: 'user_namespace' } as const
  // Kubernetes before 1.30 drops hostUsers.
  await expectMissing(client, {
    image,
    policy: 'off',
    boundary: users,
    wanted: ['host_users', 'network_rules'],
  })
  await expectMissing(client, { image, policy: 'on', boundary: users, wanted: ['host_users'] })
  await expectMissing(client, { image, policy: 'strict', boundary: users, wanted: ['host_users'] })
  // The folder of the termination message is what keeps a job out of the status of its pod.
  const opened = await cluster.pushProbe(0o755)
  await expectMissing(client, {
    image: opened,
    policy: 'strict',
    boundary: users,
    wanted: ['host_users', 'message'],
  })
  const ofNode = { kind: 'runtime_class', name: 'runc' } as const
  await expectMissing(client, { image, policy: 'strict', boundary: ofNode, wanted: ['runtime_class'] })
  if (cluster.hasRuntimeClass('gvisor')) {
    const gvisor = { kind: 'runtime_class', name: 'gvisor' } as const
    await expectMissing(client, { image, policy: 'strict', boundary: gvisor, wanted: [] })
    await expectMissing(client, { image, policy: 'off', boundary: gvisor, wanted: ['network_rules'] })
  }
  await expectJobs(client)
  await expectFollowed(client)
  client.close()
} finally {
  cluster.dispose()
}
process.exitCode = failures === 0 ? 0 : 1
