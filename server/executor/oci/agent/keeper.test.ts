import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ClosingListener } from '../closing-listener.ts'
import { askToStop, findKeeper } from './keeper.ts'

/** A few seconds; `read ECONNRESET` was seen within the first hundred where nobody listened for it. */
const connections = 2_000
const atOnce = 64

test('a shim that goes the moment it is asked is gone for who asked, and ends nobody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keeper-'))
  const listener = new ClosingListener(join(folder, 'ctl'))
  let made = 0
  const ask = async () => {
    while (made < connections) {
      if (made % 2 === 0) {
        if (await askToStop(folder)) made += 1
      } else {
        const keeper = await findKeeper(folder)
        if (!keeper) continue
        made += 1
        await keeper.gone
        expect(keeper.hasEnded()).toBe(true)
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, ask))
    expect(made).toBeGreaterThanOrEqual(connections)
  } finally {
    await listener.close()
    await rm(folder, { recursive: true, force: true })
  }
}, 60_000)
