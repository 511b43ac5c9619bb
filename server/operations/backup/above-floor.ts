import { stat } from 'node:fs/promises'
import { defaultFloorBytes } from '../../base/disk-floor.ts'
import { type DiskSize, diskOf } from '../../storage/free-space.ts'
import { BackupProblem } from './backup-problem.ts'

export interface SpacePlan {
  /** Written to. */
  folder: string
  /** The disk floor counts only on its disk: elsewhere nothing else needs space. */
  dataDir: string
  diskFloorBytes: number | undefined
  /** Probably needed. */
  bytes: number
}

/** The disk has too little space for the work. */
export class NoSpace extends BackupProblem {}

const lookEveryMs = 250

/**
 * Work that writes much to a disk. It does not start without the space that it probably needs, and its signal aborts when the disk
 * reaches the floor that the service needs to go on.
 */
export async function aboveFloor<T>(
  plan: SpacePlan,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { freeBytes, totalBytes } = await diskOf(plan.folder)
  const floorBytes = (await isOneDisk(plan)) ? (plan.diskFloorBytes ?? defaultFloorBytes(totalBytes)) : 0
  if (freeBytes - floorBytes < plan.bytes) {
    throw new NoSpace(
      `the disk of ${plan.folder} has ${mib(freeBytes - floorBytes)} MiB left above its floor, and about ${mib(plan.bytes)} are needed`,
    )
  }
  const full = new AbortController()
  const look = ({ freeBytes: left }: DiskSize) => {
    if (left < floorBytes)
      full.abort(new NoSpace(`the disk of ${plan.folder} has reached the floor of its free space`))
  }
  const timer = setInterval(() => void diskOf(plan.folder).then(look, () => undefined), lookEveryMs)
  const both = AbortSignal.any([signal, full.signal])
  try {
    return await work(both)
  } catch (error) {
    // Streams wrap the reason.
    throw both.aborted ? both.reason : error
  } finally {
    clearInterval(timer)
  }
}

const mib = (bytes: number) => Math.round(bytes / 2 ** 20)

async function isOneDisk({ folder, dataDir }: SpacePlan): Promise<boolean> {
  const [one, other] = await Promise.all([stat(folder), stat(dataDir)])
  return one.dev === other.dev
}
