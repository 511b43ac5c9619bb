import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../server/postgres/free-port.ts'
import { placeBuilder } from './builder.ts'

/** A separate service, started as an operator would, on a data folder that is removed with it. */
export interface BenchService {
  baseUrl: string
  dataDir: string
  /** Process id of the supervisor: all other processes of the service are its descendants. */
  readonly pid: number
  /** Applies a company file; returns the API keys by name. */
  apply(companyFile: string): Promise<Record<string, string>>
  /** Stops it and keeps its data folder, for `resume`. */
  pause(): Promise<void>
  /** Starts it again on its data folder; resolves once it answers. */
  resume(): Promise<void>
  stop(): Promise<void>
}

const sandbox = resolve(import.meta.dirname, '../../../sandbox')
/** On disk: measured writes must really be synced. */
const parent = '/var/tmp'
const startTimeoutMs = 120_000
const answerPollMs = 10

/** A service, and a folder for its peers. */
export interface Setup {
  service: BenchService
  work: string
}

/** Measures a new service with a new folder of that prefix, and removes both afterwards. */
export async function atService<Result>(
  prefix: string,
  measure: (setup: Setup) => Promise<Result>,
): Promise<Result> {
  const work = await mkdtemp(prefix)
  const service = await startService()
  try {
    return await measure({ service, work })
  } finally {
    await service.stop()
    await rm(work, { recursive: true, force: true })
  }
}

/** `settings` are environment variables. */
export async function startService(settings: Record<string, string> = {}): Promise<BenchService> {
  if (process.getuid?.() !== 0) throw new Error('run this as root: the service needs it to make sandboxes')
  const work = await mkdtemp(join(parent, 'sandbox-bench-'))
  const port = await freePort()
  const dataDir = join(work, 'data')
  const env = { ...process.env, ...settings, SANDBOX_DATA: dataDir, SANDBOX_PORT: String(port) }
  const log = join(work, 'service.log')
  try {
    await openToAll(work)
    await placeBuilder(dataDir)
    const output = createWriteStream(log)
    let child = start(env, output)
    const baseUrl = `http://127.0.0.1:${port}`
    const pause = () => ended(child)
    const stop = async () => {
      await pause()
      await rm(work, { recursive: true, force: true })
    }
    const resume = async () => {
      child = start(env, output)
      await answering(child, baseUrl)
    }
    try {
      await answering(child, baseUrl)
    } catch (error) {
      const output = await readFile(log, 'utf8').catch(() => '')
      await stop()
      throw new Error(`the service did not start:\n${output}`, { cause: error })
    }
    const apply = (text: string) => applied(text, env)
    return {
      baseUrl,
      dataDir,
      get pid() {
        return child.pid ?? 0
      },
      apply,
      pause,
      resume,
      stop,
    }
  } catch (error) {
    await rm(work, { recursive: true, force: true })
    throw error
  }
}

function start(env: NodeJS.ProcessEnv, output: WriteStream): ChildProcess {
  const child = spawn(sandbox, ['up'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.pipe(output, { end: false })
  child.stderr.pipe(output, { end: false })
  return child
}

/** The service user passes through the folder; the files in it have their own modes. */
const openToAll = (folder: string) => chmod(folder, 0o711)

async function answering(child: ChildProcess, baseUrl: string): Promise<void> {
  const until = Date.now() + startTimeoutMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    const answer = await fetch(`${baseUrl}/public/info/sandbox/regions`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    if (Date.now() > until) throw new Error(`it did not answer within ${startTimeoutMs / 1000} seconds`)
    await sleep(answerPollMs)
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

interface Applied {
  api_keys: { name: string; api_key: string }[]
}

async function applied(text: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const child = execFile(sandbox, ['admin', 'apply', '-', '--json'], { env })
  let output = ''
  let errors = ''
  child.stdout?.on('data', (chunk) => (output += String(chunk)))
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  child.stdin?.end(text)
  const [exitCode] = await once(child, 'close')
  if (exitCode !== 0) throw new Error(`sandbox admin apply ended with ${exitCode}: ${errors}`)
  const { api_keys } = JSON.parse(output) as Applied
  return Object.fromEntries(api_keys.map(({ name, api_key }) => [name, api_key]))
}
