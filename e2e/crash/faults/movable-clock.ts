import { execFile } from 'node:child_process'
import { chmod, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { HostSetup, OwnService } from '../../main-job/service.ts'
import { withDatabase } from '../load/history.ts'
import type { Disruption } from './disruptions.ts'

const run = promisify(execFile)

/**
 * The clock of one service, which can be set without setting that of the machine: the service has a copy of /etc in its own
 * mount namespace, with an ld.so.preload that shifts the time of day of every program that it starts (`clock.c`). Sandboxes
 * have another root and keep the machine's time.
 */
export class MovableClock implements HostSetup {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async make(): Promise<MovableClock> {
    const folder = await mkdtemp(join(tmpdir(), 'crash-clock-'))
    await chmod(folder, 0o755)
    const clock = new MovableClock(folder)
    await clock.move(0)
    return clock
  }

  async prepare(): Promise<void> {
    const library = join(this.#folder, 'clock.so')
    const source = join(import.meta.dirname, 'clock.c')
    const clockFile = `-DCLOCK_FILE="${this.#file}"`
    await run('cc', ['-O2', '-shared', '-fPIC', clockFile, '-o', library, source])
    await run('cp', ['--archive', '/etc', this.#etc])
    await writeFile(join(this.#etc, 'ld.so.preload'), `${library}\n`)
  }

  /** The command that starts the service. */
  wrapper(): string[] {
    const script = 'mount --bind "$0" /etc && exec "$@"'
    return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, this.#etc]
  }

  /** Sets the time of day to `seconds` ahead of the machine's. */
  async move(seconds: number): Promise<void> {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(seconds))
    // Written in place: every program of the service has the file mapped.
    const file = await open(this.#file, 'r+').catch(() => open(this.#file, 'w', 0o644))
    await file.write(bytes, 0, bytes.length, 0)
    await file.close()
  }

  cleanUp(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  get #file(): string {
    return join(this.#folder, 'seconds')
  }

  get #etc(): string {
    return join(this.#folder, 'etc')
  }
}

const hourSeconds = 3600
const durationMs = 4000
const apiDateMs = 1100
const toleranceSeconds = 30

/** Clock changes while runs are queued, started and ended; each is reverted. */
export const clockJumps = (clock: MovableClock): Disruption[] =>
  [hourSeconds, -hourSeconds].map((seconds) => ({
    name: `the clock is set an hour ${seconds > 0 ? 'ahead' : 'back'}`,
    durationMs,
    start: async (service) => {
      await clock.move(seconds)
      await assertAhead(service, seconds)
      return () => clock.move(0)
    },
  }))

/** Throws unless the database and the API have the time that was set. */
async function assertAhead({ dataDir, url }: OwnService, seconds: number): Promise<void> {
  // The API caches the date header for a second.
  await sleep(apiDateMs)
  const response = await fetch(url)
  const ofDatabase = await withDatabase(dataDir, async (database) => {
    const { rows } = await database.query<{ now: Date }>('select now()')
    return rows[0]?.now.getTime() ?? 0
  })
  for (const [name, ms] of Object.entries({
    database: ofDatabase,
    api: Date.parse(response.headers.get('date') ?? ''),
  })) {
    const ahead = (ms - Date.now()) / 1000
    if (!(Math.abs(ahead - seconds) < toleranceSeconds)) {
      throw new Error(`the clock of the ${name} is ${ahead} s ahead, not ${seconds} s`)
    }
  }
}
