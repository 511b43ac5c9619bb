import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { buildCommand, keptFolder, targets } from './targets.ts'

const folder = mkdtempSync('/dev/shm/fuzz-native-kept-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(Object.entries(targets))('%s has no fault in what was kept', async (name, target) => {
  const program = join(folder, name)
  const { args, cwd } = buildCommand(name, target, 'cc', program)
  await promisify(execFile)('cc', args, { cwd })
  const kept = (existsSync(keptFolder(name)) ? readdirSync(keptFolder(name)) : []).map((file) =>
    join(keptFolder(name), file),
  )
  const seeds = target.seeds().map((bytes, index) => {
    const path = join(folder, `${name}-seed-${index}`)
    writeFileSync(path, bytes)
    return path
  })
  const inputs = [...seeds, ...kept]
  const { stderr } = await promisify(execFile)(program, inputs, {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
  })
  // Each is named before it is run.
  expect(stderr.split('\n').filter((line) => inputs.includes(line))).toHaveLength(inputs.length)
})
