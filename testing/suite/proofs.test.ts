import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesOf, leftOutFiles, proofs } from './proofs.ts'

test('each proof has files or a script that exist, and proves folders that exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  for (const { name, tests = [], scenarios = [], script, proves } of proofs) {
    const patterns = [...tests, ...scenarios]
    for (const pattern of patterns) expect(filesOf({ tests: [pattern] }), name).not.toEqual([])
    if (script) expect(scripts, name).toHaveProperty(String(script[0]))
    else expect(patterns, name).not.toEqual([])
    expect(proves.filter((path) => !existsSync(path))).toEqual([])
  }
})

test('names are unique', () => {
  const names = proofs.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('a run of the tests leaves out the proofs that it does not name', () => {
  expect(leftOutFiles(undefined)).toEqual([])
  expect(leftOutFiles('')).toEqual(expect.arrayContaining(['server/main/two-machines.test.ts']))
  const rest = leftOutFiles('two machines,simulation')
  expect(rest).not.toContain('server/main/two-machines.test.ts')
  expect(rest).not.toContain('proofs/simulation/simulation.test.ts')
  expect(rest).toContain('e2e/full-disk/full-disk.test.ts')
})
