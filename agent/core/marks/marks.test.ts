import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordBytes } from './mark.ts'
import { Marks, type MarksOptions } from './marks.ts'
import { requireStartable } from './require-startable.ts'

let root: string
let now: Date
let failures: unknown[]
let opened: Marks[]

const folder = () => join(root, 'marks')
const dayFile = (day: string) => join(folder(), day)

async function openMarks(options: Partial<MarksOptions> = {}): Promise<Marks> {
  const marks = await Marks.open({
    folder: folder(),
    clock: { now: () => now },
    onError: (error) => failures.push(error),
    ...options,
  })
  opened.push(marks)
  return marks
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'marks-'))
  now = new Date('2026-03-01T12:00:00Z')
  failures = []
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((marks) => marks.close()))
  await rm(root, { recursive: true, force: true })
})

const days = (count: number) => {
  now = new Date(now.getTime() + count * 86_400_000)
}

test('the next agent finds marks with their kinds', async () => {
  const marks = await openMarks()
  await Promise.all([marks.add('removed', ['run_a_1']), marks.add('forbidden', ['run_b_1'])])
  // The first agent was killed: it has not closed its marks.
  const next = await openMarks()
  expect(['run_a_1', 'run_b_1', 'run_c_1'].map((id) => next.find(id))).toEqual([
    'removed',
    'forbidden',
    undefined,
  ])
  await next.add('removed', ['run_c_1'])
  expect((await openMarks()).find('run_c_1')).toBe('removed')
  expect(failures).toEqual([])
})

test('a running agent deletes whole days of marks after thirty days', async () => {
  const marks = await openMarks()
  await marks.add('forbidden', ['run_old_1'])
  for (let day = 0; day < 32; day += 1) {
    days(1)
    await marks.add('removed', [`run_${day}_1`])
  }
  expect(marks.find('run_old_1')).toBeUndefined()
  expect(marks.find('run_1_1')).toBe('removed')
  expect(await readdir(folder())).toHaveLength(31)
})

test('too many marks are deleted sooner, but never those of the last three days', async () => {
  const marks = await openMarks({ maxMarks: 100 })
  for (let day = 0; day < 4; day += 1) {
    await marks.add(
      'removed',
      Array.from({ length: 150 }, (_, at) => `run_${day}_${at}`),
    )
    days(1)
  }
  expect([0, 1, 2, 3].map((day) => marks.find(`run_${day}_0`))).toEqual([
    undefined,
    'removed',
    'removed',
    'removed',
  ])
})

test('no start passes whose mark was deleted, at any hour, also after a full disk delayed the file of a day', async () => {
  const marks = await openMarks({ maxMarks: 10 })
  const claims: { id: string; claimedAt: string }[] = []
  const blocked = dayFile('2026-03-04.new')
  for (let hour = 0; hour < 24 * 9; hour += 1) {
    const claim = { id: `run_${hour}_1`, claimedAt: now.toISOString() }
    claims.push(claim)
    // The file of the fourth of March can be created only in its last hour.
    if (hour === 1) await mkdir(blocked)
    if (now.toISOString().startsWith('2026-03-04T23')) await rm(blocked, { recursive: true })
    await marks.add(
      'removed',
      [claim.id].concat(Array.from({ length: 10 }, (_, at) => `run_${hour}_1_${at}`)),
    )
    now = new Date(now.getTime() + 3_600_000)
    for (const one of claims) expect(() => requireStartable(one, { marks, now })).toThrow(/may|earlier|ago/)
  }
  expect(marks.find('run_0_1')).toBeUndefined()
  expect(() => requireStartable({ ...claims[0], id: 'run_0_1' }, { marks, now })).toThrow(/ago/)
  expect(() =>
    requireStartable({ id: 'run_new_1', claimedAt: now.toISOString() }, { marks, now }),
  ).not.toThrow()
})

test('a clock that jumps ahead by years deletes no mark of the last two days', async () => {
  const marks = await openMarks()
  await marks.add('forbidden', ['run_a_1'])
  days(4000)
  const ahead = await openMarks()
  expect(ahead.find('run_a_1')).toBe('forbidden')
  await ahead.add('removed', ['run_b_1'])
  days(-4000)
  const back = await openMarks()
  await back.add('removed', ['run_c_1'])
  expect(['run_a_1', 'run_b_1', 'run_c_1'].map((id) => back.find(id))).toEqual([
    'forbidden',
    'removed',
    'removed',
  ])
})

