import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { procfsOverlayFiles } from '../../agent/bundle/procfs-overlay.ts'
import { ociSpec } from '../../agent/bundle/spec.ts'
import { storageIdBase } from '../../agent/host/id-ranges.ts'
import { stagingFolder } from '../../agent/host/paths.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { jobSandbox } from '../harness/sandbox/job-sandbox.ts'
import { Launcher } from '../harness/sandbox/launcher.ts'
import type { Peer, PeerJob, PeerParts } from './peer.ts'

/**
 * `whole`: the program of a run with the input of a run. `bare`: only the job's own program, a lower bound for a run.
 */
export type CrunProgram = 'whole' | 'bare'

/**
 * Bare `crun run` of the bundle that a run of the image gets: the same OCI configuration and the same trees. The
 * differences favour the peer: the root is mounted once and shared by all runs, there are no limits and no exit
 * record, and nothing is collected or stored.
 */
export async function crunPeer(parts: PeerParts, program: CrunProgram): Promise<Peer> {
  const { wrapper, stdin, command } = await crunBundles(parts, { program, slots: 1 })
  const { launcher, folder, job } = parts
  const errors = join(folder, 'errors')
  const launched = new Launcher({
    launcher,
    command: command('0', 'bench'),
    stdin,
    timed: job.timed,
    errors,
    wrapper,
  })
  await proven(launched, errors)
  return {
    launcher: launched,
    cpuMs: () => launched.cpuMs,
    notes: ['crun: its root is mounted once, not per run; no limits, no exit record, nothing stored'],
    close: () => launched.close(),
  }
}

/** Bundles for as many runs at once as there are slots, each with its own root. */
export interface CrunBundles {
  /** Makes the mounts in a separate namespace, then executes its arguments. */
  wrapper: readonly string[]
  /** File that every run reads. */
  stdin: string
  command: (slot: string, id: string) => string[]
}

export async function crunBundles(
  { folder, dataDir, job }: Omit<PeerParts, 'launcher'>,
  { program, slots }: { program: CrunProgram; slots: number },
): Promise<CrunBundles> {
  const {
    spec,
    stdin: input,
    imageTree,
    platformLayer,
  } = await jobSandbox(dataDir, `${job.words.join(' ')}\n`)
  const config = JSON.stringify(configOf(spec, program, job))
  for (let slot = 0; slot < slots; slot += 1) {
    await mkdir(join(folder, String(slot)), { recursive: true })
    const ofSlot = config.replaceAll(`"${stagingFolder}/root"`, `"${stagingFolder}/${slot}/root"`)
    await writeFile(join(folder, String(slot), 'config.json'), ofSlot)
  }
  const stdin = join(folder, 'stdin')
  await writeFile(stdin, Buffer.concat([startByte, program === 'whole' ? input : Buffer.alloc(0)]))
  return {
    wrapper: rootsWrapper(platformLayer, imageTree, slots),
    stdin,
    command: (slot, id) => [
      ...['/usr/bin/crun', '--cgroup-manager=disabled', '--root', join(folder, 'state')],
      ...['run', '--preserve-fds=1', '--bundle', join(folder, slot), id],
    ],
  }
}

/** Makes a root for each slot, at `<staging folder>/<slot>/root`, in a separate namespace, then executes its arguments. */
export const rootsWrapper = (platformLayer: string, imageTree: string, slots: number): string[] => [
  ...['/usr/bin/unshare', '--mount', '--propagation', 'private', '/bin/sh', '-euc', mounts],
  ...[platformLayer, imageTree, String(slots)],
]

/** Process 1 starts its program once this byte arrives; in a run of ours the shim sends it. */
export const startByte = Buffer.from('S')

/** Process 1 exits with 0 even if its program fails, so a failed program is detected by its error output. */
async function proven(launched: Launcher, errors: string): Promise<void> {
  await launched.once()
  const errorOutput = await readFile(errors, 'utf8')
  if (errorOutput === '') return
  await launched.close()
  throw new Error(`the job does not run: ${errorOutput.trim()}`)
}

/** The trees on disk have the ids of the storage range, so a sandbox with exactly that range needs no mapped mount. */
const ids = String(storageIdBase)

/**
 * Run by a shell in a separate mount namespace: $0 is the platform layer, $1 the image, $2 the slots, then the
 * command.
 */
const mounts = `
image=$1
slots=$2
shift 2
if [ -d /sys/fs/cgroup/unified ]; then umount -l /sys/fs/cgroup/unified || :; fi
mount -t tmpfs -o mode=711 tmpfs ${stagingFolder}
mkdir ${stagingFolder}/proc
for name in ${procfsOverlayFiles('crun').join(' ')}; do cat /proc/$name >${stagingFolder}/proc/$name; done
mkdir ${stagingFolder}/devices
mount --bind /dev ${stagingFolder}/devices
slot=0
while [ $slot -lt $slots ]; do
  of=${stagingFolder}/$slot
  mkdir -p $of/root $of/upper/workspace $of/work
  chown ${ids}:${ids} $of/upper $of/upper/workspace
  mount -t overlay -o "upperdir=$of/upper,workdir=$of/work,lowerdir=$0:$image" overlay $of/root
  slot=$((slot + 1))
done
exec "$@"
`

function configOf(spec: SandboxSpec, program: CrunProgram, { words }: PeerJob): object {
  const argv = program === 'whole' ? spec.argv : ['/.sandbox/busybox', ...words]
  return ociSpec({ ...spec, argv }, { idBase: storageIdBase, arch: process.arch, confinement: 'job' })
}
