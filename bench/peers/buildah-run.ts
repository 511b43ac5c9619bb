import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { ensureProgram } from './debian-packages.ts'

const run = promisify(execFile)
const buildah = '/usr/bin/buildah'

/**
 * Builds the context in `folder` with Debian's buildah and its layer cache, and runs `words` once in a container of the result.
 * crun starts the container; `buildah run` writes its configuration.
 */
const script = `
context=$1 && shift
$BUILDAH bud --isolation chroot --layers --quiet --tag bench "$context" >/dev/null
container=$($BUILDAH from --pull-never localhost/bench)
$BUILDAH run --isolation oci --runtime /usr/bin/crun --network none "$container" -- "$@"
$BUILDAH rm "$container" >/dev/null
`

const withoutUnified =
  'if [ -d /sys/fs/cgroup/unified ]; then umount -l /sys/fs/cgroup/unified || :; fi; exec "$0" "$@"'

export async function buildahBuildAndRun(parts: {
  launcher: string
  folder: string
  context: string
  /** A tar with the content of the base image, and its name in the Dockerfile. */
  base: { tar: string; name: string }
  words: readonly string[]
}): Promise<Launcher> {
  await ensureProgram(buildah, ['buildah'])
  await ensureProgram('/usr/bin/crun', ['crun'])
  const { launcher, folder, context, base, words } = parts
  await mkdir(folder, { recursive: true })
  const storage = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'overlay',
  ]
  const called = async (...args: string[]) => (await run(buildah, [...storage, ...args])).stdout.trim()
  const container = await called('from', 'scratch')
  await called('add', '--quiet', container, base.tar, '/')
  await called('commit', '--quiet', '--rm', container, base.name)
  return new Launcher({
    launcher,
    command: [
      '/usr/bin/env',
      `BUILDAH=${[buildah, ...storage].join(' ')}`,
      ...['/bin/sh', '-euc', script, 'build', context, ...words],
    ],
    // crun refuses the hybrid layout of control groups.
    wrapper: ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', withoutUnified],
    errors: join(folder, 'errors'),
  })
}
