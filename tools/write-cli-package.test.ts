import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeService, fakeService } from '../cli/testing/fake-service.ts'
import { clientNodes, runCli } from '../cli/testing/run-cli.ts'

let parent: string
let home: string
let service: FakeService
let packed: { filename: string; files: { path: string }[] }

/** npm without the settings and the cache of this machine, and with a registry that does not answer. */
const npm = (args: string[], cwd: string): string =>
  execFileSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: {
      PATH: '/usr/bin:/bin',
      HOME: parent,
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_update_notifier: 'false',
    },
  })

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'cli-package-'))
  home = join(parent, 'empty')
  mkdirSync(home)
  service = await fakeService()
  const folder = join(parent, 'package')
  execFileSync(process.execPath, [join(import.meta.dirname, 'write-cli-package.ts'), folder])
  packed = JSON.parse(npm(['pack', '--json', '--pack-destination', parent], folder))[0]
  npm(['install', '--offline', '--no-audit', '--no-fund', join(parent, packed.filename)], home)
})
afterAll(async () => {
  await service.close()
  rmSync(parent, { recursive: true })
})

test('the package has the command, a licence, a description of itself, and nothing that runs at its installation', () => {
  const files = packed.files.map(({ path }) => path).toSorted()
  expect(files).toEqual(['LICENSE', 'README.md', 'package.json', 'sandbox'])
  const manifest = JSON.parse(
    readFileSync(join(home, 'node_modules/@sandbox-jobs/cli/package.json'), 'utf8'),
  ) as object
  expect(manifest).toMatchObject({ license: 'Apache-2.0', engines: { node: '>=20' } })
  expect(Object.keys(manifest)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/scripts|ependencies/)]),
  )
  expect(readdirSync(join(home, 'node_modules')).toSorted()).toEqual([
    '.bin',
    '.package-lock.json',
    '@sandbox-jobs',
  ])
})

test.each(clientNodes)('the installed command works on %s', async (node) => {
  service.answers.listOwnChatrooms = () => ({
    json: {
      items: [
        { id: 'roo_1', name: 'daily', department_id: 'dep_1', department_name: 'Sales', manages: true },
      ],
      next_page_token: null,
    },
  })
  const result = await runCli(['rooms', '--url', service.url, '--token', 'jwt'], {
    home,
    program: [node, join(home, 'node_modules/.bin/sandbox')],
  })
  expect(result).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('daily') })
})
