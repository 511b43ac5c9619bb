import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MachineIdDamaged, openMachine } from './machine-id.ts'

let parent: string
let folder: string

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'machine-id-'))
  folder = join(parent, 'agent')
  mkdirSync(folder)
})
afterEach(() => rmSync(parent, { recursive: true }))

test('a machine has one id, created at its first start and readable only for its owner', () => {
  const machine = openMachine(folder)
  expect(machine.id).toMatch(/^[0-9a-f]{32}$/)
  expect(openMachine(folder)).toEqual(machine)
  expect(statSync(join(folder, 'machine-id')).mode & 0o777).toBe(0o600)
})

test('a copy has the same id with another folder identity, a renamed folder has the same', () => {
  const machine = openMachine(folder)
  cpSync(folder, join(parent, 'copy'), { recursive: true, preserveTimestamps: true })
  const copy = openMachine(join(parent, 'copy'))
  expect(copy.id).toBe(machine.id)
  expect(copy.folder).not.toBe(machine.folder)
  renameSync(folder, join(parent, 'renamed'))
  expect(openMachine(join(parent, 'renamed'))).toEqual(machine)
})

test('a machine that has lost its records gets a new id', () => {
  const { id } = openMachine(folder)
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  expect(openMachine(folder).id).not.toBe(id)
})

test('a damaged id file is neither used nor replaced', () => {
  writeFileSync(join(folder, 'machine-id'), 'x')
  expect(() => openMachine(folder)).toThrow(MachineIdDamaged)
  expect(readFileSync(join(folder, 'machine-id'), 'utf8')).toBe('x')
})
