import { execFile } from 'node:child_process'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const module = join(import.meta.dirname, 'lower-priority.ts')
const program = `import { getPriority } from 'node:os'
import { lowerPriority } from '${module}'
lowerPriority()
console.log(getPriority())`

/** The priority of a process that the service's user started with `nice` and that has lowered it. */
async function loweredFrom(nice: number): Promise<number> {
  const unprivileged = ['--bounding-set=-sys_nice', 'nice', '-n', String(nice), process.execPath]
  const { stdout } = await run('setpriv', [...unprivileged, '--input-type=module', '-e', program])
  return Number(stdout)
}

it.each([0, 19])('lowers the priority of a process that was started with `nice -n %s`', async (nice) => {
  const started = Math.min(getPriority() + nice, 19)
  expect(await loweredFrom(nice)).toBe(Math.max(started, constants.priority.PRIORITY_BELOW_NORMAL))
})
