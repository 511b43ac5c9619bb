import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../testing/run-cli.ts'
import { finish, output } from './program.ts'

/* On the real Podman and the real buildah, with images of their own. Docker gets the same commands as Podman. */

let home: string
let env: Record<string, string>

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cli-podman-'))
  const file = (name: string, content: string, mode = 0o644) => {
    writeFileSync(join(home, name), content, { mode })
    return join(home, name)
  }
  // A test machine may have both versions of control groups, which crun refuses, and limits that root may not raise.
  const runtime = file(
    'runtime',
    `#!/bin/sh
exec unshare --mount sh -c 'mount -t tmpfs tmpfs /sys/fs/cgroup/unified 2>/dev/null; exec crun --cgroup-manager=disabled "$@"' sh "$@"
`,
    0o755,
  )
  env = {
    CONTAINERS_CONF: file(
      'containers.conf',
      `[containers]
default_ulimits = ["nofile=1024:4096", "nproc=1024:1024"]
[engine]
runtime = "test"
[engine.runtimes]
test = ["${runtime}"]
`,
    ),
    CONTAINERS_STORAGE_CONF: file(
      'storage.conf',
      `[storage]\ndriver = "overlay"\ngraphroot = "${home}/graph"\nrunroot = "${home}/run"\n`,
    ),
  }
  const made = await cli(['init', 'words', '--template', 'shell'])
  if (made.exitCode !== 0) throw new Error(made.stderr)
})
afterAll(async () => {
  await finish(['umount', join(home, 'graph/overlay')])
  rmSync(home, { recursive: true, force: true })
})

const cli = (args: string[]) => runCli(args, { home, env })
const local = (...args: string[]) =>
  cli(['run', '--local', 'words', '--engine', 'podman', '--no-network', ...args])

test('a project goes from init to a result without a service', async () => {
  const run = await local('--set', 'text=a b')
  expect(run.stderr).toContain('counting 2 words')
  expect(run).toMatchObject({ exitCode: 0, stdout: '{"words":2}' })
})

test('crun runs what buildah builds, as the user of the image', async () => {
  writeFileSync(join(home, 'words/image/Dockerfile'), 'FROM scratch\nENV FROM_IMAGE=yes\nUSER 1000:1000\n')
  writeFileSync(join(home, 'words/work.sh'), 'echo "$FROM_IMAGE $(id -u)" > "$SERVICE_OUTPUT_FILE"')
  const run = await cli(['run', '--local', 'words', '--engine', 'crun', '--no-network'])
  expect(run).toMatchObject({ exitCode: 0, stdout: 'yes 1000\n' })
})

test('artifacts come out of the container, which is removed', async () => {
  writeFileSync(join(home, 'words/work.sh'), 'echo 1 > artifacts/a.txt; exit 3')
  const run = await local('--out', 'results')
  expect(run).toMatchObject({ exitCode: 3, stdout: '' })
  expect(readFileSync(join(home, 'results/a.txt'), 'utf8')).toBe('1\n')
  const store = ['env', `CONTAINERS_STORAGE_CONF=${env.CONTAINERS_STORAGE_CONF}`]
  expect(await output([...store, 'podman', 'ps', '--all', '--quiet'])).toBe('')
})

test('a run is stopped at its deadline', async () => {
  writeFileSync(join(home, 'words/work.sh'), 'sleep 600')
  expect((await local('--timeout', '2')).exitCode).toBe(124)
})

test('a build that fails says what to do about a base image that only the service has', async () => {
  writeFileSync(join(home, 'words/image/Dockerfile'), 'FROM curated/python:3.11\n')
  const run = await local()
  expect(run).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('podman tag IMAGE') })
})
