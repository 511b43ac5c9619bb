import { Readable } from 'node:stream'
import type { ProgramInput, StartInput } from '../../../agent/port/start-input.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import type { PreparedPart, StartChange } from '../parts/run-part.ts'
import { bootInput, bootInputWith, type Job, unpackingMark } from './boot-program.ts'

/** A run that may not start with what was prepared for it: `change` says how it goes on. */
export class StartWithdrawn extends Error {
  readonly change: StartChange
  /** Tells the reason to an executor, which knows no runs. */
  readonly slug: string
  constructor(change: StartChange) {
    super('the run may not start as it was prepared')
    this.name = 'StartWithdrawn'
    this.change = change
    this.slug = change === 'requeue' ? change : change.error_code
  }
}

/** The input of a run, which throws `StartWithdrawn` if a part has changed since it was prepared. */
export function runInput(boot: Job, parts: readonly PreparedPart[]): StartInput {
  const openBytes = bytesOf(boot, parts)
  const masked = parts.flatMap(({ masks = [] }) => masks)
  const known = parts.flatMap((part) => part.known ?? [])
  return {
    async open() {
      for (const { recheck } of parts) {
        const change = await recheck?.()
        if (change) throw new StartWithdrawn(change)
      }
      return { bytes: openBytes(), masked, known }
    },
  }
}

/** A run without files of parts has its input in memory. */
function bytesOf(boot: Job, parts: readonly PreparedPart[]): () => ProgramInput['bytes'] {
  if (parts.some(({ blocks }) => blocks))
    return () => Readable.from(bootInputWith(boot, blocksOf(boot, parts)))
  const bytes = bootInput(boot)
  return () => bytes
}

async function* blocksOf({ claimedAt }: Job, parts: readonly PreparedPart[]): AsyncGenerator<Buffer, void> {
  const modifiedAt = fileTimeOf(claimedAt)
  // The exit record of a folder that is kept has to say whether all was there.
  if (parts.some(({ folder }) => folder)) yield unpackingMark(modifiedAt)
  for (const { blocks } of parts) if (blocks) yield* blocks(modifiedAt)
}
