import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mean } from '../harness/measure/percentile.ts'

const samples = 60

/**
 * Mean milliseconds by which a file's times lag the clock: file systems stamp with the time of the last tick. Adding
 * it corrects the mean of many stamps, not a single one.
 */
export async function stampLagMs(parent: string): Promise<number> {
  const folder = await mkdtemp(join(parent, 'stamps-'))
  const lags: number[] = []
  try {
    for (let index = 0; index < samples; index += 1) {
      // Not in step with the ticks.
      await sleep(1 + (index % 7))
      const path = join(folder, String(index))
      const before = performance.timeOrigin + performance.now()
      await writeFile(path, '')
      const after = performance.timeOrigin + performance.now()
      lags.push((before + after) / 2 - (await stat(path)).birthtimeMs)
    }
    return mean(lags)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
