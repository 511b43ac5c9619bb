import { text } from 'node:stream/consumers'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../../agent/port/start-input.ts'
import { ArchiveRefused } from '../../../reader/formats/archive-refused.ts'
import type { ResolvedName } from '../../../reader/images/image-manifest.ts'
import { fetchSandbox, resolveSandbox } from '../../images/pull-sandbox.ts'
import { isOfficial, type PullAccess, type PullSource } from '../../images/registries.ts'
import { type RegistryRefusal, registryRefusal } from '../../images/registry-answer.ts'
import type { Build } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { hasKeptRoom } from '../sandboxes/kept-room-store.ts'
import { notCollected, ranOutOfDisk } from '../sandboxes/sandbox-end.ts'
import { startSandbox } from '../sandboxes/start-sandbox.ts'
import { storeVerified } from '../sandboxes/store-verified.ts'
import { BaseFailed, isBaseProblem } from './base-failed.ts'
import { type PulledImage, pulledImageKey } from './pulled-image-store.ts'

/*
 * Requests to registries, each in its own sandbox, which has a network and no input from the tenant but the reference.
 * The output is hostile: a reader process verifies it before anything is used or stored.
 */

/** One base image of a build. */
export interface RequestedBase {
  /** As written in the Dockerfile. */
  name: string
  /** Index among the base images of the Dockerfile. */
  at: number
  source: PullSource
  access: PullAccess
}

/** Derived from the attempt, so that a chain that runs again finds the sandbox and gets the same answer. */
const sandboxId = ({ request }: Build, { at }: RequestedBase, verb: 'name' | 'image') =>
  `${request.attemptId}_${verb}${at}`

/** Resolves the name at the registry. Returns the digests and the document that the registry sent. */
export async function resolveBase(
  build: Build,
  wanted: RequestedBase,
): Promise<ResolvedName & { document: Buffer }> {
  const { executor, readers } = build.tools
  const { tag, pinned } = wanted.source
  const id = sandboxId(build, wanted, 'name')
  await runPull(build, wanted, resolveSandbox({ ...wanted.source, id, reference: pinned ?? tag }))
  const open = () => executor.file(id, 'manifest')
  return await rethrowRefusal(wanted, async () => {
    const resolved = await readers.readBaseName(open, pinned)
    return { ...resolved, document: Buffer.concat(await (await open()).toArray()) }
  })
}

/** Fetches the image of that digest and stores the verified bytes. */
export async function fetchBase(
  build: Build,
  wanted: RequestedBase,
  { scope, digest }: Pick<PulledImage, 'scope' | 'digest'>,
): Promise<PulledImage> {
  const { readers } = build.tools
  const id = sandboxId(build, wanted, 'image')
  const exit = await runPull(build, wanted, fetchSandbox({ ...wanted.source, id, reference: digest }))
  if (!(await hasKeptRoom(build, exit.files.image?.byteSize ?? 0))) {
    throw new BaseFailed(wanted.name, 'base_quota_exceeded')
  }
  return await rethrowRefusal(wanted, () =>
    readers.retryOnDeath(async () => {
      const { stored } = await storeVerified(build.tools, {
        sandboxId: id,
        key: pulledImageKey({ scope, digest }),
        read: () => readers.readBaseImage(digest),
        compressed: false,
        signal: build.signal,
      })
      return { scope, digest, objectDigest: stored.digest, byteSize: stored.byteSize }
    }),
  )
}

/** Runs the sandbox to its end, or finds it ended. Throws when it did not write its output file. */
async function runPull(build: Build, wanted: RequestedBase, spec: SandboxSpec): Promise<SandboxExit> {
  const { executor } = build.tools
  const { authority, login, addresses, host } = { ...wanted.access, ...wanted.source }
  const logins = login === undefined ? {} : { auths: { [host]: { auth: base64(login) } } }
  const [name = ''] = host.split(':')
  const hosts = addresses.map((address) => `${address} ${name}\n`).join('')
  const input = [JSON.stringify(logins), authority ?? '', hosts].map((part) => `${base64(part)}\n`).join('')
  const masked = login === undefined ? [] : [login, base64(login)]
  await startSandbox(build, spec, inputOf(Buffer.from(input), { masked }))
  const exit = await executor.wait(spec.id, build.signal)
  const [file = ''] = spec.collect.files.map(({ name }) => name)
  const problem = problemOf(exit, file, await ranOutOfDisk(executor, spec.id, exit))
  if (problem === undefined) return exit
  if (problem instanceof BuildFailed) throw problem
  if (problem !== 'base_image_unavailable') throw new BaseFailed(wanted.name, problem)
  const refusal = await refusalOf(build, wanted, { id: spec.id, exit })
  if (refusal?.problem === 'base_rate_limited') {
    throw new BaseFailed(wanted.name, refusal.problem, waitText(refusal.waitSeconds))
  }
  throw new BaseFailed(wanted.name, refusal?.problem ?? problem)
}

/** The answer of the registry, if that explains the failure. */
async function refusalOf(
  { tools }: Build,
  { source: { host, repository } }: RequestedBase,
  { id, exit }: { id: string; exit: SandboxExit },
): Promise<RegistryRefusal | undefined> {
  if (exit.files.answer?.status !== 'present') return undefined
  const answer = await text(await tools.executor.file(id, 'answer'))
  const path = repository.slice(host.length + 1)
  return registryRefusal(answer, { isOfficial: isOfficial(host, path), now: tools.clock.now() })
}

const waitText = (seconds: number | undefined) =>
  seconds === undefined ? 'Try again later.' : `Try again in ${seconds} seconds.`

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

/** Exit code of the shell when the builder's root filesystem lacks the tool. */
const toolMissing = 127

function problemOf(exit: SandboxExit, file: string, hadNoDisk: boolean) {
  if (exit.cause === 'deadline') return 'base_image_timeout'
  if (exit.cause === 'stopped') return new BuildFailed('tenant_cancel')
  if (exit.cause === 'lost' || exit.cause === 'start_failed') {
    return new BuildFailed('platform_failed', exit.detail || exit.cause)
  }
  if (exit.exitCode === toolMissing) return 'builder_outdated'
  const status = exit.files[file]?.status
  if (hadNoDisk || status === 'too_large' || exit.cause === 'egress_cap') return 'base_image_too_large'
  const missing = notCollected(exit)
  if (missing) return missing
  if (exit.exitCode === 0 && status === 'present') return undefined
  return exit.network.refused ? 'base_registry_address' : 'base_image_unavailable'
}

async function rethrowRefusal<T>({ name }: RequestedBase, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    throw new BaseFailed(name, isBaseProblem(error.slug) ? error.slug : 'base_image_malformed')
  }
}
