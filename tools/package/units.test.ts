import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const writeUnits = resolve(import.meta.dirname, '../../install/write-units.sh')
const units = ['sandbox-jobs.target', 'sandbox-jobs.service', 'sandbox-jobs@.service', 'sandbox-jobs.socket']

let folder: string
let program: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'units-'))
  program = join(folder, 'program')
  mkdirSync(program)
  writeFileSync(join(program, 'sandbox'), '')
  chmodSync(join(program, 'sandbox'), 0o755)
  execFileSync(writeUnits, [program, folder, folder])
})
afterAll(() => rmSync(folder, { recursive: true }))

test('systemd accepts every unit without a remark', () => {
  const paths = units.map((unit) => join(folder, unit.replace('@', '@api')))
  writeFileSync(paths[2] ?? '', readFileSync(join(folder, 'sandbox-jobs@.service')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('the units confine the service as far as it can work', () => {
  const argv = ['security', '--offline=true', '--threshold=78', join(folder, 'sandbox-jobs.service')]
  const { status, stdout } = spawnSync('systemd-analyze', argv, { encoding: 'utf8' })
  expect(status, stdout).toBe(0)
})

test('a unit by role differs from that of the whole service in the role only, and replaces it', () => {
  const [whole, role] = ['sandbox-jobs.service', 'sandbox-jobs@.service'].map((unit) =>
    readFileSync(join(folder, unit), 'utf8').split('\n'),
  )
  expect(role?.filter((line) => !whole?.includes(line))).toEqual([
    'Description=Sandbox Jobs, %i',
    'Conflicts=sandbox-jobs.service',
    `ExecStart=${program}/sandbox up --role %i`,
  ])
})

test('a path that a unit cannot name is refused', () => {
  const { status, stderr } = spawnSync(writeUnits, ['/opt/a b', folder, folder], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, `Units cannot name these paths: /opt/a b, ${folder}\n`])
})
