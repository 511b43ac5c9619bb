import { writeFile } from 'node:fs/promises'

/** The smallest weight that both versions of control groups accept. */
const minWeight = 2

/** Changes a file of a control group. Does nothing if the group is gone. */
export const change = (path: string, value: string): Promise<void> =>
  writeFile(path, value, { flag: 'r+' }).catch(() => undefined)

export const weightText = (weight: number): string => String(Math.max(minWeight, Math.round(weight)))
