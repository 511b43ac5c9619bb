import type { CollectedTreeFile } from './sandbox-exit.ts'

/** A sandbox outlives an upgrade of the service, and its collector may be one that writes no times. */
const form = /^(\d{1,15})(?:@(\d{1,10}))? (.+)$/s

/** The files of a collected tree from its index: `<size>@<time> <path>` entries, each ended by a zero byte. Throws if it has another form. */
export const treeFilesOf = (index: Buffer): CollectedTreeFile[] =>
  index
    .toString('latin1')
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, size, time = '0', path = ''] = form.exec(entry) ?? []
      if (size === undefined) throw new Error('an entry of a collected tree has another form')
      return { path, byteSize: Number(size), modifiedAt: Number(time) }
    })
