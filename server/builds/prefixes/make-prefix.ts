import { isDeepStrictEqual } from 'node:util'
import type { SandboxExit } from '../../executor/port.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { readOrigins } from '../build-origins.ts'
import { prefixSandbox } from '../build-sandbox.ts'
import { builderInput } from '../builder-input.ts'
import type { PrefixPoint } from '../dockerfile/prefix-points.ts'
import { hexOf } from '../image-documents.ts'
import { offerLog } from '../offer-log.ts'
import { storeProven } from '../reader/store-proven.ts'
import { startSandbox } from '../steps/start-sandbox.ts'
import { type Build, found } from '../steps/step.ts'
import { type KeptPrefix, signedPrefix, type TakenPrefix } from './kept-prefix.ts'
import { announcePrefix, forgetPrefix, notePrefix, type PrefixName, prefixObjectKey } from './prefix-store.ts'

/** In which the beginning of an attempt's build runs. A chain that is begun anew may make another one. */
export const prefixSandboxId = (attemptId: string, key: string): string =>
  `${attemptId}_prefix_${hexOf(key).slice(0, 16)}`

/**
 * Builds the first instructions of a stage in a sandbox of their own, on what is taken already, and keeps what they made.
 * Undefined where that cannot be had: then all is built at once, and the author is told there what fails.
 */
export async function makePrefix(
  build: Build,
  { stage, count, key }: PrefixPoint,
  taken: TakenPrefix[],
): Promise<TakenPrefix | undefined> {
  const { order, tools } = build
  const { executor } = tools
  const id = prefixSandboxId(order.attemptId, key)
  const bases = found(build, 'bases')
  build.findings.prefixSandbox = id
  offerLog(build, { sandboxId: id })
  if (!(await executor.list()).some((sandbox) => sandbox.id === id)) {
    const input = builderInput(build, {
      prefixes: taken,
      until: { stage, count },
      beginning: { log: Buffer.alloc(0), told: '' },
    })
    await startSandbox(build, prefixSandbox({ id, profile: order.buildProfile, bases }), input)
  }
  const exit = await executor.wait(id, build.signal)
  if (exit.exitCode !== 0 || exit.files.image?.status !== 'present') return undefined
  if (!(await wasMadeOf(build, id, taken))) return undefined
  const name = { companyId: order.companyId, key, attemptId: order.attemptId }
  try {
    const stored = await keep(build, id, name, exit)
    return { ...stored, stage, count }
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    await forgetPrefix(build.db, name)
    tools.log.warn({ attempt: order.attemptId, reason: error.slug }, 'a prefix cannot be kept')
    return undefined
  }
}

/** Whether the builder began with what the key is over: the operator may have replaced a base image meanwhile. */
async function wasMadeOf({ findings, tools }: Build, id: string, taken: TakenPrefix[]): Promise<boolean> {
  const { bases = [], cacheEntry } = findings
  const origins = await readOrigins(await tools.executor.log(id), { bases, prefixes: taken.length })
  return (
    isDeepStrictEqual(origins?.baseImages, cacheEntry?.baseImages) &&
    taken.every(({ stage, manifestDigest }) => origins?.prefixes.get(stage) === manifestDigest)
  )
}

/** Stores the bytes that a reader has checked, and signs which they are. */
async function keep(
  { tools, db, signal }: Build,
  id: string,
  name: PrefixName,
  exit: SandboxExit,
): Promise<KeptPrefix> {
  const tarBytes = exit.files.image?.byteSize ?? 0
  await announcePrefix(db, { ...name, byteSize: tarBytes })
  return await tools.readers.again(async () => {
    const { stored, report } = await storeProven(tools, {
      sandboxId: id,
      key: prefixObjectKey(name),
      read: () => tools.readers.readPrefix(),
      compressed: true,
      signal,
    })
    const prefix = {
      ...name,
      manifestDigest: report.image,
      objectDigest: stored.digest,
      byteSize: stored.byteSize,
      tarBytes,
    }
    await notePrefix(db, { ...prefix, envelope: signedPrefix(prefix, tools.signing) })
    return prefix
  })
}
