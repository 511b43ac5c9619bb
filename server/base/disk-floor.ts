const gib = 1024 ** 3

/** Bytes left free on a disk of that size where the operator says nothing: a twentieth, 4 GiB at most. */
export const defaultFloorBytes = (diskBytes: number): number => Math.min(Math.floor(diskBytes / 20), 4 * gib)
