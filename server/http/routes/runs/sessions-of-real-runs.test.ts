import { sessionRoutes } from '@sandbox-jobs/contract/routes/session-routes.ts'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { RealRuns } from '../../../../testing/apps/real-runs.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import type { RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

/* Files that real sandboxes find in a session, and files that stay of those that they leave there. */

const database = await createTestDatabase()
const runs = await RealRuns.start(database)
let tenant: Tenant
let task: RunnableTask

/** Runs the text of the input, and reports what it prints. */
const script = `
  cd /workspace/session
  sed 's/^"//; s/"$//' "$SERVICE_INPUTS_FILE" > ../do.sh
  . ../do.sh > "$SERVICE_OUTPUT_FILE"
`

beforeAll(async () => {
  tenant = await makeTenant(database.db)
  task = await runs.makeTask(tenant.companyId, script)
})

const params = () => ({ cid: tenant.roomId })
const create = async (body: Record<string, unknown> = {}) =>
  (await runs.api.must(sessionRoutes.createSession, tenant.member, { params: params(), body })).id
const step = async (session_id: string, commands: string) => {
  const input = commands.replaceAll('\n', ';')
  const { body } = await runs.runAndWait(task, tenant.member, tenant.roomId, {
    input,
    session: { session_id },
  })
  return body
}
const filesOf = async (sid: string) => {
  const { items } = await runs.api.must(sessionRoutes.listSessionFiles, tenant.member, {
    params: { ...params(), sid },
    query: { depth: 'all' },
  })
  return items
}

