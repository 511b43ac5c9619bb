import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../../../server/base/seeded-random.ts'
import type { OwnService } from '../../main-job/service.ts'
import type { Ledger } from '../load/ledger.ts'
import type { Load } from '../load/load.ts'
import { findVictim, type Victim, type VictimKind, victimKinds } from './victims.ts'

export interface Kill extends Victim {
  kind: VictimKind
  atMs: number
}

/** The event that a kill waits for before its short delay, or none. */
type Point = 'submitted' | 'cancelled' | 'started' | 'ended' | 'any time'
const points: Point[] = ['submitted', 'cancelled', 'started', 'ended', 'any time', 'any time']

const pointWaitMs = 700
const delayMaxMs = 40
const pauseMaxMs = 900
const victimWaitMs = 1500
const pollMs = 10

/** Kills processes of the service with -9, one after another, at events and times chosen by a seed. */
export class Killer {
  readonly kills: Kill[] = []
  readonly #service: OwnService
  readonly #ledger: Ledger
  readonly #load: Load
  readonly #draw: SeededRandom

  constructor(service: OwnService, ledger: Ledger, load: Load, draw: SeededRandom) {
    this.#service = service
    this.#ledger = ledger
    this.#load = load
    this.#draw = draw
  }

  /** Kills one process; chooses another kind if the chosen one has no process for a while. */
  async killOne(): Promise<Kill> {
    const draw = this.#draw
    await sleep(draw.below(pauseMaxMs))
    for (;;) {
      const kind = draw.of(victimKinds)
      await this.#reach(draw.of(points))
      await sleep(draw.below(delayMaxMs))
      const victim = await this.#awaitVictim(kind)
      if (!victim || !killNow(victim.pid)) continue
      const kill = { ...victim, kind, atMs: performance.now() }
      this.kills.push(kill)
      return kill
    }
  }

  async #awaitVictim(kind: VictimKind): Promise<Victim | undefined> {
    const giveUpAtMs = performance.now() + victimWaitMs
    for (;;) {
      const victim = await findVictim(this.#service, kind, this.#draw)
      if (victim || performance.now() > giveUpAtMs) return victim
      await sleep(pollMs)
    }
  }

  /** Stops waiting for an event after `pointWaitMs`, so that a seed takes about the same time on every machine. */
  async #reach(point: Point): Promise<void> {
    if (point === 'any time') return
    const given = AbortSignal.timeout(pointWaitMs)
    const reached =
      point === 'submitted' || point === 'cancelled'
        ? once(this.#load, point, { signal: given })
        : once(this.#ledger, point, { signal: given })
    await reached.catch(() => undefined)
  }
}

function killNow(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}
