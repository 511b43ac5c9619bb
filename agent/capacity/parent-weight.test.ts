import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ParentWeight } from './parent-weight.ts'

test.each([1, 2] as const)('in version %i, many owners have no more weight than two', async (version) => {
  const folder = await mkdtemp(join(tmpdir(), 'parent-weight-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const files = ['sandboxes', 'shims'].map((name) => join(folder, name))
  const weightOf = async (share: number) => {
    for (const file of files) await writeFile(file, '')
    new ParentWeight(version, files).set(share)
    const [value, other] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
    expect(other).toBe(value)
    return Number(value)
  }
  const one = await weightOf(1)
  expect(await weightOf(1 / 4)).toBe(one / 4)
  expect([await weightOf(2), await weightOf(14)]).toEqual([2 * one, 2 * one])
})
