import { setImmediate as nextRound } from 'node:timers/promises'
import { scheduleNextTicks, schedulesPerRoom } from '@sandbox-jobs/contract/limits.ts'
import { grantedJobsMaxBytes } from '@sandbox-jobs/contract/resources/tasks/granted-job.ts'
import { expect, it } from 'vitest'
import { withMaskedNames } from '../../agent/core/records/masked-names.ts'
import type { Refusal } from '../../agent/port/network-refusals.ts'
import { unknownTime } from '../../reader/formats/file-time.ts'
import { stageInput } from '../../server/base/json/staged-input.ts'
import { PageTokens } from '../../server/base/page.ts'
import { checkTemplate, renderTemplate } from '../../server/custom-tables/triggers/input-template.ts'
import { programScript } from '../../server/doors/programs/program-script.ts'
import { slicesOf } from '../../server/fairness/loop-slices.ts'
import { matchesOf } from '../../server/http/doors/open-terminal/files/search-contents.ts'
import { sharePage } from '../../server/http/pages/share-page.ts'
import type { ShareView } from '../../server/runs/links/share-view.ts'
import { entryBlocks } from '../../server/runs/parts/entry-blocks.ts'
import { readCalendar } from '../../server/schedules/calendar/calendar.ts'
import { nextTicks } from '../../server/schedules/calendar/next-ticks.ts'
import { sessionEntries } from '../../server/sessions/runs/session-content.ts'
import { type TreeEntry, treeOf } from '../../server/sessions/trees/tree.ts'
import { VerifiedFiles } from '../../server/sessions/trees/verified-files.ts'
import { secretSlotsOf } from '../../server/tasks/versions/secret-slots.ts'
import { fixedKeys } from '../../testing/apps/fixed-keys.ts'
import { expectUnnoticed } from './beside-reader.ts'
import type { Loop } from './loops.ts'

/* The longest steps of runs and of pages, alone: the rest of a request is short, or waits. */

const companyId = 'com_1'
const unread = { opened: () => expect.unreachable() }
const emptyDigest = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const emptyFiles = treeOf(
  Array.from({ length: 20_000 }, (_, at): TreeEntry => {
    const path = `${'n'.repeat(190)}${String(at).padStart(5, '0')}`
    return {
      kind: 'file',
      path,
      mode: 0o644,
      byteSize: 0,
      digest: emptyDigest,
      pack: `spk_${'0'.repeat(32)}`,
      offset: 0,
      modifiedAt: unknownTime,
    }
  }),
)

const compareSession = () =>
  new VerifiedFiles(unread, { now: () => new Date() }).areUndamaged(companyId, emptyFiles)

async function tarOfSession() {
  let bytes = 0
  const entries = sessionEntries(unread, { companyId, tree: emptyFiles, folder: 'session' })
  for await (const block of entryBlocks(entries, unknownTime)) bytes += block.length
  expect(bytes).toBeGreaterThan(20_000 * 1024)
}

const facts = { event: 'create', table_id: 'tbl_1', row_id: 'row_1', row_version: 1 }
const row = { text: '\u0001'.repeat(10_000), list: Array(2000).fill(0) }

function templateOf(template: unknown) {
  checkTemplate([], template)
  try {
    stageInput(renderTemplate(template, { ...facts, values: row }))
  } catch (error) {
    expect(error).toMatchObject({ name: 'ValidationError' })
  }
}

/** Paths with many colons, of which one might end the name of a file. */
const foundLines = `/workspace/session/${':a'.repeat(64)}\n`.repeat(6000)
const searchLines = () =>
  matchesOf(foundLines, { tree: emptyFiles, perLine: true, slice: slicesOf(companyId) })

const tableOfObjects = Array.from({ length: 300 }, () =>
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`c${at}`, '<&"'.repeat(4)])),
)
const shared: ShareView = {
  title: 'a',
  sender: 'b',
  status: 'completed',
  queuedAt: new Date(0),
  endedAt: new Date(0),
  expiresAt: new Date(0),
  output: {
    format: 'json',
    byte_size: 1,
    text: null,
    problem: null,
    json: { a: tableOfObjects, b: tableOfObjects },
  },
  remarks: [],
  files: Array.from({ length: 100 }, (_, at) => ({
    id: `art_${at}`,
    path: '<'.repeat(1024),
    byteSize: 1,
    preview: at < 8 ? { kind: 'csv', text: '<",'.repeat(21_000), isCut: true } : undefined,
  })),
  more: 900,
}

