import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { taskFileSchema } from '@sandbox-jobs/contract/task-file/json-schema.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildFolder, readTaskFile } from './read-task-file.ts'
import { checkTaskFile } from './task-file.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'task-file-'))
  writeFileSync(join(parent, 'work.sh'), 'echo hi\n')
})
afterEach(() => rmSync(parent, { recursive: true }))

const least = { name: 'report', environment: 'python', work_script: 'work.sh' }
const read = (text: string) => {
  writeFileSync(join(parent, 'task.yaml'), text)
  return readTaskFile(join(parent, 'task.yaml'))
}

test('a task file needs a name, an environment and a script; the rest has defaults', () => {
  expect(checkTaskFile(least, 't')).toEqual({
    ...least,
    description: '',
    timeout_seconds: 1800,
    requires_confirmation: false,
    secret_slots: [],
    share: { company: false, departments: [], rooms: [] },
    enable: [],
    schedules: [],
  })
})

test('all problems of a task file are reported at once', () => {
  const wrong = {
    timeout_seconds: '60',
    ordinary_env: { PORT: 80 },
    share: { room: 'a', company: 'yes' },
    enable: 'all',
    work_scirpt: 'x',
  }
  expect(() => checkTaskFile(wrong, 't')).toThrow(
    expect.objectContaining({
      message: [
        't cannot be used:',
        'there is no field work_scirpt: did you mean work_script?',
        'name is missing',
        'environment is missing',
        'work_script is missing',
        'ordinary_env must be NAME: text pairs (numbers in quotes)',
        'timeout_seconds must be a whole number of at least 1',
        'there is no field share.room: did you mean rooms?',
        'share.company must be true or false',
        'enable must be a list of names',
      ].join('\n  '),
      exitCode: 2,
    }),
  )
  for (const content of [null, [], 'text', 5])
    expect(() => checkTaskFile(content, 't')).toThrow('must hold fields')
})

test('the files of a task are read from its folder', async () => {
  const source = await read('name: a\nenvironment: b\nwork_script: work.sh\n')
  expect(source).toMatchObject({ workScript: 'echo hi\n', startupScript: '', inputSchema: null })
})

test('a section environment says how the environment is built', () => {
  const { environment: _, ...rest } = least
  expect(checkTaskFile({ ...rest, environment: {} }, 't')).toMatchObject({
    environment: 'report',
    build: { folder: '.', profile: 'standard' },
  })
  const section = { name: 'image', folder: 'image', profile: 'large', department: 'sales' }
  expect(checkTaskFile({ ...rest, environment: section }, 't')).toMatchObject({
    environment: 'image',
    build: { folder: 'image', profile: 'large', department: 'sales' },
  })
  expect(checkTaskFile(least, 't')).not.toHaveProperty('build')
  const wrong = { ...rest, environment: { profile: 'huge', dir: '.', name: 5 } }
  expect(() => checkTaskFile(wrong, 't')).toThrow(
    /no field environment.dir: there are name, folder, .*\n.*environment.name must be text\n.*environment.profile must be one of: standard/,
  )
})

test('the folder of an environment is next to or below the task file', async () => {
  const file = join(parent, 'task.yaml')
  expect(await buildFolder(file, '.')).toBe(realpathSync(parent))
  symlinkSync('/etc', join(parent, 'etc'))
  for (const folder of ['..', '/etc', 'etc']) {
    await expect(buildFolder(file, folder)).rejects.toThrow('outside the folder of the task file')
  }
  await expect(buildFolder(file, 'none')).rejects.toThrow(
    'environment.folder none cannot be used: there is no such',
  )
})

test('schema and example may stand in the task file itself', async () => {
  const lines = [
    'name: a',
    'environment: b',
    'work_script: work.sh',
    'input_schema: { type: object, required: [rows] }',
    'input_example:',
    '  rows: [1, "2"]',
  ]
  const source = await read(`${lines.join('\n')}\n`)
  expect(JSON.parse(source.inputSchema ?? '')).toEqual({ type: 'object', required: ['rows'] })
  expect(JSON.parse(source.inputExample ?? '')).toEqual({ rows: [1, '2'] })
  await expect(read(`${lines.slice(0, 3).join('\n')}\ninput_schema: 5\n`)).rejects.toThrow(
    'input_schema must be the name of a file, or JSON',
  )
})

test('no path and no link may leave the folder of the task file', async () => {
  await expect(read('name: a\nenvironment: b\nwork_script: ../../etc/passwd\n')).rejects.toThrow(
    'cannot be read',
  )
  await expect(read('name: a\nenvironment: b\nwork_script: /etc/passwd\n')).rejects.toThrow(
    'outside the folder',
  )
  symlinkSync('/etc/passwd', join(parent, 'link.sh'))
  await expect(read('name: a\nenvironment: b\nwork_script: link.sh\n')).rejects.toThrow('outside the folder')
})

test('a missing or invalid file is named', async () => {
  await expect(read('name: [')).rejects.toThrow('task.yaml cannot be used')
  await expect(read('name: a\nenvironment: b\nwork_script: none.sh\n')).rejects.toThrow(
    'none.sh cannot be read',
  )
  await expect(readTaskFile(join(parent, 'none.yaml'))).rejects.toThrow('none.yaml')
})

test('a guessed name gets the near one', () => {
  expect(() => checkTaskFile({ ...least, secrets: ['A'] }, 't')).toThrow(
    'there is no field secrets: did you mean secret_slots',
  )
})

test('the schema of the file takes what the command takes, and refuses what it refuses', () => {
  const validate = new Ajv2020({ strict: false }).compile(taskFileSchema())
  const isTaken = (content: unknown): boolean => {
    try {
      checkTaskFile(content, 't')
      return true
    } catch {
      return false
    }
  }
  const cases: [unknown, boolean][] = [
    [least, true],
    [
      { ...least, environment: { isolation: 'gvisor', network: ['a.example.org'] }, network: 'nothing' },
      true,
    ],
    [{ ...least, output_policy: { kind: 'custom_table_writeback', table: 'orders' } }, true],
    [{ ...least, input_schema: { type: 'object' }, input_example: 'input.json', enable: ['a'] }, true],
    [{ name: 'a' }, false],
    [{ ...least, secrets: [] }, false],
    [{ ...least, network: 'some' }, false],
    [{ ...least, environment: { folder: 5 } }, false],
    [{ ...least, output_policy: { table: 'orders' } }, false],
    [{ ...least, timeout_seconds: 0.5 }, false],
    [{ ...least, ordinary_env: { PORT: 80 } }, false],
    [{ ...least, share: true }, false],
  ]
  for (const [content, isRight] of cases) {
    expect([isTaken(content), validate(content)], JSON.stringify(content)).toEqual([isRight, isRight])
  }
})
