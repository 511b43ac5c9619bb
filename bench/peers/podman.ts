import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { busyboxTar, imageName } from './busybox-image.ts'
import { ensureProgram } from './debian-packages.ts'
import type { Peer, PeerParts } from './peer.ts'

const run = promisify(execFile)
const podman = '/usr/bin/podman'
/** podman's own limits exceed those of a container; where raising limits is not permitted it would not start. */
const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024']

/** Debian's podman with crun, its storage in a separate folder, with an image of busybox. */
export interface Podman {
  /** Prepares the environment, then executes its arguments. */
  wrapper: readonly string[]
  /** The command line that runs `words` of busybox in a fresh container without a network. */
  runCommand: (options: readonly string[], words: readonly string[]) => string[]
}

export async function preparePodman(folder: string): Promise<Podman> {
  await ensureProgram(podman, ['podman', 'crun'])
  await mkdir(folder, { recursive: true })
  const engine = [
    ...['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')],
    ...['--cgroup-manager=cgroupfs', '--events-backend=none', '--runtime', '/usr/bin/crun'],
  ]
  await run('/usr/bin/unshare', [
    ...ownMounts,
    podman,
    ...engine,
    'import',
    await busyboxTar(folder),
    imageName,
  ])
  return {
    wrapper: ['/usr/bin/unshare', ...ownMounts],
    runCommand: (options, words) => [
      ...[podman, ...engine, 'run', '--rm', '--network', 'none', ...limits, ...options],
      ...[imageName, '/bin/busybox', ...words],
    ],
  }
}

export async function podmanPeer({ launcher, folder, job }: PeerParts): Promise<Peer> {
  const { wrapper, runCommand } = await preparePodman(folder)
  const launched = new Launcher({
    launcher,
    command: runCommand([], job.words),
    timed: job.timed,
    errors: join(folder, 'errors'),
    wrapper,
  })
  return {
    launcher: launched,
    cpuMs: () => null,
    notes: [
      'podman: with crun and no network, nothing durable; its processor time is unknown, because its monitor process detaches',
    ],
    close: () => launched.close(),
  }
}

/** crun refuses hybrid control groups, so the second hierarchy must be hidden from it. */
const ownMounts = [
  ...['--mount', '--propagation', 'private', '/bin/sh', '-euc'],
  'if [ -d /sys/fs/cgroup/unified ]; then umount -l /sys/fs/cgroup/unified || :; fi; exec "$0" "$@"',
]
