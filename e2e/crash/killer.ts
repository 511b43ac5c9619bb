import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Draw } from '../../server/base/draw.ts'
import type { OwnService } from '../main-job/service.ts'
import type { Ledger } from './ledger.ts'
import type { Load } from './load.ts'
import { findVictim, type Victim, type VictimKind, victimKinds } from './victims.ts'

export interface Kill extends Victim {
  kind: VictimKind
  atMs: number
}

/** What a kill waits for before its own short delay: a point in a run's life, or nothing. */
type Point = 'submitted' | 'cancelled' | 'begun' | 'ended' | 'any time'
const points: Point[] = ['submitted', 'cancelled', 'begun', 'ended', 'any time', 'any time']

const pointWaitMs = 700
const delayMaxMs = 40
const pauseMaxMs = 900
const victimWaitMs = 1500
const lookMs = 10

/** Kills processes of the service with -9, one after another, at points and times that a seed draws. */
export class Killer {
  readonly kills: Kill[] = []
  readonly #service: OwnService
  readonly #ledger: Ledger
  readonly #load: Load
  readonly #draw: Draw

  constructor(service: OwnService, ledger: Ledger, load: Load, draw: Draw) {
    this.#service = service
    this.#ledger = ledger
    this.#load = load
    this.#draw = draw
  }

  /** Kills one process; of another kind when there is none of the one that was drawn for a while. */
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
      await sleep(lookMs)
    }
  }

  /** Points that do not come soon are passed over, so that a seed is worth about the same time everywhere. */
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
