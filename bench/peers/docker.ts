import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { busyboxTar, imageName } from './busybox-image.ts'
import { ensureProgram } from './debian-packages.ts'
import type { Peer, PeerParts } from './peer.ts'

const run = promisify(execFile)
const docker = '/usr/bin/docker'
const dockerd = '/usr/sbin/dockerd'
const startTimeoutMs = 30_000

/** Debian's docker with a separate daemon on a separate folder, with an image of busybox. */
export interface Docker {
  pid: number
  /** The command line of a client of this daemon. */
  command(...args: string[]): string[]
  stop(): Promise<void>
}

/** Starts the daemon and resolves once it answers; it finds the data of an earlier daemon on the same folder. */
export async function startDocker(folder: string): Promise<Docker> {
  await ensureProgram(dockerd, ['docker.io'])
  await mkdir(folder, { recursive: true })
  const address = `unix://${join(folder, 'docker.sock')}`
  const daemon = await startDaemon(folder, address)
  return {
    pid: daemon.pid ?? 0,
    command: (...args) => [docker, '--host', address, ...args],
    stop: () => ended(daemon),
  }
}

/** Imports the image of busybox into the daemon. */
export async function importBusybox(daemon: Docker, folder: string): Promise<void> {
  const [client = '', ...args] = daemon.command('import', await busyboxTar(folder), imageName)
  await run(client, args)
}

/** The client that runs `words` of busybox in a fresh container without a network. */
export const dockerRun = (
  daemon: Docker,
  words: readonly string[],
  options: readonly string[] = ['--rm'],
): string[] => daemon.command('run', ...options, '--network', 'none', imageName, '/bin/busybox', ...words)

/** The client that builds the context in `folder` with the daemon's own builder, which caches layers. */
export const dockerBuild = (daemon: Docker, folder: string): string[] => [
  ...daemon.command('build'),
  ...['--network', 'none', '--quiet', '--tag', 'bench', folder],
]

/** `docker run`, with a daemon that is started here and stopped afterwards. */
export async function dockerPeer({ launcher, folder, job }: PeerParts): Promise<Peer> {
  const daemon = await startDocker(folder)
  try {
    await importBusybox(daemon, folder)
    const command = dockerRun(daemon, job.words)
    const launched = new Launcher({ launcher, command, timed: job.timed, errors: join(folder, 'errors') })
    return {
      launcher: launched,
      cpuMs: () => null,
      notes: ['docker: with runc and no network, nothing durable; the time of its client counts'],
      close: async () => {
        await launched.close()
        await daemon.stop()
      },
    }
  } catch (error) {
    await daemon.stop()
    throw error
  }
}

async function startDaemon(folder: string, address: string): Promise<ChildProcess> {
  const log = await open(join(folder, 'dockerd.log'), 'w')
  const folders = [
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '--pidfile',
    join(folder, 'pid'),
  ]
  const noNetwork = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false']
  const daemon = spawn(dockerd, ['--host', address, ...folders, ...noNetwork], {
    stdio: ['ignore', log.fd, log.fd],
  })
  daemon.on('error', () => undefined)
  await log.close()
  for (
    const until = Date.now() + startTimeoutMs;
    Date.now() < until && daemon.exitCode === null;
    await sleep(20)
  ) {
    const answers = await run(docker, ['--host', address, 'version']).then(
      () => true,
      () => false,
    )
    if (answers) return daemon
  }
  await ended(daemon)
  const output = await readFile(join(folder, 'dockerd.log'), 'utf8')
  throw new Error(`dockerd does not start: ${output.trim().split('\n').at(-1)}`)
}

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return
  const exited = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await exited
}
