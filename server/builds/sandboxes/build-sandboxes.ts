import { Readable } from 'node:stream'
import { hexOf } from '../../images/image-documents.ts'
import { openedLate } from '../../storage/opened-late.ts'
import { storeBuildLog } from '../logs/build-log.ts'
import type { Build } from '../request/build.ts'

/*
 * The sandboxes of an attempt. Their ids are derived from the attempt's id, so that a chain that runs again finds the
 * sandboxes that it started before, and all of them can be removed with the attempt.
 */

/** The builder's sandbox. An interrupted delivery of the input is repeated in another sandbox. */
export const deliverySandboxId = (attemptId: string, delivery: number) => `${attemptId}_${delivery}`
const isDelivery = /_\d$/

/** The sandbox that builds the first instructions of a stage separately, for the layer cache. */
export const stageSandboxId = (attemptId: string, key: string): string =>
  `${attemptId}_prefix_${hexOf(key).slice(0, 16)}`
/** The sandbox that exports a base image as a layer. */
export const baseSandboxId = (attemptId: string, key: string): string =>
  `${attemptId}_base_${hexOf(key).slice(0, 16)}`

const isStage = /_prefix_[0-9a-f]+$/

/** Stores the sandbox's log, with `end` appended, as the build's log. */
export async function storeSandboxLog(
  build: Pick<Build, 'request' | 'tools' | 'db'>,
  sandboxId: string,
  end = '',
): Promise<void> {
  const printed = openedLate(() => build.tools.executor.log(sandboxId))
  const log = async function* () {
    yield* printed
    if (end !== '') yield Buffer.from(end)
  }
  await storeBuildLog(build, Readable.from(log()))
}

/** Stores the log of a build that was interrupted. */
export async function storeUnfinishedLog(build: Pick<Build, 'request' | 'tools' | 'db'>): Promise<void> {
  const ids = await sandboxIds(build)
  const last = ids.findLast((id) => isDelivery.test(id)) ?? ids.findLast((id) => isStage.test(id))
  if (last !== undefined) await storeSandboxLog(build, last)
}

/** Stops and removes all sandboxes of an attempt. */
export async function removeBuildSandboxes(build: Pick<Build, 'request' | 'tools'>): Promise<void> {
  const { executor } = build.tools
  for (const id of await sandboxIds(build)) {
    await executor.stop(id)
    await executor.wait(id)
    await executor.remove(id)
  }
}

async function sandboxIds({ request, tools }: Pick<Build, 'request' | 'tools'>): Promise<string[]> {
  const ids = (await tools.executor.list()).map(({ id }) => id)
  return ids.filter((id) => id.startsWith(`${request.attemptId}_`)).toSorted()
}
