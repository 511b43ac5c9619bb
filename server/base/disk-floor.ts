const gib = 1024 ** 3

/** Default of the free bytes on a disk of that size: a twentieth, 4 GiB at most. */
export const defaultFloorBytes = (diskBytes: number): number => Math.min(Math.floor(diskBytes / 20), 4 * gib)
