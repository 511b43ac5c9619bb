import { ApiError, createSandbox, type RunDetail, type RunLogEvent, type Sandbox } from '@sandbox-jobs/client'

// Compiled by package.test.ts against the installed package, under strict TypeScript; it is not run.
const sandbox: Sandbox = createSandbox({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', retry: { repeats: 1 } })

export async function run(cid: string): Promise<string | null> {
  const queued: RunDetail = await sandbox.submitRun({
    params: { cid },
    body: { task_version_id: 'tvr_1', input: { month: '2026-10' } },
  })
  // @ts-expect-error a path parameter is missing
  await sandbox.submitRun({ params: {}, body: { task_version_id: 'tvr_1', input: 1 } })
  // @ts-expect-error a field of the body is misspelt
  await sandbox.submitRun({ params: { cid }, body: { task_version: 'tvr_1', input: 1 } })
  // @ts-expect-error no such state
  await sandbox.listRuns({ params: { cid }, query: { status: ['done'] } })
  for await (const { status } of sandbox.items('listRuns', {
    params: { cid },
    query: { status: ['queued'] },
  })) {
    const isOver: boolean = status === 'completed' || status === 'cancelled'
    if (isOver) break
  }
  // @ts-expect-error not a list
  sandbox.items('readRun', { params: { cid, rid: 'run_1' } })
  for await (const event of sandbox.follow('followRunLog', { params: { cid, rid: queued.id } })) {
    const seen: RunLogEvent = event
    if (seen.kind === 'log') console.log(seen.text)
  }
  const output: Response = await sandbox.readRunOutput({ params: { cid, rid: queued.id } })
  console.log(await output.text())
  const ended = await sandbox.waitForEnd({ cid, rid: queued.id }, { timeoutMs: 1000 })
  // @ts-expect-error may be null
  return ended.terminal_at.length > 0 ? ended.terminal_at : null
}

export const hintOf = (error: unknown): string =>
  error instanceof ApiError
    ? `${error.status} ${error.code ?? ''} ${error.hint} ${error.requestId ?? ''}`
    : ''
