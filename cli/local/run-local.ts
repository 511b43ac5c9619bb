import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UnsavedArtifact } from '../runs/unsaved-artifacts.ts'
import type { LocalFile } from '../runs/upload-files.ts'
import type { Engine } from './engines/engine.ts'
import { writeJobArchive } from './job-archive.ts'
import type { LocalTask } from './local-task.ts'
import {
  type LocalArtifact,
  type LocalArtifacts,
  type LocalOutput,
  listArtifacts,
  readOutput,
  saveArtifacts,
} from './results.ts'

export interface LocalRun {
  task: LocalTask
  engine: Engine
  /** JSON. */
  input: string
  files: readonly LocalFile[]
  timeoutSeconds: number
  network: boolean
  /** Where artifacts are saved; absent: they are only listed. */
  out?: { folder: string; replace: boolean }
  /** Standard output and error of the job, and before it what a build prints. */
  onLog: (bytes: Buffer) => void
  /** Cancels it, whatever it is doing. */
  signal: AbortSignal
  /** Called before the program starts, with what ends it while the command ends, without a wait. */
  onStart: (abandon: () => void) => void
}

/** How a run ended, in the words of a run on the service. */
export interface LocalEnd {
  status: 'completed' | 'customer_failed' | 'cancelled'
  error_code:
    | ''
    | 'work_exit_nonzero'
    | 'timeout'
    | 'out_of_memory'
    | 'cancelled'
    | 'output_too_large'
    | 'output_invalid'
  exit_code: number | null
  duration_ms: number
  output: LocalOutput
  artifacts: LocalArtifacts
  /** Artifacts that could not be saved. */
  unsaved: UnsavedArtifact[]
}

const pidsPerVcpu = 256

/**
 * Runs a task once with programs of this machine, without a service. Leaves nothing but the artifacts that are saved. Throws
 * the reason of the signal where it fires before the program starts.
 */
export async function runLocal(run: LocalRun): Promise<LocalEnd> {
  const { engine, task, signal } = run
  const work = await mkdtemp(join(tmpdir(), 'sandbox-local-'))
  try {
    const { env: imageEnv } = await engine.prepare(task.source, run.onLog, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
    signal.throwIfAborted()
    const archive = join(work, 'job.tar')
    const { argv } = await writeJobArchive(archive, { ...run, imageEnv })
    const container = await engine.create({
      archive,
      argv,
      memoryMib: task.profile.provider_memory_mib,
      workspaceMib: task.profile.workspace_mib,
      pids: pidsPerVcpu * task.profile.vcpu,
      network: run.network,
    })
    try {
      return await runIn(container, run)
    } finally {
      await container.remove()
    }
  } finally {
    await engine.dispose()
    await rm(work, { recursive: true, force: true })
  }
}

async function runIn(container: Awaited<ReturnType<Engine['create']>>, run: LocalRun): Promise<LocalEnd> {
  let stopped: 'timeout' | 'cancelled' | undefined
  const stop = async (why: 'timeout' | 'cancelled') => {
    stopped ??= why
    await container.kill()
  }
  const startedAt = performance.now()
  const timer = setTimeout(() => void stop('timeout'), run.timeoutSeconds * 1000)
  run.onStart(() => container.abandon())
  const cancel = () => void stop('cancelled')
  run.signal.addEventListener('abort', cancel)
  if (run.signal.aborted) cancel()
  const ended = await container.run(run.onLog).finally(() => clearTimeout(timer))
  run.signal.removeEventListener('abort', cancel)
  const duration_ms = Math.round(performance.now() - startedAt)
  const output = await readOutput(container)
  const artifacts = await listArtifacts(container)
  const unsaved = run.out ? await saveArtifacts(container, keptOf(artifacts), run.out) : []
  return { ...outcomeOf(ended, stopped, output), duration_ms, output, artifacts, unsaved }
}

function outcomeOf(
  { exitCode, outOfMemory }: { exitCode: number; outOfMemory: boolean },
  stopped: 'timeout' | 'cancelled' | undefined,
  output: LocalOutput,
): Pick<LocalEnd, 'status' | 'error_code' | 'exit_code'> {
  const failed = (error_code: LocalEnd['error_code'], exit_code: number | null) =>
    ({ status: 'customer_failed', error_code, exit_code }) as const
  if (stopped === 'cancelled') return { status: 'cancelled', error_code: 'cancelled', exit_code: null }
  if (stopped === 'timeout') return failed('timeout', null)
  if (outOfMemory && exitCode !== 0) return failed('out_of_memory', exitCode)
  if (exitCode !== 0) return failed('work_exit_nonzero', exitCode)
  if (output.kind === 'refused') return failed(output.problem, 0)
  return { status: 'completed', error_code: '', exit_code: 0 }
}

export const keptOf = (artifacts: LocalArtifacts): LocalArtifact[] =>
  artifacts.kind === 'kept' ? artifacts.items : []
