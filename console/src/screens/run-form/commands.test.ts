import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { expect, test } from 'vitest'
import { apiRequest, cliCommand } from './commands.ts'

const run = (input: unknown, others: object = {}) => ({
  cid: 'roo_1',
  taskId: 'tsk_1',
  body: { task_version_id: 'tvr_1', input, ...others },
})

test('the command names the task, the room, the input and the options', () => {
  const options = { timeout_seconds: 60, files: [{ name: 'a b.csv', file_id: 'fil_1' }] }
  expect(cliCommand(run({ month: '2026-10' }, options))).toBe(
    `sandbox run tsk_1 --room roo_1 --input '{"month":"2026-10"}' \\\n  --file 'a b.csv' \\\n  --timeout 60 \\\n  --watch`,
  )
})

test('the request has the same body as that of the form', () => {
  expect(apiRequest('https://jobs.example', run({ a: 1 }))).toContain(
    `--data '{"task_version_id":"tvr_1","input":{"a":1}}'`,
  )
})

test('no text of an input ends its argument, and what is shown is what is copied', () => {
  const hostile = { text: "''; rm -rf / #\u202e\u0000\u001b[2J\ud800" }
  for (const command of [cliCommand(run(hostile)), apiRequest('https://jobs.example', run(hostile))]) {
    expect(command).toContain(`'\\'''\\''; rm -rf / #`)
    const shown = command.replaceAll('\n', '')
    expect(plainText(shown)).toBe(shown)
  }
  const [, argument = ''] = /--input '(.*)' \\\n/s.exec(cliCommand(run(hostile))) ?? []
  expect(JSON.parse(argument.replaceAll(`'\\''`, "'"))).toEqual(hostile)
})
