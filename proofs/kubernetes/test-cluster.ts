import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { namespaceManifests } from '../../kubernetes/check/namespace-manifests.ts'
import { type PushedImage, pushImage } from '../../kubernetes/registry/push-image.ts'
import { RegistrySession } from '../../kubernetes/registry/registry-session.ts'
import { builtFolder } from '../../server/native-programs/manifest.ts'
import { probeImage } from '../../server/operations/kubernetes/probe-image.ts'

const namespace = 'sandbox-proof'
const registry = '10.188.0.1:15000'
const gateway = { address: '10.188.0.1', port: 17443, authority: '' }
/** Milliseconds for a command of the cluster. */
const timeout = 120_000
const triesMax = 100

export type Policy = 'off' | 'on' | 'strict'

/**
 * A real cluster that the tool starts and breaks: a program with the commands `push ARCHIVE NAME`, `policy [strict|off]`, `stop PART` and
 * `start PART`, whose host has the address 10.188.0.1. `kubectl` finds the cluster by KUBECONFIG.
 */
export class TestCluster {
  readonly #tool: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'kubernetes-proof-'))
  readonly namespace = namespace
  readonly gateway = gateway

  constructor(tool: string) {
    this.#tool = tool
  }

  /** The namespace with our manifests, and the credentials of the account of workers. */
  async prepare(): Promise<{ server: string; folder: string }> {
    this.kubectl(['create', 'namespace', namespace])
    this.apply(namespaceManifests(namespace, { gateway, resolvers: [] }))
    this.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/service-account-token',
      metadata: {
        name: 'worker-token',
        namespace,
        annotations: { 'kubernetes.io/service-account.name': 'sandbox-worker' },
      },
    })
    const server = this.kubectl([
      'config',
      'view',
      '--minify',
      '-o',
      'jsonpath={.clusters[0].cluster.server}',
    ])
    writeFileSync(join(this.#folder, 'token'), Buffer.from(this.#token(), 'base64'))
    writeFileSync(join(this.#folder, 'ca.crt'), await authorityOf(server))
    return { server, folder: this.#folder }
  }

  /** The controller fills the secret a moment after it is made. */
  #token(): string {
    const path = 'jsonpath={.data.token}'
    for (let tries = 0; tries < triesMax; tries += 1) {
      const value = this.kubectl(['get', 'secret', 'worker-token', '--namespace', namespace, '-o', path])
      if (value !== '') return value
    }
    throw new Error('the cluster gives its accounts no tokens')
  }

  /** The reference of the pushed image. */
  async pushProbe(closedMode = 0): Promise<string> {
    const { archive, digest, image } = await probeImage({ probe: join(builtFolder, 'pod-probe'), closedMode })
    const path = join(this.#folder, 'probe.tar')
    writeFileSync(path, archive)
    const reference = this.tool(['push', path, `probe:${closedMode}`]).trim()
    if (!reference.endsWith(digest)) throw new Error(`the registry has ${reference} for ${digest}`)
    // The same bytes by our own client: the registry has them by one digest.
    return this.push(image)
  }

  /** Pushes by our own client, and returns the reference for pods. */
  async push(image: PushedImage): Promise<string> {
    await pushImage(this.session(), image)
    return this.referenceOf(image.manifest.digest)
  }

  session = () => new RegistrySession({ url: `http://${registry}`, repository: 'own' })

  referenceOf = (digest: string) => `${registry}/own@${digest}`

  policy(policy: Policy): void {
    this.tool(policy === 'on' ? ['policy'] : ['policy', policy])
  }

  tool(argv: string[]): string {
    return execFileSync(this.#tool, argv, { encoding: 'utf8', timeout, stdio: ['ignore', 'pipe', 'inherit'] })
  }

  kubectl(argv: string[], input = ''): string {
    return execFileSync('kubectl', argv, { encoding: 'utf8', timeout, input })
  }

  apply(object: object): void {
    this.kubectl(['apply', '--filename', '-'], JSON.stringify(object))
  }

  hasRuntimeClass(name: string): boolean {
    return this.kubectl(['get', 'runtimeclasses', '-o', 'name'])
      .split('\n')
      .some((line) => line.endsWith(`/${name}`))
  }

  dispose(): void {
    this.kubectl(['delete', 'namespace', namespace, '--timeout=100s'])
    rmSync(this.#folder, { recursive: true })
  }
}

/** The authority that the API server shows: a cluster for tests publishes none. */
async function authorityOf(server: string): Promise<string> {
  const { hostname, port } = new URL(server)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  let certificate = socket.getPeerCertificate(true)
  while (certificate.issuerCertificate && certificate.issuerCertificate !== certificate)
    certificate = certificate.issuerCertificate
  socket.destroy()
  return `-----BEGIN CERTIFICATE-----\n${certificate.raw.toString('base64')}\n-----END CERTIFICATE-----\n`
}