const pages = new PageTokens(fixedKeys(Buffer.alloc(32)))
const slots = Array.from({ length: 100 }, (_, at) => ({ name: `S${at}`.padEnd(128, 'X') }))
const grants = Array.from({ length: 1001 }, (_, at) => ({ id: `tsk_${at}` }))
const unbound = { borrower: new Set<string>(), owner: new Set<string>() }

function grantedJobs() {
  const item = ({ id }: { id: string }) => ({ id, secret_slots: secretSlotsOf(slots, null, unbound) })
  const render = { item, cursor: ({ id }: { id: string }) => [id], maxBytes: grantedJobsMaxBytes }
  const { items, next_page_token } = pages.page('granted-jobs', grants, 1000, render)
  expect(JSON.stringify(items).length).toBeGreaterThan(grantedJobsMaxBytes * 0.9)
  expect(next_page_token).not.toBeNull()
}

function ticksOfRoom() {
  const schedule = { cron: `${'0,'.repeat(50)}0 0 29 2 *`, time_zone: 'America/St_Johns' }
  const after = new Date('2096-03-01T00:00:00Z')
  for (let at = 0; at < schedulesPerRoom; at += 1)
    expect(nextTicks(readCalendar('body', schedule), after, scheduleNextTicks)).toHaveLength(1)
}

/** Without a repetition. */
const digits = (length: number): string =>
  Array.from({ length: Math.ceil(length / 8) }, (_, at) => String(at).padStart(8, '0'))
    .join('')
    .slice(0, length)

const refused = (name: string, at: number): Refusal => ({
  reason: 'name_not_in_allow_list',
  protocol: 'dns',
  name: `${name}${at}`,
  address: '',
  port: 0,
  count: 1,
  firstAt: '',
  lastAt: '',
})

async function mask(value: Buffer) {
  // In small letters, as the resolver writes them.
  const text = value.toString('hex').slice(0, 240)
  const label = value.toString().slice(0, 240)
  const entries = Array.from({ length: 200 }, (_, at) => refused(at % 2 === 0 ? text : label, at))
  const { entries: shown } = await withMaskedNames({ entries, more: 0 }, [value, Buffer.from('aaaa')])
  expect(shown.filter(({ name }) => name.length > 100)).toEqual([])
}

const program = (content: string) =>
  programScript({
    files: [{ path: 'main', content: Buffer.from(content) }],
    args: [],
    runCommand: 'run',
    compileCommand: null,
    compiling: 'shared',
  })

it.each<[Loop, string, () => unknown]>([
  ['digests and archive for a run (worker)', 'the comparison of a session with its digests', compareSession],
  ['digests and archive for a run (worker)', 'the archive of a session', tarOfSession],
  ['input templates of triggers (worker)', 'one of texts', () => templateOf('<{{values}}>'.repeat(100))],
  ['input templates of triggers (worker)', 'one of values', () => templateOf(Array(100).fill('{{values}}'))],
  ['input templates of triggers (worker)', 'one of brackets', () => templateOf('{{'.repeat(8000))],
  ['search by content', 'lines that it has found', searchLines],
  ['shared pages', 'the longest', () => sharePage(shared, 'token')],
  ['masked names (agent)', 'one repeated piece of a secret', () => mask(Buffer.alloc(64 * 1024, 'a'))],
  ['masked names (agent)', 'many pieces of a secret', () => mask(Buffer.from(digits(64 * 1024)))],
  ['lists of granted jobs and menus', 'a page of jobs with all their secrets', grantedJobs],
  ['next ticks of schedules', 'those of a room, years ahead', ticksOfRoom],
  ['programs of doors', 'one of quotes', () => program("'".repeat(2 * 1024 * 1024))],
])('%s: others do not notice %s', async (_loop, _name, work) => {
  await expectUnnoticed(async () => work(), nextRound)
})
