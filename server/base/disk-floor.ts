const gib = 1024 ** 3

/** New work is refused at this multiple of the floor, so that started work can still store its results. */
export const newWorkFloors = 2

/** Free bytes below which new work is refused. `floorBytes`: the operator's floor; undefined: the default. */
export const newWorkFloorBytes = (diskBytes: number, floorBytes: number | undefined): number =>
  newWorkFloors * (floorBytes ?? defaultFloorBytes(diskBytes))

/** Default of the free bytes on a disk of that size: a twentieth, 4 GiB at most. */
export const defaultFloorBytes = (diskBytes: number): number => Math.min(Math.floor(diskBytes / 20), 4 * gib)
