import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { availableParallelism } from 'node:os'
import type { Clock } from '../../../base/clock.ts'
import { ExecutorRefused, type SandboxRuntime } from '../../port.ts'
import { detectCgroups, prepareCgroups, removeCgroups } from '../cgroups.ts'
import { compileFilters } from '../compiled-filters.ts'
import { checkHost, findProgram, hostPrograms } from '../host-checks.ts'
import { buildNative } from '../native/build.ts'
import { gateway4 } from '../network/addresses.ts'
import { Network } from '../network/network.ts'
import { agentPaths, stagingFolder } from '../paths.ts'
import { findRuntimes } from '../runtimes.ts'
import { builderIn } from './builder.ts'
import { Images } from './images.ts'
import { Marks } from './marks/marks.ts'
import { OwnProcFolders } from './own-proc-folders.ts'
import { makePlatformLayer } from './platform-layer.ts'
import { Processors } from './processors.ts'
import { runnerOn } from './runner.ts'
import { Sandboxes } from './sandboxes.ts'
import { agentServer } from './server.ts'
import { Spawner } from './spawner.ts'

export interface AgentOptions {
  dataDir: string
  socketPath: string
  /** Group that may speak to the agent. */
  gid: number
  /** Control group under which every sandbox gets its own. */
  cgroupParent: string
  /** Sandboxes at once; undefined: by this machine's processors and memory. */
  slots: number | undefined
  /** Memory of all sandboxes together: promised to them, and the bound of the group above them. */
  memoryBytes: number
  /** Runtimes that this machine must have, weakest first. Every job gets at least the first. */
  runtimes: readonly SandboxRuntime[]
  /** Sandboxes made before they are asked for, at most; undefined: by this machine's memory. */
  warm: number | undefined
  /** Bytes of the disk that stay free; absent: by its size. */
  diskFloorBytes?: number | undefined
  /** The operator's switch of jobs' network. */
  egress: boolean
  /** Whether base images may be pulled from any registry, which is apart from what jobs may reach. */
  pulls: boolean
  /** `host[:port]` of the operator's own registry, which pulls reach wherever it is. */
  registry: string | undefined
  clock: Clock
  onError: (error: unknown) => void
  /** Told from time to time what a start is at that takes long. */
  onProgress: (done: number, total: number) => void
}

export interface RunningAgent {
  /** Leaves the sandboxes to their shims. */
  stop(): Promise<void>
}

/**
 * Over the builder's own, which came from a machine. A build has no network, so its resolver is an address that leads
 * nowhere (RFC 5737): for none at all, or one on the loopback, buildah writes down public ones.
 */
const etcOfBuilds = { 'resolv.conf': 'nameserver 192.0.2.1\n', hostname: 'build\n' }

const sandboxesPerCpu = 8
const bytesPerSandbox = 256 * 1024 * 1024
const maxWarm = 8
const bytesPerWarm = 1024 ** 3

/**
 * The host agent: the one process that is root, and therefore small. It has no database, no keys and no network
 * listener; it speaks plain data over a unix socket. Starting, it checks every control that a sandbox will need
 * and refuses with the names of the packages or settings when one is missing; it then finds what an earlier
 * agent left. Stopping, it closes the socket and leaves the sandboxes to their shims.
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  await checkEverything(options.runtimes)
  const layout = await detectCgroups()
  const busybox = await findProgram(hostPrograms.busybox)
  const runtimes = await findRuntimes()
  const { crun } = runtimes
  if (!layout || !busybox || !crun) throw new ExecutorRefused('host', 'the machine changed while starting')
  const paths = agentPaths(options.dataDir)
  await mkdir(paths.root, { recursive: true, mode: 0o700 })
  await mkdir(stagingFolder, { recursive: true, mode: 0o711 })
  const { memoryBytes } = options
  await prepareCgroups(layout, options.cgroupParent, memoryBytes)
  const native = await buildNative(paths.native)
  const { init, unpack } = native
  const programs = { busybox, init, unpack }
  const platformLayer = await makePlatformLayer(paths.platform, programs)
  const filters = await compileFilters(crun, { layer: platformLayer.path, folder: paths.filters })
  const etcOfNetwork = { 'resolv.conf': `nameserver ${gateway4}\n` }
  const networkLayer = await makePlatformLayer(paths.networkPlatform, programs, etcOfNetwork)
  const buildLayer = await makePlatformLayer(paths.buildPlatform, programs, etcOfBuilds)
  const network = new Network({
    dataDir: options.dataDir,
    linksProgram: native.links,
    resolverProgram: native.resolver,
    jobs: options.egress,
    pulls: options.pulls,
    registry: options.registry,
    onError: options.onError,
  })
  const cpus = availableParallelism()
  // A shim that still holds a lock of before holds up nobody.
  await rm(paths.collectLocks, { recursive: true, force: true })
  await mkdir(paths.collectLocks, { mode: 0o700 })
  const { clock, onError, onProgress } = options
  const marks = { folder: paths.marks, formerFolder: paths.formerMarks, clock, onError }
  const sandboxes = new Sandboxes({
    paths,
    clock,
    marks: await Marks.open(marks),
    cgroups: layout,
    cgroupParent: options.cgroupParent,
    spawner: new Spawner(native, paths.root),
    weakestRuntime: options.runtimes[0] ?? 'crun',
    network,
    platformLayer: platformLayer.path,
    networkLayer: networkLayer.path,
    buildLayer: buildLayer.path,
    runtimes,
    filters,
    processors: new Processors(cpus),
    ownProc: await OwnProcFolders.at(paths.proc),
    slots:
      options.slots ??
      Math.max(2, Math.min(cpus * sandboxesPerCpu, Math.floor(memoryBytes / bytesPerSandbox))),
    warm: options.warm ?? Math.min(maxWarm, Math.floor(memoryBytes / bytesPerWarm)),
    cpus,
    memoryBytes,
    diskFloorBytes: options.diskFloorBytes,
    onError,
    onProgress,
  })
  await sandboxes.recover()
  const images = new Images(paths, sandboxes, options.diskFloorBytes)
  await images.recover()
  void network.prepare()
  const runner = runnerOn(platformLayer.digest, options.runtimes)
  const server = agentServer({
    sandboxes,
    images,
    runner,
    builder: () => builderIn(paths),
    onError: options.onError,
  })
  await listen(server, options.socketPath, options.gid)
  // A connection that cannot be accepted, for want of memory or files, is no reason to end.
  server.on('error', options.onError)
  return {
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await sandboxes.close()
      await network.stop().catch(options.onError)
      await removeCgroups(layout, options.cgroupParent)
    },
  }
}

/** Throws one refusal that names everything missing. */
async function checkEverything(runtimes: readonly SandboxRuntime[]): Promise<void> {
  const missing = (await checkHost(runtimes)).filter((check) => !check.ok)
  if (missing.length === 0) return
  const lines = missing.map(({ name, found, advice }) => `  - ${name}: ${found}. ${advice}`)
  throw new ExecutorRefused('host', `this machine cannot confine sandboxes yet:\n${lines.join('\n')}`)
}

async function listen(server: Server, path: string, gid: number): Promise<void> {
  await rm(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  await chown(path, 0, gid)
  await chmod(path, 0o660)
}
