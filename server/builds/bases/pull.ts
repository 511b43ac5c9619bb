import type { SandboxExit, SandboxSpec } from '../../executor/port.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { BuildFailed } from '../build-failed.ts'
import { ranOutOfDisk } from '../ran-out-of-disk.ts'
import { storeProven } from '../reader/store-proven.ts'
import { startSandbox } from '../steps/start-sandbox.ts'
import type { Build } from '../steps/step.ts'
import { BaseFailed, isBaseProblem } from './base-failed.ts'
import type { ResolvedName } from './image-manifest.ts'
import { fetchSandbox, resolveSandbox } from './pull-sandbox.ts'
import { type PulledImage, pulledImageKey } from './pulled-image-store.ts'
import type { PullAccess, PullSource } from './registries.ts'

/*
 * What registries are asked for, each time in a sandbox of its own that has a network and no word of the tenant's but the
 * reference. What comes out is hostile: a reader process reads it before anything is believed or kept.
 */

/** One base image of a build. */
export interface Wanted {
  /** As the Dockerfile has it. */
  name: string
  /** Among the base images of the Dockerfile. */
  at: number
  source: PullSource
  access: PullAccess
}

/** The sandboxes of an attempt are found again by their ids, so a chain that is begun anew finds the same answer. */
const sandboxId = ({ order }: Build, { at }: Wanted, verb: 'name' | 'image') =>
  `${order.attemptId}_${verb}${at}`

/** What the registry has under the name, and the document that says so. */
export async function resolveBase(
  build: Build,
  wanted: Wanted,
): Promise<ResolvedName & { document: Buffer }> {
  const { executor, readers } = build.tools
  const { repository, tag, pinned, isOwn } = wanted.source
  const reference = pinned === undefined ? `${repository}:${tag}` : `${repository}@${pinned}`
  const id = sandboxId(build, wanted, 'name')
  await pulled(build, wanted, resolveSandbox({ id, reference, isOwn }))
  const open = () => executor.file(id, 'manifest')
  return await refusedAs(wanted, async () => {
    const resolved = await readers.readBaseName(open, pinned)
    return { ...resolved, document: Buffer.concat(await (await open()).toArray()) }
  })
}

/** Fetches the image of that digest and stores the bytes that were checked. */
export async function fetchBase(
  build: Build,
  wanted: Wanted,
  { scope, digest }: Pick<PulledImage, 'scope' | 'digest'>,
): Promise<PulledImage> {
  const { readers } = build.tools
  const id = sandboxId(build, wanted, 'image')
  const { repository, isOwn } = wanted.source
  const reference = `${repository}@${digest}`
  await pulled(build, wanted, fetchSandbox({ id, reference, isOwn }))
  return await refusedAs(wanted, () =>
    readers.again(async () => {
      const { stored } = await storeProven(build.tools, {
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

/** Runs the sandbox to its end, or finds it ended; throws when it has not left its file. */
async function pulled(build: Build, wanted: Wanted, spec: SandboxSpec): Promise<void> {
  const { executor } = build.tools
  const { authority, login, addresses, host } = { ...wanted.access, ...wanted.source }
  const logins = login === undefined ? {} : { auths: { [host]: { auth: base64(login) } } }
  const [name = ''] = host.split(':')
  const hosts = addresses.map((address) => `${address} ${name}\n`).join('')
  const input = [JSON.stringify(logins), authority ?? '', hosts].map((part) => `${base64(part)}\n`).join('')
  const secrets = login === undefined ? [] : [login, base64(login)]
  await startSandbox(build, spec, Buffer.from(input), secrets)
  const exit = await executor.wait(spec.id, build.signal)
  const [file = ''] = spec.collect.files.map(({ name }) => name)
  const problem = problemOf(exit, file, await ranOutOfDisk(executor, spec.id, exit))
  if (problem instanceof BuildFailed) throw problem
  if (problem !== undefined) throw new BaseFailed(wanted.name, problem)
}

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

/** The tool is not in the root filesystem of a builder that was made without it. */
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
  if (exit.exitCode === 0 && status === 'present') return undefined
  return exit.network.refused ? 'base_registry_address' : 'base_image_unavailable'
}

async function refusedAs<T>({ name }: Wanted, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    throw new BaseFailed(name, isBaseProblem(error.slug) ? error.slug : 'base_image_malformed')
  }
}
