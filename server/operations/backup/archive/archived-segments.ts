import { join } from 'node:path'
import { plainName } from '../encryption/backup-files.ts'
import { isSegmentName } from './segments.ts'

const whole = '.gz'
const partial = '.partial.gz'

/** A file of the archive with a segment of the log. */
export interface ArchivedSegment {
  name: string
  /** Absolute path. */
  file: string
  /** The file has only what was written of the segment at the last turn. */
  isPartial: boolean
  isEncrypted: boolean
}

/** Name of the file, without the ending of an encrypted one. */
export const fileNameOf = ({ name, isPartial }: Pick<ArchivedSegment, 'name' | 'isPartial'>): string =>
  `${name}${isPartial ? partial : whole}`

/** The segments of the files with these names, in their order. Other files have none. */
export const segmentsIn = (folder: string, names: readonly string[]): ArchivedSegment[] =>
  names.toSorted().flatMap((stored) => {
    const { name: plain, isEncrypted } = plainName(stored)
    const name = plain.split('.')[0] ?? ''
    const isPartial = plain === `${name}${partial}`
    if (!isSegmentName(name) || plain !== fileNameOf({ name, isPartial })) return []
    return [{ name, isPartial, isEncrypted, file: join(folder, stored) }]
  })

/** Without the parts of segments that are there as a whole. */
export function mostOfEach(found: readonly ArchivedSegment[]): ArchivedSegment[] {
  const wholes = new Set(namesOfWhole(found))
  return found.filter(({ name, isPartial }) => !isPartial || !wholes.has(name))
}

export const namesOfWhole = (found: readonly ArchivedSegment[]): string[] =>
  found.filter(({ isPartial }) => !isPartial).map(({ name }) => name)