describe('a session of real runs', () => {
  it('keeps the times of files: of an upload, of a write, and as a program sets them', async () => {
    const sid = await create()
    const startedAt = Math.floor(Date.now() / 1000)
    await runs.api.must(sessionRoutes.writeSessionFile, tenant.member, {
      params: { ...params(), sid },
      query: { path: 'uploaded' },
      payload: Buffer.from('x'),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const times = "stat -c '%n %Y' *"
    const first = await step(sid, `echo x > written; echo x > old; touch -d @1600000000 old; ${times}`)
    const shown = first.output?.text ?? ''
    const found = Object.fromEntries(
      shown
        .trim()
        .split('\n')
        .map((line): [string, number] => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
    )
    expect(found.old).toBe(1_600_000_000)
    for (const name of ['uploaded', 'written']) expect(found[name]).toBeGreaterThanOrEqual(startedAt)
    const second = await step(sid, `${times}; find . -type f -mmin -60 | sort`)
    expect(second.output?.text).toBe(`${shown}./uploaded\n./written\n`)
    // A run that changes nothing leaves the files as they are, with their times.
    expect((await step(sid, times)).output?.text).toBe(shown)
  })

  it('keeps the times of folders, whatever lies in them and may write to them', async () => {
    const sid = await create()
    const made = `mkdir -p a/b/c; echo x > a/b/x; ln -s x a/b/l; chmod 500 a/b
      touch -d @1600000002 a/b/c; touch -d @1600000001 a/b; touch -d @1600000000 a`
    const times = "stat -c '%n %a %Y' a a/b a/b/c"
    const shown = 'a 755 1600000000\na/b 500 1600000001\na/b/c 755 1600000002\n'
    expect((await step(sid, `umask 022; ${made}; ${times}`)).output?.text).toBe(shown)
    expect((await step(sid, times)).output?.text).toBe(shown)
    const added = await step(sid, `echo y > a/y; ${times}; find a -type d -mmin -60`)
    expect(added.output?.text).toMatch(/^a 755 (?!1600000000).*\na\/b 500 1600000001\n.*1600000002\na\n$/)
    const file = await runs.api.call(sessionRoutes.readSessionFile, tenant.member, {
      params: { ...params(), sid },
      query: { path: 'a/y' },
    })
    expect(Date.parse(String(file.headers['last-modified']))).toBeGreaterThan(Date.now() - 60_000)
  })

  it('has the files from before a run whose processes are killed while they are unpacked', async () => {
    const sid = await create()
    // More than the start of a sandbox waits for, in two packs.
    for (const name of ['a', 'b']) await step(sid, `(echo ${name}; head -c 2000000 /dev/zero) > ${name}`)
    const { storage } = runs.api
    const opened = storage.opened.bind(storage)
    // Each pack is opened to verify it, and again to unpack it: the last time while the other one is unpacked.
    let openedPacks = 0
    const opening = vi.spyOn(storage, 'opened').mockImplementation(async (key) => {
      if (key.startsWith('sessions/') && ++openedPacks === 4) await runs.killRunning()
      return opened(key)
    })
    const { run } = await step(sid, 'echo never > a')
    opening.mockRestore()
    expect([openedPacks, run?.status]).toEqual([4, 'customer_failed'])
    expect((await step(sid, 'ls -A; wc -c a b')).output?.text).toMatch(/^a\nb\n +2000002 a\n +2000002 b\n/)
  })

  it('has the files from before a run that removes its folder', async () => {
    const sid = await create()
    await step(sid, 'echo kept > a')
    const { run } = await step(sid, 'cd ..; rm -r session')
    expect(run).toMatchObject({ error_code: 'session_not_kept', error_detail: 'not_a_folder' })
    expect((await filesOf(sid)).map(({ path }) => path)).toEqual(['a'])
  })

  it('keeps files, folders, links and modes from run to run', async () => {
    const sid = await create()
    const first = await step(
      sid,
      "umask 022; mkdir -p a/empty; echo one > a/x; chmod 755 a/x; ln -s x a/l; ln -s /etc/passwd away; ln -s ../.. up; chmod 500 a; echo 'it is ü' > ü",
    )
    expect(first.run).toMatchObject({ status: 'completed', session_id: sid })
    expect(
      (await filesOf(sid)).map(({ path, kind, target, is_executable: x }) => [path, kind, target, x]),
    ).toEqual([
      ['a', 'folder', null, false],
      ['a/empty', 'folder', null, false],
      ['a/l', 'link', 'x', false],
      ['a/x', 'file', null, true],
      ['away', 'link', '/etc/passwd', false],
      ['up', 'link', '../..', false],
      ['ü', 'file', null, false],
    ])
    const second = await step(
      sid,
      'ls -ld a a/empty a/x | cut -c1-10; readlink a/l; readlink away; readlink up; cat a/l ü; rm -r ü; echo two > b',
    )
    expect(second.output?.text?.split('\n')).toEqual([
      'dr-x------',
      'drwxr-xr-x',
      '-rwxr-xr-x',
      'x',
      '/etc/passwd',
      '../..',
      'one',
      'it is ü',
      '',
    ])
    expect((await filesOf(sid)).map(({ path }) => path)).toEqual([
      'a',
      'a/empty',
      'a/l',
      'a/x',
      'away',
      'b',
      'up',
    ])
  })

  it('lets an agent try and go back by a fork', async () => {
    const sid = await create()
    await step(sid, 'echo good > state')
    const fork = await create({ fork_of: sid })
    await step(fork, 'echo broken > state; rm -f other')
    expect((await step(sid, 'cat state')).output?.text).toBe('good\n')
    expect((await step(fork, 'cat state')).output?.text).toBe('broken\n')
  })

  it('keeps what a failed step left, and reports files that cannot be kept', async () => {
    const sid = await create({ size_limit_bytes: 2 * 1024 ** 2 })
    expect((await step(sid, 'echo kept > a; exit 3')).run).toMatchObject({ error_code: 'work_exit_nonzero' })
    const full = await step(sid, 'head -c 3000000 /dev/zero > large')
    expect(full.run).toMatchObject({ error_code: 'session_not_kept', error_detail: 'too_large' })
    expect((await step(sid, 'ls')).output?.text).toBe('a\n')
    expect(
      (await step(sid, 'mkfifo f; cd ..; rm -r session; mkdir session; cd session; : > b')).run,
    ).toMatchObject({
      status: 'completed',
    })
    expect((await filesOf(sid)).map(({ path }) => path)).toEqual(['b'])
  })

  it('carries 20 MB in hundreds of files through a step', async () => {
    const sid = await create()
    const made = await step(
      sid,
      'head -c 20000000 /dev/urandom > large; i=0; while [ $i -lt 500 ]; do echo $i > f$i; i=$((i+1)); done; sha256sum < large | cut -c1-64',
    )
    expect(made.run).toMatchObject({ status: 'completed' })
    const seen = await step(sid, 'sha256sum < large | cut -c1-64; ls | wc -l')
    expect(seen.output?.text).toBe(`${made.output?.text}501\n`)
  })
})
