import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { KubernetesClient } from '../../kubernetes/api/client.ts'
import { podsOf } from '../../kubernetes/api/paths.ts'
import type { PodSettings } from '../../kubernetes/pod/pod-settings.ts'
import { podName, runPod } from '../../kubernetes/pod/run-pod.ts'
import type { ArchiveEntry } from '../../reader/formats/archive.ts'
import { canonicalTar, textFile } from '../../reader/formats/tar/canonical-tar.ts'
import { SigningKeys } from '../../server/base/keys/signing-keys.ts'
import { builtFolder } from '../../server/native-programs/manifest.ts'
import { collectorImage } from '../../server/operations/kubernetes/collector-image.ts'
import { pushComposed } from '../../server/operations/kubernetes/push-composed.ts'
import { runnerLayer } from '../../server/operations/kubernetes/runner-layer.ts'
import { DiskStorage } from '../../server/storage/disk.ts'
import { makeCertificate } from '../../testing/certificate.ts'
import { makeSignedImage } from '../../testing/factories/signed-image.ts'
import { FakeGateway } from '../../testing/kubernetes/fake-gateway.ts'
import { podInput } from '../../testing/kubernetes/pod-input.ts'
import type { TestCluster } from './test-cluster.ts'

const mib = 1024 ** 2

/** An image with links and files where the platform has its own. */
async function* hostileImage(): AsyncGenerator<ArchiveEntry, void> {
  yield { path: '.sandbox', kind: 'directory', mode: 0o777, byteSize: 0 }
  yield textFile('.sandbox/of-the-image', 'x')
  yield { ...textFile('.sandbox/init', 'x'), mode: 0o777 }
  for (const path of ['tmp', 'workspace', 'run'])
    yield { path, kind: 'symlink', mode: 0o777, byteSize: 0, linkTarget: '/.sandbox' }
  yield textFile('of-the-image', 'a file')
}

/** Reports as lines how the job is confined, and leaves a result. */
const script = `cd /workspace
cat /of-the-image; echo
cat >result
ls -A /.sandbox
env
grep -E '^(Seccomp|CapEff|NoNewPrivs):' /proc/self/status
for path in / /.sandbox /tmp /var/tmp /run /workspace; do touch $path/written 2>/dev/null && echo "writes $path"; done
for path in /token /record /var/run/secrets; do [ -e $path ] && echo "sees $path"; done
ls -d /proc/[0-9]* | wc -l
unshare -U true 2>/dev/null && echo 'makes namespaces'
nc -w 1 127.0.0.1 61083 </dev/null 2>/dev/null && echo 'meets the collector'
exit 3`

const specOf = (id: string, user: number): SandboxSpec => ({
  id,
  rootfs: { kind: 'image', digest: '' },
  argv: [],
  env: {},
  user: { uid: user, gid: user },
  hostname: 'job',
  runtime: 'runsc',
  confinement: 'job',
  network: 'none',
  limits: {
    timeoutMs: 30_000,
    memoryBytes: 160 * mib,
    workspaceBytes: 16 * mib,
    workspaceKind: 'memory',
    workspaceInodes: 1024,
    vcpu: 0.5,
    pids: 64,
    openFiles: 256,
    logBytes: mib,
  },
  collect: { files: [{ name: 'result', path: '/workspace/result', maxBytes: 100 }] },
})

export interface PodImages {
  job: string
  collector: string
}

/** Puts the image of both containers into the registry of the cluster. */
export async function pushPodImages(cluster: TestCluster): Promise<PodImages> {
  const folder = mkdtempSync(join(tmpdir(), 'pod-images-'))
  try {
    const signing = new SigningKeys(join(folder, 'keys'))
    signing.prepare()
    const tools = { storage: new DiskStorage(folder), signing }
    const id = `ver_${'1'.repeat(32)}`
    const layer = await buffer(canonicalTar(hostileImage()))
    const version = {
      id,
      ...(await makeSignedImage(tools, { versionId: id, layer, env: ['OF_THE_IMAGE=x'] })),
    }
    const runner = await runnerLayer({ busybox: '/bin/busybox', init: join(builtFolder, 'pod-init') })
    const { composedDigest } = await pushComposed(cluster.session(), { tools, version, runner })
    return {
      job: cluster.referenceOf(composedDigest),
      collector: await cluster.push(await collectorImage(join(builtFolder, 'collector'))),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a job in the pod of a run, with the real programs and a gateway on this machine, and returns what the gateway got. */
export async function runAPod(
  client: KubernetesClient,
  cluster: TestCluster,
  { images, runtimeClass, id, user }: { images: PodImages; runtimeClass: string; id: string; user: number },
): Promise<{ record: Record<string, unknown>; log: string; result: string }> {
  const { address, port } = cluster.gateway
  const { certificate, key } = makeCertificate(1, 'sandbox-gateway')
  const gateway = await FakeGateway.start(['/usr/bin/env'], { address, port, certificate, key })
  const settings: PodSettings = {
    executor: 'proof',
    collectorImage: images.collector,
    boundary: { kind: 'runtime_class', name: runtimeClass },
    gateway: { address, port, authority: certificate },
    canaryPort: port + 1,
    resolvers: [],
  }
  const pods = podsOf(cluster.namespace)
  const busybox = '/.sandbox/busybox'
  gateway.answers['POST redeem'] = () => ({ status: 200, body: { timeout_ms: 30_000 } })
  gateway.answers['GET control'] = (_request, times) =>
    times === 1 ? { status: 200, body: { stop: 0, follow: 0, from: 0 } } : 'stalls'
  gateway.answers['GET input'] = () => ({
    stream: podInput({ words: [busybox, 'sh', '-c', script], files: [[100, 'result']], bytes: 'the input' }),
    end: 'ends',
  })
  const { metadata } = await client.create(pods, runPod(specOf(id, user), images.job, settings))
  try {
    const late = new Promise<never>((_resolve, reject) =>
      AbortSignal.timeout(90_000).addEventListener('abort', () => reject(new Error('the pod has no record'))),
    )
    const record = await Promise.race([gateway.body('POST exit'), late])
    const [log, result] = ['PUT log', 'PUT files/0'].map((what) => String(gateway.bodies(what).at(-1) ?? ''))
    return {
      record: JSON.parse(String(record)) as Record<string, unknown>,
      log: log ?? '',
      result: result ?? '',
    }
  } finally {
    await client.delete(pods, { name: podName(id), uid: metadata.uid }, 0)
    await gateway.stop()
  }
}
