import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { testFolder } from '../../../../testing/apps/test-storage.ts'
import { onlyFolder } from './only-folder.ts'

const folder = testFolder()
let made = 0
let parent: string
beforeEach(() => {
  made += 1
  parent = join(folder, String(made))
  mkdirSync(parent)
})

const filled = (text: string) => (path: string) => {
  mkdirSync(path)
  writeFileSync(join(path, 'file'), text)
}

test('a folder is made once, and complete once it has its name', () => {
  const first = onlyFolder(parent, 'a', (fresh) => {
    filled('one')(fresh)
    expect(readdirSync(parent)).not.toContain('a')
  })
  expect(onlyFolder(parent, 'a', filled('two'))).toBe(first)
  expect(readFileSync(join(first, 'file'), 'utf8')).toBe('one')
})

test('two processes that make a folder at once do not disturb each other, and the first wins', () => {
  const ofAnother = join(parent, `a.new-${process.ppid}`)
  const found = onlyFolder(parent, 'a', (fresh) => {
    filled('of another')(ofAnother)
    filled('second')(fresh)
    filled('first')(join(parent, 'a'))
  })
  expect(readFileSync(join(found, 'file'), 'utf8')).toBe('first')
  expect(readFileSync(join(ofAnother, 'file'), 'utf8')).toBe('of another')
  expect(readdirSync(parent).toSorted()).toEqual(['a', `a.new-${process.ppid}`])
})

test('the former folder stays for the processes that run from it; older ones and residue go', () => {
  for (const [at, name] of ['oldest', 'old', 'former'].entries()) {
    filled(name)(join(parent, name))
    utimesSync(join(parent, name), at, at)
  }
  for (const residue of ['x.new', 'x.new-999999999']) filled(residue)(join(parent, residue))
  onlyFolder(parent, 'present', filled('present'))
  expect(readdirSync(parent).toSorted()).toEqual(['former', 'present'])
})
