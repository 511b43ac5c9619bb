import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { treeCpuMs } from '../harness/measure/process-cpu.ts'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { LineProcess } from '../harness/sandbox/line-process.ts'
import { startDatabase } from '../harness/service/own-database.ts'
import { type CrunBundles, crunBundles } from './crun.ts'
import { ensureNpmPackage } from './npm-package.ts'
import type { PeerParts } from './peer.ts'

/** A peer that carries out many runs, with its own degree of concurrency. */
export interface RatePeer {
  /** Milliseconds of all, and of single ones if they are timed. */
  many(count: number): Promise<{ tookMs: number; samplesMs?: number[] }>
  /** Processor time so far. */
  cpuMs(): Promise<number>
  close(): Promise<void>
}

/** The concurrency at which crun has its highest rate on this machine. */
export const peerSlots = 2 * availableParallelism()

/** `xargs -P` starting bare crun: no queue, nothing stored, nothing bounded. */
export async function xargsCrun(parts: PeerParts, count: number): Promise<RatePeer> {
  const bundles = await bundlesFor(parts)
  const one = bundles.command('$SLOT', 'xargs-{}').join(' ')
  const script = `exec seq ${count} | xargs -P ${peerSlots} --process-slot-var=SLOT -I{} /bin/sh -c 'exec ${one} <${bundles.stdin}'`
  return launched(parts, { script, wrapper: bundles.wrapper })
}

/** The same number of processes that do nothing: the cost of starting them. */
export const xargsTrue = (parts: PeerParts, count: number): RatePeer =>
  launched(parts, { script: `exec seq ${count} | xargs -P ${peerSlots} -I{} /bin/true` })

function launched(
  { launcher, folder }: PeerParts,
  { script, wrapper = [] }: { script: string; wrapper?: readonly string[] },
): RatePeer {
  const program = new Launcher({
    launcher,
    command: ['/bin/sh', '-c', script],
    errors: join(folder, 'errors'),
    wrapper,
  })
  let cpuMs = 0
  return {
    many: async () => {
      const tookMs = await program.once()
      cpuMs += program.lastCpuMs
      return { tookMs }
    },
    cpuMs: async () => cpuMs,
    close: () => program.close(),
  }
}

const graphileVersion = '0.18.0'

/** graphile-worker with a separate database, every commit synced; each of its jobs spawns bare crun. */
export async function graphileCrun(parts: PeerParts): Promise<RatePeer> {
  const entry = await ensureNpmPackage('graphile-worker', graphileVersion)
  const bundles = await bundlesFor(parts)
  const database = await startDatabase(1)
  try {
    const script = new URL('./graphile-crun.ts', import.meta.url).pathname
    const worker = await LineProcess.start([
      ...[...bundles.wrapper, process.execPath, script],
      ...[entry, database.url, String(peerSlots), bundles.stdin],
      ...bundles.command('SLOT', 'ID'),
    ])
    return {
      many: async (count) => ({ tookMs: Number(await worker.ask(String(count))) }),
      cpuMs: async () => (await treeCpuMs(worker.pid)) + (await treeCpuMs(database.pid)),
      close: async () => {
        await worker.close()
        await database.stop()
      },
    }
  } catch (error) {
    await database.stop()
    throw error
  }
}

const bundlesFor = (parts: PeerParts): Promise<CrunBundles> =>
  crunBundles(parts, { program: 'whole', slots: peerSlots })
