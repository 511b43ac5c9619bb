import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../cli/testing/run-cli.ts'
import type { Service } from './service.ts'
import { openService } from './shared-service.ts'

/* From `sandbox init` to a result, as an author types it, on bases that need no registry. */

const run = promisify(execFile)

let service: Service
let home: string

beforeAll(async () => {
  service = await openService()
  home = await mkdtemp(join(tmpdir(), 'templates-'))
  const { url, user, password } = service
  const login = await sandbox(['login', '--url', url, '--user', user], { SANDBOX_PASSWORD: password })
  if (login.exitCode !== 0) throw new Error(login.stderr)
})
afterAll(async () => {
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

const sandbox = (args: string[], env: Record<string, string> = {}) => runCli(args, { home, env })

const init = async (template: string, name: string) => {
  const made = await sandbox(['init', name, '--template', template, '--room', 'daily-numbers'])
  expect(made).toMatchObject({ exitCode: 0, stderr: '' })
  return join(home, name)
}
const result = async (name: string) => {
  const watched = await sandbox([
    'run',
    name,
    '--room',
    'daily-numbers',
    '--input',
    `${name}/input.json`,
    '--watch',
  ])
  expect(watched).toMatchObject({ exitCode: 0 })
  return JSON.parse(watched.stdout) as unknown
}

test.each(['shell', 'static', 'python'])('the template %s leads from init to a result', async (template) => {
  const folder = await init(template, template)
  if (template === 'static')
    await run('cc', ['-static', '-O2', '-o', 'image/main', 'main.c'], { cwd: folder })
  const first = await sandbox(['deploy', template])
  expect(first).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Deployed version 1 of /) })
  expect(first.stderr).toMatch(/build .* done.*shared with chatroom.*enabled in room/s)
  expect(await result(template)).toEqual({ words: 3 })

  const again = await sandbox(['deploy', template])
  expect(again).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Nothing has changed: version 1 of /),
  })
})
