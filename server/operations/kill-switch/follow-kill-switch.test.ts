import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { createLog } from '../../base/logging.ts'
import { followKillSwitch, type KillSwitch } from './follow-kill-switch.ts'
import { acceptChanges, stopChanges, stoppedSince } from './kill-switch.ts'

const { db } = await createTestDatabase()
const log = createLog('test', 'silent')
const followed: KillSwitch[] = []
const follow = async (enabled = true) => {
  const killSwitch = await followKillSwitch({ db, enabled, log })
  followed.push(killSwitch)
  return killSwitch
}
afterAll(() => Promise.all(followed.map((each) => each.stop())))

it('stops and accepts changes within a second, in each process that follows it', async () => {
  const processes = [await follow(), await follow()]
  const states = () => processes.map(({ isEnabled }) => isEnabled())
  expect(states()).toEqual([true, true])
  await stopChanges(db)
  await expect.poll(states, { timeout: 1000 }).toEqual([false, false])
  await acceptChanges(db)
  await expect.poll(states, { timeout: 1000 }).toEqual([true, true])
})

it('is known to a process that starts while changes are stopped', async () => {
  await stopChanges(db)
  expect((await follow()).isEnabled()).toBe(false)
  await acceptChanges(db)
})

it('does not outrank the setting', async () => {
  expect((await follow(false)).isEnabled()).toBe(false)
})

it('returns the time since which changes are stopped, and whether they were stopped before they are accepted', async () => {
  expect(await stoppedSince(db)).toBeNull()
  const since = await stopChanges(db)
  expect(await stopChanges(db)).toEqual(since)
  expect(await stoppedSince(db)).toEqual(since)
  expect([await acceptChanges(db), await acceptChanges(db)]).toEqual([true, false])
})
