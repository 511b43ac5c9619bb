import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'

/** The smallest weight that both versions of control groups accept. */
const minWeight = 2

/** Changes a file of a control group. Does nothing if the group is gone. */
export const change = (path: string, value: string): Promise<void> =>
  writeFile(path, value, { flag: 'r+' }).catch(() => undefined)

/** The same without a switch of threads, which takes longer than the kernel does for a weight. */
export function changeNow(path: string, value: string): void {
  try {
    writeFileSync(path, value, { flag: 'r+' })
  } catch {
    // The group is gone.
  }
}

export const weightText = (weight: number): string => String(Math.max(minWeight, Math.round(weight)))
