import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { readConfig } from '../../server/base/config/config.ts'
import { accountOf, asAccount } from '../../server/postgres/account.ts'
import { testConfinement } from '../../testing/test-readers.ts'
import { readerProgram } from './reader-command.ts'

const { readerUser, workerUser } = readConfig({})
const reader = accountOf(readerUser)
const worker = accountOf(workerUser)
const { readerStart, seal } = testConfinement()

/** A worker process that reads an archive, prints the process id of its reader, and then waits. */
const requester = (folder: string) => `
  const { ReaderProcess } = await import('${folder}/reader-process.ts')
  const { requestedReaders } = await import('${folder}/reader-command.ts')
  const { contextLimits } = await import('${folder}/archive-readers.ts')
  const { contextBounds } = await import('${folder}/../formats/archive.ts')
  const { sourceOf, tar } = await import('${folder}/../formats/archive-fixtures.ts')
  const source = sourceOf(tar({ name: 'Dockerfile', content: 'FROM scratch' }))
  const reader = new ReaderProcess(requestedReaders(${JSON.stringify(readerStart)}), contextLimits)
  const job = { kind: 'context', format: 'tar', byteSize: source.byteSize, bounds: contextBounds }
  const verdict = await reader.runJob(job, source)
  console.log(JSON.stringify({ kind: verdict.kind, pid: reader.pid }))
  setInterval(() => {}, 1000)
  process.stdin.once('data', () => { reader.kill(); console.log('"killed"') })`

const isGone = (pid: number) => {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/, ''))
  } catch {
    return true
  }
}
const gone = async (pid: number) => {
  while (!isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The reader host process with the worker process as its child. */
function startHost() {
  const program = readerProgram()
  const host = ['host', `${reader?.uid}`, `${reader?.gid}`, seal, `${program.length}`, ...program]
  const command = [process.execPath, '--input-type=module', '-e', requester(import.meta.dirname)]
  const child = spawn(readerStart, [...host, ...asAccount(worker, command, 'TERM')], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as { kind: string; pid: number }
  return { child, next }
}

it('a reader runs as its own user, sealed, and its memory is not readable', async () => {
  const { child, next } = startHost()
  const { kind, pid } = await next()
  expect(kind).toBe('context')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const uid = reader?.uid
  expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
  expect(status).toMatch(/^Groups:\s*$/m)
  expect(status).toMatch(/^CapEff:\t0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\t1$/m)
  expect(status).toMatch(/^Seccomp:\t2$/m)
  // One filter from its start, one from its seal.
  expect(status).toMatch(/^Seccomp_filters:\t2$/m)
  expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +1 +1 /m)
  child.stdin.write('kill\n')
  await next()
  await gone(pid)
  child.kill('SIGKILL')
})

it('a reader ends with the process that requested it', async () => {
  const { child, next } = startHost()
  const { pid } = await next()
  child.kill('SIGKILL')
  await gone(pid)
})
