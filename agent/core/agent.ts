import { chmod, chown, mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { availableParallelism } from 'node:os'
import type { Clock } from '../../server/base/clock.ts'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { compileFilters } from '../bundle/compiled-filters.ts'
import { findRuntimes } from '../bundle/runtimes.ts'
import { Processors } from '../capacity/processors.ts'
import { detectCgroups } from '../host/cgroup-layout.ts'
import { prepareCgroups, removeCgroups } from '../host/cgroups.ts'
import { checkHost, findProgram, hostPrograms } from '../host/host-checks.ts'
import { loadableWith } from '../host/loadable-with.ts'
import { agentPaths, stagingFolder } from '../host/paths.ts'
import { builderIn } from '../images/builder.ts'
import { etcOf } from '../images/etc-files.ts'
import { Images } from '../images/images.ts'
import { makePlatformLayer } from '../images/platform-layer.ts'
import { runnerOn } from '../images/runner.ts'
import { readMirrors } from '../mirrors/declared-mirrors.ts'
import { asReached } from '../mirrors/mirror-address.ts'
import { Network } from '../network/network.ts'
import type { ServiceEndpoint } from '../network/service-rules.ts'
import { ExecutorRefused } from '../port/errors.ts'
import type { SandboxRuntime } from '../port/sandbox-spec.ts'
import { ProcfsOverlayFolders } from './make/procfs-folders.ts'
import { Marks } from './marks/marks.ts'
import { Sandboxes } from './sandboxes/sandboxes.ts'
import { agentServer } from './server.ts'
import { Spawner } from './shim/spawner.ts'

export interface AgentOptions {
  dataDir: string
  socketPath: string
  /** Group that may connect to the agent. */
  gid: number
  /** Control group that contains the groups of all sandboxes. */
  cgroupParent: string
  /** Maximum number of concurrent sandboxes; undefined: computed from processors and memory. */
  slots: number | undefined
  /** Memory limit of all sandboxes together: the sum of promises, and the limit of the group above them. */
  memoryBytes: number
  /** Runtimes that this machine must have, weakest first. The first is the minimum isolation of every job. */
  runtimes: readonly SandboxRuntime[]
  /** Maximum number of warm sandboxes; undefined: computed from memory. */
  warm: number | undefined
  /** Bytes of the disk that stay free; absent: computed from its size. */
  diskFloorBytes?: number | undefined
  /** Whether jobs may have a network. */
  egress: boolean
  /** Whether base images may be pulled from any registry; independent of `egress`. */
  pulls: boolean
  /** Whether steps of builds may have a network; independent of `egress`. */
  builds: boolean
  /** `host[:port]` of the operator's registry, which pulls may reach even at an internal address. */
  registry: string | undefined
  /** Where the service listens on this machine, for sandboxes that may call it. */
  service?: ServiceEndpoint | undefined
  clock: Clock
  onError: (error: unknown) => void
  /** Reports the progress of a long recovery. */
  onProgress: (done: number, total: number) => void
}

export interface RunningAgent {
  /** Sandboxes continue under their shims. */
  stop(): Promise<void>
}

const sandboxesPerCpu = 8
const bytesPerSandbox = 256 * 1024 * 1024
const maxWarm = 8
const bytesPerWarm = 1024 ** 3

const nativeNames = ['shim', 'spawner', 'links', 'resolver', 'init', 'unpack', 'no-systemd.so'] as const

/**
 * The host agent: the only process that is root, and therefore small. It has no database, no keys and no network listener;
 * it serves plain data over a unix socket. At start it checks every control that a sandbox needs, and refuses with the names
 * of missing packages or settings; then it takes over the sandboxes of an earlier agent. At stop it closes the socket, and
 * the sandboxes continue under their shims.
 */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  await checkEverything(options.runtimes)
  const layout = await detectCgroups()
  const busybox = await findProgram(hostPrograms.busybox)
  if (!layout || !busybox) throw new ExecutorRefused('host', 'the machine changed while starting')
  const paths = agentPaths(options.dataDir)
  await mkdir(paths.root, { recursive: true, mode: 0o700 })
  await mkdir(stagingFolder, { recursive: true, mode: 0o711 })
  const { memoryBytes } = options
  await prepareCgroups(layout, options.cgroupParent, memoryBytes)
  const native = installedPrograms(paths.native, nativeNames)
  const runtimes = await findRuntimes()
  const { crun } = runtimes
  if (!crun) throw new ExecutorRefused('host', 'the machine changed while starting')
  const programs = { busybox, init: native.init, unpack: native.unpack }
  const platformLayer = await makePlatformLayer(paths.platform, programs, etcOf.jobs)
  const filters = await compileFilters(crun, { layer: platformLayer.path, folder: paths.filters })
  const networkLayer = await makePlatformLayer(paths.networkPlatform, programs, etcOf.networkJobs)
  const buildLayer = await makePlatformLayer(paths.buildPlatform, programs, etcOf.builds)
  const buildNetworkLayer = await makePlatformLayer(paths.buildPlatform, programs, etcOf.networkBuilds)
  const network = new Network({
    dataDir: options.dataDir,
    folder: paths.root,
    linksProgram: native.links,
    resolverProgram: native.resolver,
    jobs: options.egress,
    pulls: options.pulls,
    builds: options.builds,
    registry: options.registry,
    service: options.service,
    onError: options.onError,
  })
  const cpus = availableParallelism()
  // New lock files: a lock that an older shim still holds blocks nobody.
  await rm(paths.collectLocks, { recursive: true, force: true })
  await mkdir(paths.collectLocks, { mode: 0o700 })
  const { clock, onError, onProgress } = options
  const marks = { folder: paths.marks, clock, onError }
  const sandboxes = new Sandboxes({
    paths,
    clock,
    marks: await Marks.open(marks),
    cgroups: layout,
    cgroupParent: options.cgroupParent,
    spawner: new Spawner(native, paths.root),
    weakestRuntime: options.runtimes[0] ?? 'launcher',
    network,
    platformLayer: platformLayer.path,
    networkLayer: networkLayer.path,
    buildLayer: buildLayer.path,
    buildNetworkLayer: buildNetworkLayer.path,
    runtimes,
    crunPreload: await loadableWith(crun, native['no-systemd.so']),
    filters,
    processors: new Processors(cpus, layout, options.cgroupParent),
    procfsOverlays: await ProcfsOverlayFolders.at(paths.proc),
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
    mirrors: async () => (await readMirrors(paths.root)).map(asReached),
    onError: options.onError,
  })
  await listen(server, options.socketPath, options.gid)
  // A failed accept (out of memory or descriptors) must not end the agent.
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

/** Throws one refusal that lists everything missing. */
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
