import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { basePreset } from '@sandbox-jobs/server/main/operator/images/operator-images.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Template } from '../../init/template.ts'
import { templateNames, templates } from '../../init/templates.ts'
import { readTaskFile } from '../../publish/read-task-file.ts'
import { fakeService } from '../../testing/fake-service.ts'
import { runCli } from '../../testing/run-cli.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cli-init-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const init = (...args: string[]) => runCli(['init', ...args], { home })

test.each(templateNames)(
  'the template %s is a task file that can be read, with all that it names',
  async (template) => {
    const made = await init('my: words', '--template', template, '--room', 'a room', "b'c")
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    expect(made.stdout).toMatch(/^Wrote \d files to .*sandbox deploy\n$/s)
    const folder = join(home, 'my: words')
    const source = await readTaskFile(join(folder, 'task.yaml'))
    expect(readFileSync(join(folder, 'task.yaml'), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8080\/task-file\.schema\.json\n/,
    )
    expect(source.task).toMatchObject({
      name: 'my: words',
      environment: 'my: words',
      build: { folder: 'image', profile: 'standard' },
      share: { rooms: ['a room', "b'c"] },
      enable: ['a room', "b'c"],
    })
    const { properties } = JSON.parse(source.inputSchema ?? '') as {
      properties: { text: { pattern?: string } }
    }
    if (properties.text.pattern !== undefined) {
      const allowed = new RegExp(properties.text.pattern, 'u')
      expect(['one two', 'ä'].every((text) => allowed.test(text))).toBe(true)
      expect(['"', '\\', '\n', '\t', '\u001f'].some((text) => allowed.test(text))).toBe(false)
    }
    expect(JSON.parse(source.inputExample ?? '')).toEqual({ text: 'one two three' })
    expect(readFileSync(join(folder, 'image/Dockerfile'), 'utf8')).toMatch(/^FROM (?:curated\/|scratch)/m)
    const readme = readFileSync(join(folder, 'README.md'), 'utf8')
    expect(readme.split('\n').length).toBeLessThanOrEqual(12)
  },
)

test.each([
  ['that the service has', ['curated/node:20'], null],
  [
    'that it lacks, beside those that it has',
    ['curated/python:3.13', 'curated/x:1'],
    /no curated\/node:20; it has: curated\/python:3.13, curated\/x:1$/m,
  ],
  ['that it lacks, with none', [], /no curated\/node:20; it has: none$/m],
  [
    'of a service that does not answer',
    undefined,
    /if the service has no curated\/node:20; sandbox bases lists what it has$/m,
  ],
])('the next steps make a base image %s', async (_what, offered, expected) => {
  const service = await fakeService()
  service.answers.listBaseImages = () =>
    offered ? { json: { items: offered.map((name) => ({ name })) } } : { status: 503, detail: 'away' }
  const env = { SANDBOX_URL: service.url, SANDBOX_TOKEN: 'jwt' }
  const { stdout, exitCode } = await runCli(['init', 'words', '--template', 'node'], { home, env })
  await service.close()
  expect(exitCode).toBe(0)
  if (expected) expect(stdout).toMatch(expected)
  expect(stdout.includes('sudo sandbox operator base-image add --preset node:20')).toBe(expected !== null)
})

test('templates start from the newest release of a preset', () => {
  for (const { base } of Object.values<Template>(templates)) {
    const language = base?.preset.split(':')[0]
    if (language)
      expect(base).toEqual({ name: basePreset(language).name, preset: basePreset(language).preset })
  }
})

test('nothing is overwritten, and nothing is written beside what is there', async () => {
  mkdirSync(join(home, 'image'))
  writeFileSync(join(home, 'work.sh'), 'mine')
  const refused = await init('--template', 'shell')
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('already has work.sh') })
  expect(readFileSync(join(home, 'work.sh'), 'utf8')).toBe('mine')
  expect(existsSync(join(home, 'task.yaml'))).toBe(false)
})

test('an unknown template is refused with those that there are', async () => {
  const refused = await init('--template', 'cobol')
  expect(refused.exitCode).toBe(2)
  for (const name of templateNames) expect(refused.stderr).toContain(name)
})
