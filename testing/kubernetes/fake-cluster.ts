import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { KubernetesRefused, KubernetesUnavailable } from '../../kubernetes/api/failures.ts'
import type { KubernetesObject } from '../../kubernetes/api/objects.ts'
import type { WatchEvent } from '../../kubernetes/api/watch-events.ts'
import type { PodApi } from '../../kubernetes/executor/pod-api.ts'
import { Changes } from '../../kubernetes/gateway/changes.ts'
import { runnerAccount, runnerAudience } from '../../kubernetes/pod/pod-settings.ts'
import { newUuid } from '../../server/base/ids.ts'

export const fakeNamespace = 'runs'

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The claims of a pod's token; tests change some. */
export interface TokenClaims {
  namespace?: string
  account?: string
  audience?: string
  name?: string
  uid?: string
  expiresAt?: Date
}

/** The pods of one namespace, and the tokens of its cluster, in memory. `onCreated` is the kubelet. */
export class FakeCluster implements PodApi {
  readonly #key: KeyObject
  readonly jwks: { keys: object[] }
  readonly pods = new Map<string, KubernetesObject>()
  readonly #events: WatchEvent[] = []
  readonly #changes = new Changes()
  onCreated: (pod: KubernetesObject) => void = () => {}
  /** Failures of the next calls that create a pod: `lost` creates it and loses the answer. */
  readonly failures: ('lost' | 'away' | KubernetesRefused)[] = []

  private constructor(key: KeyObject, jwks: { keys: object[] }) {
    this.#key = key
    this.jwks = jwks
  }

  static start(): FakeCluster {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }
    return new FakeCluster(privateKey, { keys: [jwk] })
  }

  token({ metadata }: KubernetesObject, claims: TokenClaims = {}): string {
    const { namespace = fakeNamespace, account = runnerAccount, audience = runnerAudience } = claims
    const { name = metadata.name, uid = metadata.uid } = claims
    const { expiresAt = new Date(Date.now() + 600_000) } = claims
    const of = { namespace, pod: { name, uid }, serviceaccount: { name: account, uid: newUuid() } }
    const payload = { aud: [audience], exp: Math.floor(expiresAt.getTime() / 1000), 'kubernetes.io': of }
    const signed = [{ alg: 'RS256', kid: 'k1' }, payload].map(encoded).join('.')
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#key).toString('base64url')}`
  }

  async create(_collection: string, manifest: object): Promise<KubernetesObject> {
    const failure = this.failures.shift()
    if (failure === 'away') throw new KubernetesUnavailable('the API server is away')
    if (failure instanceof KubernetesRefused) throw failure
    const made = manifest as KubernetesObject
    const { name } = made.metadata
    if (this.pods.has(name))
      throw new KubernetesRefused({ status: 409, reason: 'AlreadyExists', message: `${name} exists` })
    const uid = newUuid()
    const creationTimestamp = new Date().toISOString()
    const pod = this.#put({ ...made, metadata: { ...made.metadata, uid, creationTimestamp } })
    this.onCreated(pod)
    if (failure === 'lost') throw new KubernetesUnavailable('the answer is lost')
    return pod
  }

  async get(_collection: string, name: string): Promise<KubernetesObject> {
    const pod = this.pods.get(name)
    if (!pod) throw new KubernetesRefused({ status: 404, reason: 'NotFound', message: `no ${name}` })
    return pod
  }

  async delete(_collection: string, { name, uid }: { name: string; uid: string }): Promise<boolean> {
    const pod = this.pods.get(name)
    if (pod?.metadata.uid !== uid) return false
    this.pods.delete(name)
    this.#tell({ kind: 'removed', object: this.#versioned(pod) })
    return true
  }

  /** As the kubelet reports it. */
  setStatus({ name, uid }: { name: string; uid: string }, status: object, metadata: object = {}): void {
    const pod = this.pods.get(name)
    if (pod?.metadata.uid === uid) this.#put({ ...pod, status, metadata: { ...pod.metadata, ...metadata } })
  }

  async list(): Promise<{ items: KubernetesObject[]; resourceVersion: string }> {
    return { items: [...this.pods.values()], resourceVersion: String(this.#events.length) }
  }

  async *watch(
    _collection: string,
    resourceVersion: string,
    { signal }: { signal: AbortSignal },
  ): AsyncGenerator<WatchEvent, void> {
    for (let at = Number(resourceVersion); !signal.aborted; ) {
      const event = this.#events[at]
      if (event) {
        at += 1
        yield event
      } else await this.#changes.next(60_000, signal)
    }
  }

  #put(pod: KubernetesObject): KubernetesObject {
    const versioned = this.#versioned(pod)
    this.pods.set(pod.metadata.name, versioned)
    this.#tell({ kind: 'present', object: versioned })
    return versioned
  }

  #versioned = (pod: KubernetesObject): KubernetesObject => ({
    ...pod,
    metadata: { ...pod.metadata, resourceVersion: String(this.#events.length + 1) },
  })

  #tell(event: WatchEvent): void {
    this.#events.push(event)
    this.#changes.notify()
  }
}
