import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defaultFloorBytes } from '../base/disk-floor.ts'

/** So long an answer of the file system stands. */
const heldMs = 200
/** New work is refused this many times above the floor, so that what has begun can still be stored. */
export const newWorkFloors = 2

/** What one company may keep on a disk of that size where the operator says nothing: a quarter. */
export const defaultCompanyBytes = (diskBytes: number): number => Math.max(Math.floor(diskBytes / 4), 1)

export interface DiskSize {
  totalBytes: number
  freeBytes: number
}

/** Size of the disk that a folder is on, or would be once it is made. */
export async function diskOf(folder: string): Promise<DiskSize> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      const { blocks, bavail, bsize } = await statfs(at)
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || at === dirname(at)) throw error
    }
  }
}

/** How much the disk of a folder has left, above a floor that nothing of a tenant may go below. */
export class FreeSpace {
  readonly #folder: string
  readonly #floorBytes: number | undefined
  #held: Promise<DiskSize> | undefined

  constructor(folder: string, floorBytes?: number) {
    this.#folder = folder
    this.#floorBytes = floorBytes
  }

  /** Whether something new may begin. */
  async hasSpace(): Promise<boolean> {
    return (await this.#aboveFloor(newWorkFloors)) >= 0
  }

  /** Throws `DiskSpaceLow` where so many more bytes would go below the floor. */
  async require(bytes: number): Promise<void> {
    if ((await this.#aboveFloor(1)) < bytes) throw new DiskSpaceLow(this.#folder)
  }

  async #aboveFloor(floors: number): Promise<number> {
    const { totalBytes, freeBytes } = await this.#disk()
    return freeBytes - floors * (this.#floorBytes ?? defaultFloorBytes(totalBytes))
  }

  #disk(): Promise<DiskSize> {
    if (this.#held) return this.#held
    const disk = diskOf(this.#folder)
    this.#held = disk
    const forget = () => {
      this.#held = undefined
    }
    disk.then(() => setTimeout(forget, heldMs).unref(), forget)
    return disk
  }
}

/** Told like a full disk, which it keeps from happening. */
export class DiskSpaceLow extends Error {
  readonly code = 'ENOSPC'
  readonly syscall = 'statfs'
  constructor(folder: string) {
    super(`ENOSPC: the disk of ${folder} has no more space than is to stay free`)
    this.name = 'DiskSpaceLow'
  }
}