test('a file truncated anywhere keeps every complete mark and accepts new ones', async () => {
  const marks = await openMarks()
  const ids = Array.from({ length: 5 }, (_, at) => `run_${at}_1`)
  for (const id of ids) await marks.add('forbidden', [id])
  const whole = readFileSync(dayFile('2026-03-01'))
  for (let end = recordBytes; end <= recordBytes * (ids.length + 1); end += 1) {
    // As long as before, or as short as it was written.
    for (const rest of [Buffer.alloc(whole.length - end), Buffer.alloc(0)]) {
      writeFileSync(dayFile('2026-03-01'), Buffer.concat([whole.subarray(0, end), rest]))
      const next = await openMarks()
      const kept = Math.floor(end / recordBytes) - 1
      expect(ids.map((id) => next.find(id) !== undefined)).toEqual(ids.map((_, at) => at < kept))
      await next.add('removed', ['run_new_1'])
      await next.close()
      const last = await openMarks()
      expect(last.find('run_new_1')).toBe('removed')
      expect(ids.filter((id) => last.find(id))).toHaveLength(kept)
      await last.close()
    }
  }
  expect(failures).toEqual([])
})

test('a flipped bit loses one mark, which is reported', async () => {
  const marks = await openMarks()
  await marks.add('removed', ['run_a_1', 'run_b_1', 'run_c_1'])
  const bytes = readFileSync(dayFile('2026-03-01'))
  bytes[recordBytes * 2 + 3] = (bytes[recordBytes * 2 + 3] ?? 0) ^ 1
  writeFileSync(dayFile('2026-03-01'), bytes)
  const next = await openMarks()
  expect(['run_a_1', 'run_b_1', 'run_c_1'].map((id) => next.find(id))).toEqual([
    'removed',
    undefined,
    'removed',
  ])
  expect(String(failures)).toContain('1 records are cut or damaged')
})

test('a file that is not a file of marks prevents the agent from starting, with advice', async () => {
  await mkdir(folder(), { recursive: true })
  await writeFile(dayFile('2026-03-01'), 'something else')
  await expect(openMarks()).rejects.toMatchObject({
    slug: 'marks',
    message: expect.stringContaining('backup'),
  })
})

test('a mark whose write failed does not count, and can be written again', async () => {
  const marks = await openMarks()
  await marks.add('removed', ['run_a_1'])
  const probe = await open(dayFile('2026-03-01'))
  const prototype = Object.getPrototypeOf(probe) as { datasync(): Promise<void> }
  await probe.close()
  const failing = vi.spyOn(prototype, 'datasync').mockRejectedValue(new Error('EIO'))
  try {
    await expect(marks.add('forbidden', ['run_b_1'])).rejects.toThrow('EIO')
  } finally {
    failing.mockRestore()
  }
  expect(marks.find('run_b_1')).toBeUndefined()
  await marks.add('removed', ['run_c_1'])
  const next = await openMarks()
  expect(['run_a_1', 'run_b_1', 'run_c_1'].map((id) => next.find(id))).toEqual([
    'removed',
    undefined,
    'removed',
  ])
})

test('while no new file can be created, the file of the day before takes the marks', async () => {
  const marks = await openMarks()
  await marks.add('removed', ['run_a_1'])
  days(1)
  // A folder with that name prevents the next day's file.
  await mkdir(join(dayFile('2026-03-02.new')), { recursive: true })
  await marks.add('removed', ['run_b_1'])
  expect(marks.find('run_b_1')).toBe('removed')
  expect(failures).toHaveLength(1)
  const { size } = await stat(dayFile('2026-03-01'))
  expect(size).toBeGreaterThan(recordBytes * 1000)
})

test('concurrent marks are all written, in few syncs', async () => {
  const marks = await openMarks()
  const ids = Array.from({ length: 10_000 }, (_, at) => `run_${at}_1`)
  await Promise.all(ids.map((id) => marks.add('removed', [id])))
  const next = await openMarks()
  expect(ids.filter((id) => next.find(id) !== 'removed')).toEqual([])
})
