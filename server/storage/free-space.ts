import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defaultFloorBytes, newWorkFloors } from '../base/disk-floor.ts'

/** How long a reading of the file system is reused. */
const heldMs = 200

/** Default storage of one company on a disk of that size: a quarter. */
export const defaultCompanyBytes = (diskBytes: number): number => Math.max(Math.floor(diskBytes / 4), 1)

export interface DiskSize {
  totalBytes: number
  freeBytes: number
}

/** Size of the disk with the folder, also before the folder is created. */
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

/** The free space of a folder's disk above a floor that tenant data may not go below. */
export class FreeSpace {
  readonly #folder: string
  readonly #floorBytes: number | undefined
  #held: Promise<DiskSize> | undefined

  constructor(folder: string, floorBytes?: number) {
    this.#folder = folder
    this.#floorBytes = floorBytes
  }

  /** Whether new work may start. */
  async hasSpace(): Promise<boolean> {
    return (await this.#aboveFloor(newWorkFloors)) >= 0
  }

  /** Throws `DiskSpaceLow` if this many more bytes would go below the floor. */
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

/** Reported with the error code of a full disk, which it prevents. */
export class DiskSpaceLow extends Error {
  readonly code = 'ENOSPC'
  readonly syscall = 'statfs'
  constructor(folder: string) {
    super(`ENOSPC: the disk of ${folder} has reached the floor of its free space`)
    this.name = 'DiskSpaceLow'
  }
}
