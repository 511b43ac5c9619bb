import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOfNamed, type ProcessMemory, treeMemory } from '../harness/measure/process-memory.ts'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { dockerRun, importBusybox, startDocker } from './docker.ts'
import { preparePodman } from './podman.ts'

/** Memory of the processes that keep idle containers, and of the daemons that serve all of them. */
export interface MonitorMemory {
  monitors: ProcessMemory[]
  idle: ProcessMemory[]
}

export interface MemoryParts {
  launcher: string
  folder: string
  /** Number of containers at once. */
  count: number
  settleMs: number
}

/** The container ends by itself, even if the benchmark is killed. */
const words = ['sleep', '60']

/** conmon, one for each container of podman. */
export async function conmonMemory({
  launcher,
  folder,
  count,
  settleMs,
}: MemoryParts): Promise<MonitorMemory> {
  const { wrapper, runCommand } = await preparePodman(folder)
  const command = runCommand(['--detach'], words)
  const podman = new Launcher({ launcher, command, errors: join(folder, 'errors'), wrapper })
  try {
    for (let started = 0; started < count; started += 1) await podman.once()
    await sleep(settleMs)
    return { monitors: await memoryOfNamed('/conmon', folder), idle: [] }
  } finally {
    await podman.close()
  }
}

/** containerd-shim, one for each container of docker; `idle` is dockerd and containerd before the first container. */
export async function shimMemory({ launcher, folder, count, settleMs }: MemoryParts): Promise<MonitorMemory> {
  const daemon = await startDocker(folder)
  try {
    await importBusybox(daemon, folder)
    await sleep(settleMs)
    const idle = await treeMemory(daemon.pid)
    const command = dockerRun(daemon, words, ['--rm', '--detach'])
    const client = new Launcher({ launcher, command, errors: join(folder, 'errors') })
    for (let started = 0; started < count; started += 1) await client.once()
    await client.close()
    await sleep(settleMs)
    return { monitors: await memoryOfNamed('containerd-shim-runc-v2', join(folder, 'exec')), idle }
  } finally {
    await daemon.stop()
  }
}
