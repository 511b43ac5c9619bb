import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('a line that is written for a request has its id, also after waiting, and others have none', () => {
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { inRequest } from '${join(import.meta.dirname, 'current-request.ts')}'
    import { createLog } from '${join(import.meta.dirname, 'logging.ts')}'
    const log = createLog('test', 'info')
    const work = async (name) => {
      await sleep(1)
      log.warn({ name }, 'slow')
    }
    await Promise.all([inRequest('r1', () => work('one')), inRequest('r2', () => work('two')), work('none')])
  `
  const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', program], {
    encoding: 'utf8',
  })
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; request?: string })
  expect(Object.fromEntries(lines.map(({ name, request }) => [name, request]))).toEqual({
    one: 'r1',
    two: 'r2',
    none: undefined,
  })
})
